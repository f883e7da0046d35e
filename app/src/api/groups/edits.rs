//! What the forms of a group hold, read as edits of it; and the edits carried out.

use chrono::TimeDelta;
use dlo_domain::audit::Actor;
use dlo_domain::group::{GroupEdit, GroupState, Mute, NotAGroupState};
use dlo_domain::grouping::SignatureId;
use dlo_domain::ids::GroupId;

use crate::error::ApiError;

/// The longest mute by time: a year.
const MOST_HOURS: i64 = 8_760;

/// Edits a group and goes back to its page.
pub(super) async fn carry_out(id: &str, edit: GroupEdit) -> Result<(), ApiError> {
    let id: GroupId = crate::api::id(id, "group")?;
    let operator = Actor::local_operator();
    let desk = crate::desk::desk();
    let group = desk.edit_group(&operator, id, &edit).await?;
    let page = crate::links::group(group.summary.id);
    crate::request::go_on_to(&format!("{page}?notice=group"));
    Ok(())
}

/// Writes down what is not yet so; a form that says nothing new changes nothing.
pub(super) async fn describe(
    id: &str,
    owner: &str,
    ticket_url: &str,
    tags: &str,
) -> Result<(), ApiError> {
    let group_id: GroupId = crate::api::id(id, "group")?;
    let now = crate::desk::desk().group(group_id).await?.summary;
    let given = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    let (owner, ticket_url, tags) = (given(owner), given(ticket_url), split_tags(tags));
    let edit = GroupEdit {
        owner: (owner != now.owner).then_some(owner),
        ticket_url: (ticket_url != now.ticket_url).then_some(ticket_url),
        tags: (tags != now.tags).then_some(tags),
        ..GroupEdit::default()
    };
    if edit == GroupEdit::default() {
        return Err(ApiError::invalid("Nothing is changed: the group says so already."));
    }
    carry_out(id, edit).await
}

/// The words between commas, each once.
fn split_tags(text: &str) -> Vec<String> {
    let mut tags: Vec<String> = Vec::new();
    for tag in text.split(',').map(str::trim).filter(|tag| !tag.is_empty()) {
        if !tags.iter().any(|known| known == tag) {
            tags.push(tag.to_owned());
        }
    }
    tags
}

pub(super) fn state(word: &str) -> Result<GroupState, ApiError> {
    let state = word.parse();
    state.map_err(|fault: NotAGroupState| ApiError::invalid(fault.to_string()))
}

pub(super) fn mute(hours: &str, arrivals: &str, per_hour: &str) -> Result<Mute, ApiError> {
    let until = number(hours, "The number of hours")?;
    if until.is_some_and(|hours| hours > MOST_HOURS) {
        return Err(ApiError::invalid("A mute ends after a year at most."));
    }
    let mute = Mute {
        until: until.map(|hours| crate::request::now() + TimeDelta::hours(hours)),
        arrivals: number(arrivals, "The number of letters")?,
        per_hour: number(per_hour, "The number of letters an hour")?,
    };
    if mute == Mute::default() {
        return Err(ApiError::invalid(
            "A mute needs an end: choose a time, or give a number of letters.",
        ));
    }
    Ok(mute)
}

/// A number that is at least 1; none when the field is empty.
fn number(text: &str, what: &str) -> Result<Option<i64>, ApiError> {
    match text.trim() {
        "" => Ok(None),
        digits => match digits.parse() {
            Ok(number) if number >= 1 => Ok(Some(number)),
            _ => Err(ApiError::invalid(format!("{what} must be a whole number from 1 on."))),
        },
    }
}

pub(super) fn signatures(texts: Vec<String>) -> Result<Vec<SignatureId>, ApiError> {
    let ids = texts.into_iter().map(SignatureId::try_from);
    let ids: Result<_, _> = ids.collect();
    ids.map_err(|_| ApiError::invalid("That is no signature of this group: load the page again."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_the_words_between_commas() {
        assert_eq!(split_tags(" money, release,,money "), ["money", "release"]);
        assert!(split_tags(" , ").is_empty());
    }

    #[test]
    fn a_mute_has_the_ends_that_are_given() {
        let mute = mute("", "10", " 5 ").expect("a mute");
        assert_eq!((mute.until, mute.arrivals, mute.per_hour), (None, Some(10), Some(5)));
    }

    #[test]
    fn a_mute_without_an_end_or_with_an_odd_one_is_refused() {
        for [hours, arrivals, per_hour] in [
            ["", "", " "],
            ["9999999999", "", ""],
            ["8", "0", ""],
            ["", "many", ""],
            ["", "", "-1"],
        ] {
            let refused = mute(hours, arrivals, per_hour);
            assert!(
                matches!(refused, Err(ApiError::Invalid { .. })),
                "{hours:?} {arrivals:?} {per_hour:?}"
            );
        }
    }
}
