//! Executions in words.

use dlo_domain::audit::Actor;
use dlo_domain::execution::{
    Execution, ExecutionDetail, ExecutionFigures, ExecutionQuery, ExecutionState, HandlerVerdict,
    NamedBy, UnknownState,
};
use dlo_domain::filter::{Field, LetterFilter};
use dlo_domain::page::{Cursor, Total};

use super::{ExecutionList, ExecutionRow, ExecutionSheet, ExecutionTab};
use crate::api::{Said, link, plain};
use crate::desk::desk;
use crate::error::ApiError;
use crate::wording::{self, count, counted, sentence};
use crate::{links, request};

/// Executions of one page.
const PAGE: u32 = 50;

/// Stuck ones that stand before the list of all.
const FIRST: u32 = 20;

/// The word of the list of those that are stuck.
const STUCK: &str = "stuck";

pub(super) async fn list(
    tab: &str,
    worker: String,
    after: Option<Cursor>,
) -> Result<ExecutionList, ApiError> {
    let desk = desk();
    let state = match tab {
        "" | STUCK => None,
        word => Some(word.parse().map_err(|why: UnknownState| ApiError::invalid(why.to_string()))?),
    };
    let worker = Some(worker).filter(|name| !name.is_empty());
    let query = ExecutionQuery { state, worker, stuck: tab == STUCK };
    let page = desk.executions(&query, after, PAGE).await?;
    let first = if tab.is_empty() && after.is_none() {
        stuck(query.worker.clone()).await?
    } else {
        Vec::new()
    };
    let figures = desk.execution_figures().await?;
    // The figures are those of all workers: beside the list of one they would say something else.
    let (heading, told) = match &query.worker {
        Some(worker) => (plain(format!("Executions on worker {worker}.")), Vec::new()),
        None => (heading(&figures), told(&figures)),
    };
    Ok(ExecutionList {
        now: request::now(),
        heading,
        warning: warning(&figures),
        tabs: tabs(&figures, query.worker.is_none()),
        title: title(&query, page.total()),
        stuck: first,
        rows: page.items.into_iter().map(row).collect(),
        next: page.next_cursor,
        figures: told,
    })
}

