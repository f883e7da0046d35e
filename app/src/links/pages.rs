//! Addresses that pages alone lead to.

use chrono::{DateTime, Utc};
use dlo_domain::filter::{Field, FilterForm, LetterFilter, Moment};
use dlo_domain::ids::{LetterId, ReplayId};
use dlo_domain::state::LetterState;

use crate::pages::{EditForm, FIELDS, ReplayForm};

use super::{EXECUTIONS, LETTERS, NEW_REPLAY, edit, letters, letters_matching, with_query};

/// The list of replays.
pub(crate) const REPLAYS: &str = "/replays";

/// The sources.
pub(crate) const SOURCES: &str = "/sources";

/// A page that says what was done.
pub(crate) fn told(page: &str, notice: &str) -> String {
    with_query(page, [("notice", notice)])
}

/// The executions of one worker.
pub(crate) fn executions_of(worker: &str) -> String {
    with_query(EXECUTIONS, [("worker", worker)])
}

/// The replays of one retry policy.
pub(crate) fn replays_of(policy: &str) -> String {
    with_query(REPLAYS, [("by", &*format!("policy:{policy}"))])
}

/// The letters that name an execution, as the list shows them.
pub(crate) fn letters_of_execution(id: &str) -> String {
    letters_matching(&LetterFilter::of_name(Field::Execution, id))
}

/// The letters that died in the queue of a worker.
pub(crate) fn letters_of_worker(name: &str) -> String {
    letters_matching(&LetterFilter::of_name(Field::Worker, name))
}

/// The letters that died in the queue of a worker since a time.
pub(crate) fn died_behind(worker: &str, since: DateTime<Utc>) -> String {
    let since = FilterForm { since: Some(Moment::At(since)), ..FilterForm::default() };
    letters_matching(&LetterFilter::of_name(Field::Worker, worker).and(&since.into()))
}

/// The letters that two filters mean, both given as text.
pub(crate) fn letters_within(scope: &str, term: &str) -> String {
    with_query(LETTERS, [("q", format!("{scope} {term}").trim())])
}

/// The letters in one state, worst or not.
pub(crate) fn letters_in(state: LetterState) -> String {
    letters(&FilterForm { state: Some(state), ..FilterForm::default() })
}

/// The page of a new replay, with everything that its form holds.
pub(crate) fn new_replay(form: &ReplayForm) -> String {
    let ids: Vec<String> = form.ids.iter().map(ToString::to_string).collect();
    let ids = ids.iter().map(|id| ("ids[]", id.as_str()));
    let chosen = [("q", form.q.as_str()), ("scope", form.scope.as_str())];
    let fields = FIELDS.map(|name| (name, form.fields.get(name)));
    let fields = fields.iter().map(|(name, value)| (*name, value.as_str()));
    with_query(NEW_REPLAY, ids.chain(chosen).chain(fields))
}

/// The same with a draft that was kept, and with the fields beside it.
pub(crate) fn edit_of(id: LetterId, form: &EditForm) -> String {
    let fields = [
        ("as", &form.shape),
        ("draft", &form.draft),
        ("queue", &form.queue),
        ("headers", &form.headers),
        ("needs_approval", &form.needs_approval),
    ];
    with_query(&edit(id), fields.map(|(name, value)| (name, &**value)))
}

/// A replay, and that so many of its letters were found.
pub(crate) fn searched(id: ReplayId, letters: i64) -> String {
    format!("/replays/{id}?notice=searched&letters={letters}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_whatever_a_worker_or_an_execution_is_called_are_found() {
        assert_eq!(letters_of_worker("worker-7"), "/letters?q=worker:worker-7");
        for name in ["job/7 of a?%", "*", "a\"b\\", "(x, y)", "OR", ">1"] {
            let filter = LetterFilter::of_name(Field::Execution, name);
            assert_eq!(LetterFilter::parse(&filter.to_string()), Ok(filter));
        }
    }
}
