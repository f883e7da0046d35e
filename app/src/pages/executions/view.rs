//! What the page of the executions shows.

use dlo_domain::execution::{
    Execution, ExecutionFigures, ExecutionQuery, ExecutionState, UnknownState,
};
use dlo_domain::page::{Page, Total};

use super::table::{STUCK, word_of};
use crate::api;
use crate::desk::desk;
use crate::error::ApiError;
use crate::links;
use crate::pages::said::{Said, link, plain, words};
use crate::wording::{self, count, counted, sentence};

/// Executions of one page.
const PAGE: u32 = 50;

/// Stuck ones that stand before the list of all.
const FIRST: u32 = 20;

/// Executions, those that are stuck first.
pub(super) struct ExecutionsView {
    /// What the list is asked for.
    pub(super) query: ExecutionQuery,
    /// Figures of all executions.
    pub(super) figures: ExecutionFigures,
    /// Those that are stuck, where they stand before the list.
    pub(super) stuck: Vec<Execution>,
    /// The list.
    pub(super) page: Page<Execution>,
}

/// A page of executions: of a state, those that are stuck, or all; of one worker, unless that is empty.
///
/// # Errors
/// A word or a cursor that cannot be read, or a desk that does not answer.
pub(super) async fn read(
    tab: &str,
    worker: String,
    cursor: &str,
) -> Result<ExecutionsView, ApiError> {
    let desk = desk();
    let after = api::cursor(cursor)?;
    let state = match tab {
        "" | STUCK => None,
        word => Some(word.parse().map_err(|why: UnknownState| ApiError::invalid(why.to_string()))?),
    };
    let worker = Some(worker).filter(|name| !name.is_empty());
    let query = ExecutionQuery { state, worker, stuck: tab == STUCK };
    let page = desk.executions(&query, after, PAGE).await?;
    let is_first_of_all = tab.is_empty() && after.is_none();
    let stuck = if is_first_of_all { stuck(query.worker.clone()).await? } else { Vec::new() };
    Ok(ExecutionsView { figures: desk.execution_figures().await?, query, stuck, page })
}

/// The first of those that are stuck, of one worker or of all.
pub(in crate::pages) async fn stuck(worker: Option<String>) -> Result<Vec<Execution>, ApiError> {
    let query = ExecutionQuery { state: None, worker, stuck: true };
    Ok(desk().executions(&query, None, FIRST).await?.items)
}

impl ExecutionsView {
    /// In a sentence. The figures are those of all workers: beside the list of one they would say something else.
    pub(super) fn heading(&self) -> Said {
        match &self.query.worker {
            Some(worker) => plain(format!("Executions on worker {worker}.")),
            None => heading(&self.figures),
        }
    }

    /// How executions fare.
    pub(super) fn told(&self) -> Vec<String> {
        if self.query.worker.is_some() { Vec::new() } else { told(&self.figures) }
    }

    /// What somebody should look at; empty when nothing is.
    pub(super) fn warning(&self) -> String {
        warning(&self.figures)
    }

    /// The lists there are: the word of each in the address, and what it says.
    pub(super) fn tabs(&self) -> Vec<(&'static str, String)> {
        tabs(&self.figures, self.query.worker.is_none())
    }

    /// What the list is called.
    pub(super) fn title(&self) -> String {
        title(&self.query, self.page.total())
    }
}

fn of(figures: &ExecutionFigures, state: ExecutionState) -> Total {
    let found = figures.states.iter().find(|one| one.state == state);
    found.map_or(Total::exactly(0), |one| Total { count: one.count, is_least: one.is_least })
}

fn heading(figures: &ExecutionFigures) -> Said {
    let of = |state: ExecutionState| {
        let pairs = [("tab", state.as_str())];
        let href = links::with_query(links::EXECUTIONS, pairs);
        link(number(of(figures, state)), href)
    };
    let stuck = || links::with_query(links::EXECUTIONS, [("tab", STUCK)]);
    let mut said = match figures.stuck {
        0 if figures.states.iter().all(|one| one.count == 0) => {
            return plain("No executions have been reported yet.");
        }
        0 => plain("Nothing is stuck: "),
        1 => vec![link("1 execution", stuck()), words(" is stuck; ")],
        many => vec![link(format!("{} executions", count(many)), stuck()), words(" are stuck; ")],
    };
    said.extend([
        of(ExecutionState::Running),
        words(" running, "),
        of(ExecutionState::Scheduled),
        words(" handed to workers."),
    ]);
    said
}

fn number(total: Total) -> String {
    let more = if total.is_least { " or more" } else { "" };
    format!("{}{more}", count(total.count))
}

fn told(figures: &ExecutionFigures) -> Vec<String> {
    let latency = figures.scheduling_latency_ms.map(|ms| {
        let text = if ms < 10_000 {
            format!("{} ms", count(ms))
        } else {
            format!("{} s", count(ms / 1_000))
        };
        format!("from requested to running in {text} on average, last hour")
    });
    let rate = (figures.ended > 0).then(|| {
        let percent = figures.timeouts * 100 / figures.ended;
        // Those that the monitor failed stand among the failed ones below.
        let timeouts = count(figures.timeouts);
        let what = "timed out or failed by the monitor in the last hour";
        format!("{timeouts} {what}, {percent} % of what ended")
    });
    latency.into_iter().chain(rate).collect()
}

fn warning(figures: &ExecutionFigures) -> String {
    if figures.unpublished == 0 {
        return String::new();
    }
    let what = counted(figures.unpublished, "message");
    let why = figures.unpublished_why.as_deref().unwrap_or_default();
    match why {
        "" => String::new(),
        why => format!(
            "{what} of ended executions could not be published yet, and are tried again: {}",
            sentence(why)
        ),
    }
}

fn tabs(figures: &ExecutionFigures, are_counted: bool) -> Vec<(&'static str, String)> {
    let text = |word: String, many: Total| {
        let plus = if many.is_least { "+" } else { "" };
        if are_counted { format!("{word} {}{plus}", count(many.count)) } else { word }
    };
    let states = ExecutionState::ALL
        .into_iter()
        .map(|state| (state.as_str(), text(word_of(state), of(figures, state))));
    let stuck = (STUCK, text(STUCK.to_owned(), Total::exactly(figures.stuck)));
    let all = ("", "all".to_owned());
    [all, stuck].into_iter().chain(states).collect()
}

fn title(query: &ExecutionQuery, total: Total) -> String {
    let what = wording::how_many(total, "execution");
    let state = match (query.stuck, query.state) {
        (true, _) => " stuck".to_owned(),
        (_, Some(state)) => format!(" {}", word_of(state)),
        _ => String::new(),
    };
    match &query.worker {
        Some(worker) => format!("{what}{state} on worker {worker}"),
        None => format!("{what}{state}"),
    }
}
