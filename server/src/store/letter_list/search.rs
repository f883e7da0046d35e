//! Pages of a filter that may match few letters, within a time: whoever asks gets what was found,
//! and is told how far back that was looked for.
//!
//! Two ways lead to the letters. Postgres can plan for the whole filter, which finds the rare by
//! an index and can take any time. Or the letters are walked, newest first, in steps whose ends
//! are known: that finds the frequent at once, and can stop anywhere. A search tries the first
//! for a part of its time and falls back to the second; where only other tables know, it walks a
//! little first. What long texts say beyond the index of texts is found by the second only.

use std::time::Duration;

use chrono::{DateTime, Utc};
use dlo_domain::letter::LetterSummary;
use dlo_domain::page::{Cursor, Span};
use sqlx::{Connection as _, PgConnection};

use super::by_text::by_text;
use super::walk::Walk;
use super::{Matching, limit_time};
use crate::store::StoreError;

/// How long a search may take.
#[derive(Debug, Clone, Copy)]
pub struct SearchTime {
    /// With a plan for the whole filter; zero leaves that out.
    pub planned: Duration,
    /// In all, about. The first step of a walk is always made, so that a search never stands still.
    pub whole: Duration,
}

impl SearchTime {
    /// So long in all.
    #[must_use]
    pub fn within(whole: Duration) -> Self {
        Self { planned: whole * 11 / 18, whole }
    }
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Letters, last arrived first.
    pub letters: Vec<LetterSummary>,
    /// Where the search stopped because its time was over: letters after this place were not
    /// looked at, and the next page goes on from here.
    pub stopped_at: Option<Cursor>,
    /// Letters whose texts were not read, since too many are not in the index of texts yet: those
    /// of them that match are missing.
    pub unread: Option<Span>,
    /// Of letters that arrived before this, what their texts say beyond the index was not read: those that match by it
    /// are missing.
    pub texts_read_back_to: Option<DateTime<Utc>>,
}

impl Found {
    pub(super) fn all(letters: Vec<LetterSummary>) -> Self {
        Self { letters, stopped_at: None, unread: None, texts_read_back_to: None }
    }
}

/// At most `limit` letters after the cursor, last arrived first, as far as the time reaches.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn search(
    conn: &mut PgConnection,
    matching: &Matching,
    after: Option<Cursor>,
    limit: i64,
    time: SearchTime,
) -> Result<Found, StoreError> {
    if matching.is_empty() {
        let letters = super::page(conn, matching, after, limit).await?;
        return Ok(Found::all(letters));
    }
    let mut walk = Walk::new(matching, after, limit, time.whole);
    if !matching.is_about_columns() && walk.step(conn).await? {
        return Ok(walk.found());
    }
    let planned = async |conn: &mut PgConnection| {
        if matching.has_texts() {
            by_text(conn, matching, after, limit, time.whole / 3).await
        } else {
            let letters = super::page(conn, matching, after, limit).await?;
            Ok(Some(Found::all(letters)))
        }
    };
    let found = match time.planned {
        Duration::ZERO => None,
        most => within(conn, most, planned).await?.flatten(),
    };
    match found {
        Some(found) if matching.has_texts() && matching.are_texts_in_part() => {
            walk.go_beyond_the_index(&found.letters);
            walk.go_on(conn).await?;
            Ok(walk.found_with(found))
        }
        Some(found) => Ok(found),
        None => {
            walk.go_on(conn).await?;
            Ok(walk.found())
        }
    }
}

/// Does something that only reads for at most this long: `None` when it was not enough. The
/// transaction is good afterwards.
///
/// # Errors
/// When Postgres does not do it for another reason.
pub async fn within<T>(
    conn: &mut PgConnection,
    most: Duration,
    reading: impl AsyncFnOnce(&mut PgConnection) -> Result<T, StoreError>,
) -> Result<Option<T>, StoreError> {
    let mut attempt = conn.begin().await?;
    limit_time(&mut attempt, most).await?;
    let done = reading(&mut attempt).await;
    // The limit holds for this statement too, which a busy machine may not get to in time. What is dropped is
    // taken back all the same, before the next statement.
    match attempt.rollback().await.map_err(StoreError::from) {
        Err(why) if why.is_too_late() => {}
        taken_back => taken_back?,
    }
    match done {
        Err(why) if why.is_too_late() => Ok(None),
        done => done.map(Some),
    }
}
