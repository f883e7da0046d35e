//! Silences, depths and deaths on one axis.
#![expect(
    missing_docs,
    reason = "arguments of a server function become fields that have no place for a comment"
)]

#[cfg(feature = "ssr")]
use dlo_domain::timeline::About;
use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;
use serde::{Deserialize, Serialize};

use crate::codec::Json;
use crate::error::ApiError;

#[cfg(feature = "ssr")]
mod drawing;

/// A timeline, drawn: places are in hundredths of a percent of the width. What is shown is put into
/// words and measures on the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drawing {
    /// How far it reaches back, as in the address.
    pub reach: String,
    /// In a sentence.
    pub says: String,
    /// Nothing but deaths is on it, or nothing at all.
    pub is_plain: bool,
    /// The rows, from above.
    pub lanes: Vec<Lane>,
    /// Times of day below the rows, with their places.
    pub hours: Vec<(i64, String)>,
    /// The same in words: when, and what in each row.
    pub table: Table,
}

/// A row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lane {
    /// Whose.
    pub name: String,
    /// Where that leads, if it does.
    pub href: String,
    /// What is to be said of it.
    pub says: String,
    /// What is drawn.
    pub shape: Shape,
}

/// What is drawn in a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shape {
    /// Bars, as one path within 600 times 100.
    Bars(String),
    /// A line of steps, as one path within 600 times 100.
    Line(String),
    /// Bands.
    Bands(Vec<Stretch>),
}

/// A band.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stretch {
    /// `silent`, `draining` or `stopped`; `alert` and how bad it is.
    pub away: String,
    /// Where it begins.
    pub from: i64,
    /// How wide it is.
    pub width: i64,
    /// In words.
    pub says: String,
}

/// The figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// What stands above the columns, the time first.
    pub heads: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
    /// The bands, one a line.
    pub bands: Vec<String>,
}

/// The timeline of everything, or of a group (`about`, and its id in `of`), over `6h` or `24h`.
///
/// # Errors
/// No such group, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "timeline", input = GetUrl, output = Json)]
pub async fn read_timeline(
    #[server(default)] about: String,
    #[server(default)] of: String,
    #[server(default)] reach: String,
) -> Result<Drawing, ApiError> {
    let about = match about.as_str() {
        "group" => About::Group(super::id(&of, "group")?),
        _ => About::Everything,
    };
    drawn(&about, &reach).await
}

/// A timeline over `6h` or `24h`, drawn.
///
/// # Errors
/// No such group or worker, or a desk that does not answer.
#[cfg(feature = "ssr")]
pub(crate) async fn drawn(about: &About, reach: &str) -> Result<Drawing, ApiError> {
    let reach = reach.parse().unwrap_or_default();
    let timeline = crate::desk::desk().timeline(about, reach).await?;
    Ok(drawing::of(&timeline))
}
