//! What the page of an execution shows.

use chrono::{DateTime, Utc};
use dlo_domain::execution::{Execution, ExecutionDetail, ExecutionState, HandlerVerdict, NamedBy};
use dlo_domain::filter::{Field, LetterFilter};

use crate::desk::desk;
use crate::error::ApiError;
use crate::pages::executions::table::word_of;
use crate::pages::said::{Said, link, plain, words};
use crate::{links, wording};

/// One execution.
pub(super) struct ExecutionView {
    /// What is known of it, and the letters that name it.
    pub(super) detail: ExecutionDetail,
    /// The letters among them that are held.
    pub(super) held: Held,
}

/// Letters that are held.
pub(super) struct Held {
    /// How many.
    pub(super) count: i64,
    /// The filter that finds them.
    pub(super) filter: String,
}

/// One execution.
///
/// # Errors
/// No such execution, or a desk that does not answer.
pub(super) async fn read(id: &str) -> Result<ExecutionView, ApiError> {
    let detail = desk().execution(id).await?;
    let held = held(&detail.execution.id).await?;
    Ok(ExecutionView { detail, held })
}

/// The held letters that name an execution.
async fn held(id: &str) -> Result<Held, ApiError> {
    let of_it = LetterFilter::of_name(Field::Execution, id);
    let filter = of_it.and(&LetterFilter::parse("state:held").unwrap_or_default());
    let count = desk().letters(&filter, None, 1).await?.estimated_total;
    Ok(Held { count, filter: filter.to_string() })
}

/// What it went through, and when.
pub(super) fn course(execution: &Execution) -> Vec<(&'static str, DateTime<Utc>)> {
    let course = [
        ("first heard of", Some(execution.first_seen_at)),
        ("requested", execution.requested_at),
        ("scheduling", execution.scheduling_at),
        ("handed to a worker", execution.scheduled_at),
        ("running", execution.running_at),
        ("over", execution.ended_at),
    ];
    let mut course: Vec<_> =
        course.into_iter().filter_map(|(word, at)| Some((word, at?))).collect();
    course.sort_by_key(|(_, at)| *at);
    course
}

/// Where it stands, in a sentence.
pub(super) fn standing(execution: &Execution) -> String {
    let worker = execution.worker.as_ref();
    let beside =
        |word: &str| worker.map(|name| format!(" {word} worker {name}")).unwrap_or_default();
    let (on, to) = (beside("on"), beside("to"));
    match execution.state {
        ExecutionState::Requested | ExecutionState::Scheduling if execution.is_stuck => format!(
            "Stuck: {} for too long, and assigned to no worker. It is not failed automatically: \
             check your scheduler.",
            word_of(execution.state)
        ),
        _ if execution.is_stuck && execution.is_read => format!(
            "Stuck: assigned{to}, and not begun in time. It is in a read-only register, so the \
             monitor does not fail it: end it where the register is kept."
        ),
        _ if execution.is_stuck => {
            format!("Stuck: assigned{to}, and not begun in time. The monitor fails it next.")
        }
        ExecutionState::Requested => "Requested: not being scheduled yet.".to_owned(),
        ExecutionState::Scheduling => "Being scheduled: no worker yet.".to_owned(),
        ExecutionState::Scheduled => format!("Assigned{to}, and not begun."),
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
        Some(vec![words(before), link(wording::short(&id), page)])
    });
    replay.unwrap_or_else(|| plain(said))
}

/// What was done with a letter that names it.
pub(super) fn said_of(by: NamedBy) -> Said {
    let detail = by.detail.unwrap_or_default();
    let said = match by.verdict {
        None => "the handler has not come to it".to_owned(),
        Some(HandlerVerdict::Failed) => format!("failed it: {detail}"),
        Some(HandlerVerdict::Rescheduled) => format!("sent it {detail}"),
        Some(HandlerVerdict::Terminal | HandlerVerdict::Superseded | HandlerVerdict::Left) => {
            format!("changed nothing: {detail}")
        }
        Some(HandlerVerdict::Spared) => format!("held nothing against it: {detail}"),
        Some(HandlerVerdict::Unknown) => "arrived before its first report".to_owned(),
    };
    with_replay(&said)
}
