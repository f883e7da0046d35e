//! Queues: the picture, what can be lost, and the table. What is shown is put into words and places
//! here, so that the browser has nothing to reckon with.
#![expect(
    missing_docs,
    reason = "arguments of a server function become fields that have no place for a comment"
)]

use dlo_domain::severity::Severity;
use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;
use serde::{Deserialize, Serialize};

use super::Said;
use crate::codec::Json;
use crate::error::ApiError;

/// The queues of one vhost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QueueSheet {
    /// In a sentence.
    pub heading: Said,
    /// What is not well, or not known.
    pub notes: Vec<String>,
    /// Which vhost, and when it was read.
    pub place: String,
    /// Other vhosts: the address, and what it is called.
    pub others: Vec<(String, String)>,
    /// The picture; nothing when there is nothing to draw.
    pub picture: Option<Picture>,
    /// The address of the picture of all, or of those with findings only, and what it is called.
    pub switch: (String, String),
    /// What can be lost.
    pub findings: Vec<FindingRow>,
    /// The queues.
    pub rows: Vec<QueueRow>,
    /// What is left out of the table, if anything.
    pub rest: String,
}

/// A finding as the list shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FindingRow {
    /// Its id.
    pub id: String,
    /// Its place in the list, from 1.
    pub number: usize,
    /// How bad it is.
    pub severity: Severity,
    /// In a line.
    pub title: String,
    /// What is lost.
    pub lost: String,
    /// What mends it.
    pub fix: String,
    /// A command that does.
    pub command: String,
    /// Since when, and who took note of it.
    pub since: String,
    /// Whether somebody took note of it.
    pub acknowledged: bool,
    /// Where more can be done about it: the address, and what it is called.
    pub link: Option<(String, String)>,
}

/// A queue as the table shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QueueRow {
    /// Its name.
    pub name: String,
    /// Its page.
    pub href: String,
    /// What it is.
    pub kind: String,
    /// Messages that wait.
    pub ready: String,
    /// Messages in and out, a second.
    pub rates: String,
    /// Consumers.
    pub consumers: String,
    /// Where its dead letters go.
    pub target: Said,
    /// The finding: its number and how bad it is.
    pub finding: Option<(usize, Severity)>,
    /// What can be done: the address, and what it is called.
    pub link: Option<(String, String)>,
}

/// A picture, ready to be drawn.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Picture {
    /// Its height; its width is always the same.
    pub height: i32,
    /// In a sentence.
    pub says: String,
    /// Lines: how they look, and their way.
    pub lines: Vec<(String, String)>,
    /// Boxes.
    pub boxes: Vec<PictureBox>,
    /// Words beside lines: how they look, where, and what.
    pub words: Vec<(String, i32, i32, String)>,
    /// Numbers of findings: how bad it is, where, and which.
    pub marks: Vec<(Severity, i32, i32, usize)>,
    /// The same in lines, for a narrow screen.
    pub routes: Vec<PictureRoute>,
}

/// The way of one queue's dead letters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PictureRoute {
    /// The queue.
    pub name: String,
    /// Its page.
    pub href: String,
    /// How full and busy it is.
    pub note: String,
    /// The finding: its number and how bad it is.
    pub finding: Option<(usize, Severity)>,
    /// The exchange that they go over; empty where there is none.
    pub over: String,
    /// Where they come to.
    pub ends: Said,
}

/// A box of a picture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PictureBox {
    /// How it looks.
    pub class: String,
    /// From the left.
    pub x: i32,
    /// From the top.
    pub y: i32,
    /// How wide.
    pub width: i32,
    /// What it is called.
    pub name: String,
    /// Where it leads; empty where it leads nowhere.
    pub href: String,
    /// What is said of it, at its end.
    pub note: String,
}

/// The queues of a vhost; of the one with the most findings where none is named. With `show` as `all`
/// the picture has every queue that dead-letters, else those with findings.
///
/// # Errors
/// A desk that does not answer.
#[server(prefix = "/ui", endpoint = "queues", input = GetUrl, output = Json)]
pub async fn read_queues(
    #[server(default)] broker: String,
    #[server(default)] vhost: String,
    #[server(default)] show: String,
) -> Result<QueueSheet, ApiError> {
    sheet::of(&broker, &vhost, show == "all").await
}

/// Has all brokers read again.
///
/// # Errors
/// A desk that does not answer.
#[server(prefix = "/ui", endpoint = "queues/check", output = Json)]
pub async fn check_queues() -> Result<(), ApiError> {
    crate::desk::desk().check_topology().await?;
    crate::request::go_on_to("/queues?notice=checking");
    Ok(())
}

/// Takes note of a finding, takes that back, or mutes it for a week: `word` is `note`, `forget` or
/// `mute`.
///
/// # Errors
/// No such finding, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "queues/finding", output = Json)]
pub async fn judge_finding(id: String, word: String) -> Result<(), ApiError> {
    let id: dlo_domain::ids::FindingId = super::id(&id, "finding")?;
    let edit = dlo_domain::topology::FindingEdit {
        acknowledged: match word.as_str() {
            "note" => Some(true),
            "forget" => Some(false),
            _ => None,
        },
        mute_hours: (word == "mute").then_some(7 * 24),
    };
    crate::desk::desk().edit_finding(&dlo_domain::audit::Actor::local_operator(), id, edit).await?;
    crate::request::go_on_to("/queues?notice=finding");
    Ok(())
}

#[cfg(feature = "ssr")]
mod delays;
#[cfg(feature = "ssr")]
mod picture;
#[cfg(feature = "ssr")]
mod places;
#[cfg(feature = "ssr")]
pub(super) mod rows;
#[cfg(feature = "ssr")]
mod sheet;
