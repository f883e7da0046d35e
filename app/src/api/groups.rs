//! Groups: what failed alike, and what people do with it.
#![expect(
    missing_docs,
    reason = "arguments of a server function become fields that have no place for a comment"
)]

use chrono::{DateTime, Utc};
use dlo_domain::breakdown::Breakdown;
use dlo_domain::causes::Behind;
use dlo_domain::group::{Group, GroupSummary};
use dlo_domain::page::Page;
use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;
use serde::{Deserialize, Serialize};

use crate::codec::Json;
use crate::error::ApiError;

/// Groups on one page of the list.
pub const PAGE: u32 = 50;

/// Groups that another can be merged into by choosing it.
pub const OTHERS: u32 = 50;

/// A page of groups.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupList {
    /// When it was read.
    pub now: DateTime<Utc>,
    /// The groups.
    pub page: Page<GroupSummary>,
}

/// One group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupRead {
    /// When it was read.
    pub now: DateTime<Utc>,
    /// The group; the one that the asked one went into, if that was merged.
    pub group: Group,
    /// What its letters have in common.
    pub breakdown: Breakdown,
    /// The workers and executions behind them.
    pub behind: Behind,
}

/// A page of groups, those with the most and worst letters that wait first; in one state unless
/// `state` is empty.
///
/// # Errors
/// No such state, a cursor that cannot be read, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "groups", input = GetUrl, output = Json)]
pub async fn list_groups(
    #[server(default)] state: String,
    #[server(default)] cursor: String,
) -> Result<GroupList, ApiError> {
    let state = match state.as_str() {
        "" => None,
        word => Some(edits::state(word)?),
    };
    let after = super::cursor(&cursor)?;
    Ok(GroupList {
        page: crate::desk::desk().groups(state, after, PAGE).await?,
        now: crate::request::now(),
    })
}

/// One group.
///
/// # Errors
/// No such group, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "group", input = GetUrl, output = Json)]
pub async fn read_group(id: String) -> Result<GroupRead, ApiError> {
    let (desk, id) = (crate::desk::desk(), super::id(&id, "group")?);
    Ok(GroupRead {
        group: desk.group(id).await?,
        breakdown: desk.group_breakdown(id).await?,
        behind: desk.behind_group(id).await?,
        now: crate::request::now(),
    })
}

/// The worst groups, to choose one of them; one more than is shown, because one is looked at.
///
/// # Errors
/// A desk that does not answer.
#[server(prefix = "/ui", endpoint = "groups/worst", input = GetUrl, output = Json)]
pub async fn worst_groups() -> Result<Vec<GroupSummary>, ApiError> {
    let page = crate::desk::desk().groups(None, None, OTHERS + 1).await?;
    Ok(page.items)
}

/// Says where a group stands from now on: open, investigating or resolved.
///
/// # Errors
/// No such group or state, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "groups/state", output = Json)]
pub async fn set_group_state(id: String, state: String) -> Result<(), ApiError> {
    let edit =
        dlo_domain::group::GroupEdit { state: Some(edits::state(&state)?), ..Default::default() };
    edits::carry_out(&id, edit).await
}

/// Mutes a group for so many hours, until so many more letters, or until so many come in an hour:
/// whatever is first. What is empty does not count.
///
/// # Errors
/// No such group, no end, an end that is no number, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "groups/mute", output = Json)]
pub async fn mute_group(
    id: String,
    #[server(default)] hours: String,
    #[server(default)] arrivals: String,
    #[server(default)] per_hour: String,
) -> Result<(), ApiError> {
    let edit = dlo_domain::group::GroupEdit {
        state: Some(dlo_domain::group::GroupState::Muted),
        mute: Some(edits::mute(&hours, &arrivals, &per_hour)?),
        ..Default::default()
    };
    edits::carry_out(&id, edit).await
}

/// Writes down whose a group is, its ticket's address, and its tags, divided by commas. What is
/// empty is taken away.
///
/// # Errors
/// No such group, an address that none can follow, too many tags, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "groups/particulars", output = Json)]
pub async fn describe_group(
    id: String,
    #[server(default)] owner: String,
    #[server(default)] ticket_url: String,
    #[server(default)] tags: String,
) -> Result<(), ApiError> {
    edits::describe(&id, &owner, &ticket_url, &tags).await
}

/// Writes a note into a group's timeline.
///
/// # Errors
/// No such group, an empty note or one that is too long, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "groups/note", output = Json)]
pub async fn note_group(id: String, #[server(default)] note: String) -> Result<(), ApiError> {
    let edit = dlo_domain::group::GroupEdit {
        // Browsers send line ends as two characters.
        note: Some(note.replace("\r\n", "\n").trim().to_owned()),
        ..Default::default()
    };
    edits::carry_out(&id, edit).await
}

/// Makes a group part of another, for good; leads to that one.
///
/// # Errors
/// No such groups, the same one twice, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "groups/merge", output = Json)]
pub async fn merge_group(id: String, #[server(default)] into: String) -> Result<(), ApiError> {
    if into.is_empty() {
        return Err(ApiError::invalid("Choose the group to merge into."));
    }
    let merge = dlo_domain::group::MergeGroups {
        groups: vec![super::id(&id, "group")?],
        into: super::id(&into, "group")?,
    };
    let operator = dlo_domain::audit::Actor::local_operator();
    let group = crate::desk::desk().merge_groups(&operator, &merge).await?;
    let page = crate::links::group(group.summary.id);
    leptos_axum::redirect(&format!("{page}?notice=merged"));
    Ok(())
}

/// Moves the checked signatures of a group into a new one; leads there.
///
/// # Errors
/// No such group, no signature checked or all of them, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "groups/split", output = Json)]
pub async fn split_group(
    id: String,
    #[server(default)] signatures: Vec<String>,
) -> Result<(), ApiError> {
    if signatures.is_empty() {
        return Err(ApiError::invalid(
            "No signature is checked. Check those that leave the group.",
        ));
    }
    let split = dlo_domain::group::SplitGroup {
        group: super::id(&id, "group")?,
        signatures: edits::signatures(signatures)?,
    };
    let operator = dlo_domain::audit::Actor::local_operator();
    let new = crate::desk::desk().split_group(&operator, &split).await?;
    leptos_axum::redirect(&format!("{}?notice=split", crate::links::group(new)));
    Ok(())
}

/// What forms hold, read as edits.
#[cfg(feature = "ssr")]
mod edits;
