//! Silences, depths and deaths on one axis.

mod drawing;

pub(super) use drawing::draw;

use chrono::{DateTime, Utc};
use dlo_domain::timeline::About;

use crate::desk::desk;
use crate::error::ApiError;

/// A timeline, drawn: places are in hundredths of a percent of the width. What is shown is put into
/// words and measures on the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Drawing {
    /// How far it reaches back, as in the address.
    pub(super) reach: String,
    /// In a sentence.
    pub(super) says: String,
    /// Nothing but deaths is on it, or nothing at all.
    pub(super) is_plain: bool,
    /// The rows, from above.
    pub(super) lanes: Vec<Lane>,
    /// Times of day below the rows, with their places.
    pub(super) hours: Vec<(i64, DateTime<Utc>)>,
    /// The same in words: when, and what in each row.
    pub(super) table: Table,
}

/// A row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lane {
    /// Whose.
    pub(super) name: String,
    /// Where that leads, if it does.
    pub(super) href: String,
    /// What is to be said of it.
    pub(super) says: String,
    /// What is drawn.
    pub(super) shape: Shape,
}

/// What is drawn in a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shape {
    /// Bars, as one path within 600 times 100.
    Bars(String),
    /// A line of steps, as one path within 600 times 100.
    Line(String),
    /// Bands.
    Bands(Vec<Stretch>),
}

/// A band.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stretch {
    /// `silent`, `draining` or `stopped`; `alert` and how bad it is.
    pub(super) away: String,
    /// Where it begins.
    pub(super) from: i64,
    /// How wide it is.
    pub(super) width: i64,
    /// In words.
    pub(super) says: String,
}

/// The figures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Table {
    /// What stands above the columns, the time first.
    pub(super) heads: Vec<String>,
    /// The rows: from when, and what in each column.
    pub(super) rows: Vec<(DateTime<Utc>, Vec<String>)>,
    /// The bands, one a line.
    pub(super) bands: Vec<String>,
}

/// A timeline over `6h` or `24h`, drawn.
///
/// # Errors
/// No such group or worker, or a desk that does not answer.
pub(super) async fn drawn(about: &About, reach: &str) -> Result<Drawing, ApiError> {
    let reach = reach.parse().unwrap_or_default();
    let timeline = desk().timeline(about, reach).await?;
    Ok(draw(&timeline))
}
