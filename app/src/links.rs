//! Addresses of pages: the filter, the page of a list and the tab all live in the URL.

mod alerts;
mod pages;

use std::fmt::Write as _;

use crate::query::Query;
use dlo_domain::filter::{FilterFault, FilterForm, LetterFilter};
use dlo_domain::ids::{GroupId, LetterId, ReplayId};

pub use alerts::*;
pub(crate) use pages::*;

/// The list of letters.
pub(crate) const LETTERS: &str = "/letters";

/// The list of groups.
pub(crate) const GROUPS: &str = "/groups";

/// The rules that judge letters.
pub(crate) const RULES: &str = "/rules";

/// The form of a rule; of a new one when the id is empty.
pub(crate) fn rule_form(id: &str) -> String {
    format!("{RULES}/{}", if id.is_empty() { "new" } else { id })
}

/// The queues of brokers.
pub(crate) const QUEUES: &str = "/queues";

/// Whichever broker has the queue: where only its vhost and its name are known.
pub(crate) const ANY_BROKER: &str = "-";

/// One queue. Its name, and its vhost's, may hold anything.
pub(crate) fn queue(broker: &str, vhost: &str, name: &str) -> String {
    within(&within(&within(QUEUES, broker), vhost), name)
}

/// The retry policies.
pub(crate) const RETRIES: &str = "/rules/retries";

/// The form of a retry policy; of a new one when the id is empty.
pub(crate) fn policy_form(id: &str) -> String {
    format!("{RETRIES}/{}", if id.is_empty() { "new" } else { id })
}

/// The alerts that are open.
pub const ALERTS: &str = "/alerts";

/// The message types of Protobuf that are known.
pub const SCHEMAS: &str = "/schemas";

/// An address with a query; pairs without a value are left out.
pub(crate) fn with_query<'a>(
    path: &str,
    pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> String {
    let mut address = path.to_owned();
    let mut sign = '?';
    for (name, value) in pairs {
        if value.is_empty() {
            continue;
        }
        address.push(sign);
        address.push_str(name);
        address.push('=');
        escape_into(&mut address, value);
        sign = '&';
    }
    address
}

/// Percent-encodes a value.
fn escape_into(address: &mut String, value: &str) {
    for byte in value.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b':' | b'*' => {
                address.push(char::from(byte));
            }
            b' ' => address.push('+'),
            _ => write!(address, "%{byte:02X}").expect("a String takes every write"),
        }
    }
}

/// A name as one part of a path, which is decoded once, other than a query.
fn within(path: &str, name: &str) -> String {
    let mut address = format!("{path}/");
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                address.push(char::from(byte));
            }
            _ => write!(address, "%{byte:02X}").expect("a String takes every write"),
        }
    }
    address
}

/// The executions.
pub(crate) const EXECUTIONS: &str = "/executions";

/// One execution. Its name may hold anything.
pub(crate) fn execution(id: &str) -> String {
    within(EXECUTIONS, id)
}

/// The workers.
pub(crate) const WORKERS: &str = "/workers";

/// One worker. Its name may hold anything.
pub(crate) fn worker(name: &str) -> String {
    within(WORKERS, name)
}

/// The page of a new replay.
pub(crate) const NEW_REPLAY: &str = "/replays/new";

/// The page of a new replay of what waits of a group.
#[must_use]
pub fn replay_of_group(id: GroupId) -> String {
    with_query(NEW_REPLAY, [("scope", "matching"), ("q", &*waiting_of_group(id))])
}

/// The filter of what waits of a group: the letters that are counted, no fewer. What cannot go is left out of a
/// replay with its reason.
pub(crate) fn waiting_of_group(id: GroupId) -> String {
    format!("{} {WAITING}", of_group(id))
}

/// The page of a new replay of one letter.
pub(crate) fn replay_letter(id: LetterId) -> String {
    with_query(NEW_REPLAY, [("ids[]", &*id.to_string())])
}

/// The letters that a form's fields name.
pub(crate) fn letters(form: &FilterForm) -> String {
    letters_matching(&form.clone().into())
}

/// The letters that a filter matches.
pub(crate) fn letters_matching(filter: &LetterFilter) -> String {
    let owned = fields(filter);
    with_query(LETTERS, owned.iter().map(|(name, value)| (*name, value.as_str())))
}

/// Letters that wait for somebody, as a filter.
pub(crate) const WAITING: &str = "state:(held,scheduled,unknown)";

/// A group's letters, as a filter.
pub(crate) fn of_group(id: GroupId) -> String {
    LetterFilter::of_group(id).to_string()
}