/// The first of those that are stuck, of one worker or of all.
pub(in crate::api) async fn stuck(worker: Option<String>) -> Result<Vec<ExecutionRow>, ApiError> {
    let query = ExecutionQuery { state: None, worker, stuck: true };
    let page = desk().executions(&query, None, FIRST).await?;
    Ok(page.items.into_iter().map(row).collect())
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
    let then = |text: &str| (text.to_owned(), String::new());
    let stuck = || links::with_query(links::EXECUTIONS, [("tab", STUCK)]);
    let mut said = match figures.stuck {
        0 if figures.states.iter().all(|one| one.count == 0) => {
            return plain("Nobody reported an execution yet.");
        }
        0 => plain("Nothing is stuck: "),
        1 => vec![link("1 execution", stuck()), then(" is stuck; ")],
        many => vec![link(format!("{} executions", count(many)), stuck()), then(" are stuck; ")],
    };
    said.extend([
        of(ExecutionState::Running),
        then(" running, "),
        of(ExecutionState::Scheduled),
        then(" handed to workers."),
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

fn word_of(state: ExecutionState) -> String {
    state.as_str().replace('_', " ")
}

fn tabs(figures: &ExecutionFigures, are_counted: bool) -> Vec<ExecutionTab> {
    let text = |word: String, many: Total| {
        let plus = if many.is_least { "+" } else { "" };
        if are_counted { format!("{word} {}{plus}", count(many.count)) } else { word }
    };
    let states = ExecutionState::ALL.into_iter().map(|state| {
        let text = text(word_of(state), of(figures, state));
        let word = state.as_str().to_owned();
        ExecutionTab { word, text }
    });
    let stuck = ExecutionTab {
        word: STUCK.to_owned(),
        text: text(STUCK.to_owned(), Total::exactly(figures.stuck)),
    };
    let all = ExecutionTab { word: String::new(), text: "all".to_owned() };
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

/// The badge of a state: those of letters that mean the same to whoever looks.
fn badge(execution: &Execution) -> &'static str {
    match execution.state {
        _ if execution.is_stuck => "unknown",
        ExecutionState::Requested | ExecutionState::Scheduling => "held",
        ExecutionState::Scheduled => "scheduled",
        ExecutionState::Running => "claimed",
        ExecutionState::Completed => "resolved",
        ExecutionState::Failed | ExecutionState::TimedOut => "regressed",
        ExecutionState::Cancelled => "discarded",
    }
}

fn row(execution: Execution) -> ExecutionRow {
    let word = if execution.is_stuck { STUCK.to_owned() } else { word_of(execution.state) };
    let is_one_of_several = execution.max_attempts > 1;
    ExecutionRow {
        state: (word, badge(&execution).to_owned()),
        since: execution.state_since,
        worker: execution.worker.unwrap_or_default(),
        attempt: if is_one_of_several {
            format!("{} of {}", execution.attempt, execution.max_attempts)
        } else {
            String::new()
        },
        error: execution.error.unwrap_or_default(),
        id: execution.id,
    }
}

pub(super) async fn sheet(id: &str) -> Result<ExecutionSheet, ApiError> {
    let ExecutionDetail { execution, result, letters } = desk().execution(id).await?;
    let course = [
        ("first heard of", Some(execution.first_seen_at)),
        ("requested", execution.requested_at),
        ("scheduling", execution.scheduling_at),
        ("handed to a worker", execution.scheduled_at),
        ("running", execution.running_at),
        ("over", execution.ended_at),
    ];
    let mut course: Vec<_> =
        course.into_iter().filter_map(|(word, at)| Some((word.to_owned(), at?))).collect();
    course.sort_by_key(|(_, at)| *at);
    Ok(ExecutionSheet {
        waiting: waiting(&execution.id).await?,
        now: request::now(),
        heading: standing(&execution),
        ended_by: execution.failed_by.clone().unwrap_or_default(),
        course,
        result: result
            .and_then(|result| serde_json::to_string_pretty(&result).ok())
            .unwrap_or_default(),
        is_open: !execution.state.is_terminal() && !execution.is_read,
        letters: letters.into_iter().map(named).collect(),
        row: row(execution),
    })
}

/// The held letters that name an execution.
async fn waiting(id: &str) -> Result<(i64, String), ApiError> {
    let of_it = LetterFilter::of_name(Field::Execution, id);
    let filter = of_it.and(&LetterFilter::parse("state:held").unwrap_or_default());
    let held = desk().letters(&filter, None, 1).await?.estimated_total;
    Ok((held, filter.to_string()))
}

fn standing(execution: &Execution) -> String {
    let on = match &execution.worker {
        Some(worker) => format!(" on worker {worker}"),
        None => String::new(),
    };
    match execution.state {
        ExecutionState::Requested | ExecutionState::Scheduling if execution.is_stuck => format!(
            "Stuck: {} for longer than a worker has to begin it, and handed to none. Nobody fails it: \
             look at whoever hands out work.",
            word_of(execution.state)
        ),
        _ if execution.is_stuck && execution.is_read => format!(
            "Stuck: handed out{on}, and not begun in time. It is in a register that is only read: \
             the monitor would fail it, and leaves that to whoever keeps the register."
        ),
        _ if execution.is_stuck => {
            format!("Stuck: handed out{on}, and not begun in time. The monitor fails it next.")
        }
        ExecutionState::Requested => "Requested: no worker is looked for yet.".to_owned(),
        ExecutionState::Scheduling => "A worker is looked for.".to_owned(),
        ExecutionState::Scheduled => format!("Handed out{on}, and not begun."),
        ExecutionState::Running => format!("Running{on}."),
        ExecutionState::Completed => format!("Completed{on}."),
        ExecutionState::Failed => format!("Failed{on}."),
        ExecutionState::Cancelled => "Cancelled.".to_owned(),
        ExecutionState::TimedOut => format!("Timed out{on}."),
    }
}

/// What the handler did, with the replay that it names.
fn with_replay(said: &str) -> Said {
    const WORDS: &str = "with replay ";
    let replay = said.split_once(WORDS).and_then(|(before, id)| {
        let page = links::replay(id.parse().ok()?);
        let before = format!("{before}{WORDS}");
        Some(vec![(before, String::new()), link(wording::short(&id), page)])
    });
    replay.unwrap_or_else(|| plain(said))
}

fn named(by: NamedBy) -> (String, chrono::DateTime<chrono::Utc>, Said) {
    let detail = by.detail.unwrap_or_default();
    let said = match by.verdict {
        None => "the handler has not come to it".to_owned(),
        Some(HandlerVerdict::Failed) => format!("failed it: {detail}"),
        Some(HandlerVerdict::Rescheduled) => format!("sent it {detail}"),
        Some(HandlerVerdict::Terminal | HandlerVerdict::Superseded | HandlerVerdict::Left) => {
            format!("changed nothing: {detail}")
        }
        Some(HandlerVerdict::Spared) => format!("held nothing against it: {detail}"),
        Some(HandlerVerdict::Unknown) => "came before anybody told of it".to_owned(),
    };
    (by.letter_id.to_string(), by.arrived_at, with_replay(&said))
}

pub(super) async fn end(id: &str, word: &str, reason: &str) -> Result<(), ApiError> {
    let state = match word {
        "failed" => ExecutionState::Failed,
        "cancelled" => ExecutionState::Cancelled,
        _ => {
            let why = "An execution is failed or cancelled here, and nothing else.";
            return Err(ApiError::invalid(why));
        }
    };
    let operator = Actor::local_operator();
    desk().end_execution(&operator, id, state, reason).await?;
    leptos_axum::redirect(&links::execution(id));
    Ok(())
}
