//! What people do with a group: one form each.

use dlo_domain::audit::Actor;
use dlo_domain::group::{GroupEdit, GroupState};
use dlo_domain::ids::GroupId;
use leptos::prelude::*;

use super::reading;
use crate::desk::desk;
use crate::error::ApiError;
use crate::request::go_on_to;
use crate::{api, links};

/// Says where a group stands from now on: open, investigating or resolved.
///
/// # Errors
/// No such group or state, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "groups/state")]
pub(crate) async fn set_group_state(id: String, state: String) -> Result<(), ApiError> {
    let edit = GroupEdit { state: Some(reading::state(&state)?), ..Default::default() };
    carry_out(&id, edit).await
}

/// Mutes a group for so many hours, until so many more letters, or until so many come in an hour:
/// whatever is first. What is empty does not count.
///
/// # Errors
/// No such group, no end, an end that is no number, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "groups/mute")]
pub(crate) async fn mute_group(
    id: String,
    #[server(default)] hours: String,
    #[server(default)] arrivals: String,
    #[server(default)] per_hour: String,
) -> Result<(), ApiError> {
    let edit = GroupEdit {
        state: Some(GroupState::Muted),
        mute: Some(reading::mute(&hours, &arrivals, &per_hour)?),
        ..Default::default()
    };
    carry_out(&id, edit).await
}

/// Writes down whose a group is, its ticket's address, and its tags, divided by commas. What is
/// empty is taken away.
///
/// # Errors
/// No such group, an address that none can follow, too many tags, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "groups/particulars")]
pub(crate) async fn describe_group(
    id: String,
    #[server(default)] owner: String,
    #[server(default)] ticket_url: String,
    #[server(default)] tags: String,
) -> Result<(), ApiError> {
    let group_id: GroupId = api::id(&id, "group")?;
    let now = desk().group(group_id).await?.summary;
    let given = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    let (owner, ticket_url, tags) = (given(&owner), given(&ticket_url), reading::tags(&tags));
    let edit = GroupEdit {
        owner: (owner != now.owner).then_some(owner),
        ticket_url: (ticket_url != now.ticket_url).then_some(ticket_url),
        tags: (tags != now.tags).then_some(tags),
        ..GroupEdit::default()
    };
    if edit == GroupEdit::default() {
        return Err(ApiError::invalid("Nothing was changed: the group already has these values."));
    }
    carry_out(&id, edit).await
}

/// Writes a note into a group's timeline.
///
/// # Errors
/// No such group, an empty note or one that is too long, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "groups/note")]
pub(crate) async fn note_group(
    id: String,
    #[server(default)] note: String,
) -> Result<(), ApiError> {
    let edit = GroupEdit {
        // Browsers send line ends as two characters.
        note: Some(note.replace("\r\n", "\n").trim().to_owned()),
        ..Default::default()
    };
    carry_out(&id, edit).await
}

/// Moves the selected signatures of a group into a new one; leads there.
///
/// # Errors
/// No such group, no signature selected or all of them, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "groups/split")]
pub(crate) async fn split_group(
    id: String,
    #[server(default)] signatures: Vec<String>,
) -> Result<(), ApiError> {
    if signatures.is_empty() {
        return Err(ApiError::invalid(
            "No signature is selected. Select those that leave the group.",
        ));
    }
    let split = dlo_domain::group::SplitGroup {
        group: api::id(&id, "group")?,
        signatures: reading::signatures(signatures)?,
    };
    let new = desk().split_group(&Actor::local_operator(), &split).await?;
    go_on_to(&links::told(&links::group(new), "split"));
    Ok(())
}

/// Edits a group and goes back to its page.
async fn carry_out(id: &str, edit: GroupEdit) -> Result<(), ApiError> {
    let id: GroupId = api::id(id, "group")?;
    let group = desk().edit_group(&Actor::local_operator(), id, &edit).await?;
    go_on_to(&links::told(&links::group(group.summary.id), "group"));
    Ok(())
}