/// A filter as the fields of a form; what none of them can hold is `q`.
pub(crate) fn fields(filter: &LetterFilter) -> Vec<(&'static str, String)> {
    let (form, rest) = filter.form();
    [
        ("source", form.source),
        ("queue", form.queue),
        ("reason", form.reason.map(|v| v.to_string())),
        ("state", form.state.map(|v| v.to_string())),
        ("severity", form.severity.map(|v| v.to_string())),
        ("error_class", form.error_class),
        ("since", form.since.map(|v| v.to_string())),
        ("until", form.until.map(|v| v.to_string())),
        ("q", (!rest.is_empty()).then(|| rest.to_string())),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name, value?)))
    .collect()
}

/// The filter that a page's address names.
pub(crate) fn filter_of(query: &Query) -> Result<LetterFilter, FilterFault> {
    LetterFilter::from_query(query.pairs())
}

/// One letter.
pub(crate) fn letter(id: LetterId) -> String {
    format!("/letters/{id}")
}

/// The form that edits a letter's body.
pub(crate) fn edit(id: LetterId) -> String {
    format!("/letters/{id}/edit")
}

/// What a replay sent in place of a letter's body.
pub(crate) fn sent(id: LetterId, replay: ReplayId) -> String {
    format!("/letters/{id}/sent/{replay}")
}

/// What an arrival has that an earlier one had not.
pub(crate) fn arrival(id: LetterId, ordinal: i32) -> String {
    format!("/letters/{id}/arrivals/{ordinal}")
}

/// The bytes of one arrival.
pub(crate) fn body(id: LetterId, arrival: &str) -> String {
    with_query(&format!("/letters/{id}/body"), [("arrival", arrival)])
}

/// One replay.
pub(crate) fn replay(id: ReplayId) -> String {
    format!("/replays/{id}")
}

/// A replay, and where its unknown letters would be looked for.
pub(crate) fn search(id: ReplayId) -> String {
    format!("/replays/{id}?search=yes#search")
}

/// One group.
#[must_use]
pub fn group(id: GroupId) -> String {
    format!("{GROUPS}/{id}")
}

/// The list of groups, to choose the one that a group is merged into.
pub(crate) fn merge_of_group(id: GroupId) -> String {
    with_query(GROUPS, [("merge", &*id.to_string())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_names_cannot_leave_their_value() {
        let address = with_query("/letters", [("queue", "a&b=c #ä%41\"<"), ("q", "")]);
        assert_eq!(address, "/letters?queue=a%26b%3Dc+%23%C3%A4%2541%22%3C");
    }

    #[test]
    fn a_worker_may_be_called_anything() {
        assert_eq!(worker("celery@a b/%<7"), "/workers/celery%40a%20b%2F%25%3C7");
    }

    #[test]
    fn a_queue_may_be_called_anything() {
        assert_eq!(queue("main", "/", "a/b%<c>?#"), "/queues/main/%2F/a%2Fb%25%3Cc%3E%3F%23");
    }

    #[test]
    fn an_execution_may_be_called_anything() {
        assert_eq!(execution("job/7 of a?%"), "/executions/job%2F7%20of%20a%3F%25");
    }

    #[test]
    fn a_filter_comes_back_from_its_address() {
        let filter = LetterFilter::parse(
            r#"source:orders.dead queue:"with space" reason:expired state:held severity:low error_class:A.B since:1h until:90s"#,
        )
        .expect("a filter");
        let pairs = fields(&filter);
        let again = LetterFilter::from_query(pairs.iter().map(|(n, v)| (*n, v.as_str())));
        assert_eq!(again, Ok(filter));
        assert!(pairs.contains(&("since", "1h".to_owned())));
        assert!(pairs.iter().all(|(name, _)| *name != "q"));
    }

    #[test]
    fn filters_are_put_together() {
        assert_eq!(
            letters_within("group:7", "header.x-version:2.3.1"),
            "/letters?q=group:7+header.x-version:2.3.1"
        );
        assert!(LetterFilter::parse(WAITING).is_ok());
        let odd = letters_within("", r#"queue:"a & b%""#);
        assert_eq!(odd, "/letters?q=queue:%22a+%26+b%25%22");
    }

    #[test]
    fn what_no_field_can_hold_stays_text() {
        let filter =
            LetterFilter::parse("queue:a -state:held size:>1kb (b OR c)").expect("readable");
        let pairs = fields(&filter);
        assert_eq!(
            pairs,
            [("queue", "a".to_owned()), ("q", "-state:held size:>1kb (b OR c)".to_owned())]
        );
    }
}
