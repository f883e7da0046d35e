//! Pages of a filter that may match few letters, within a time: whoever asks gets what was found,
//! and is told how far back that was looked for.
//!
//! Two ways lead to the letters. Postgres can plan for the whole filter, which finds the rare by
//! an index and can take any time. Or the letters are walked, newest first, in steps whose ends
//! are known: that finds the frequent at once, and can stop anywhere. A search tries the first
//! for a part of its time and falls back to the second; where only other tables know, it walks a
//! little first.

use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use dlo_domain::letter::LetterSummary;
use dlo_domain::page::{Cursor, Span};
use sqlx::{Connection as _, PgConnection, QueryBuilder};
use uuid::Uuid;

use super::by_text::by_text;
use super::{Matching, limit_time, page_of, write_columns, write_order, write_place};
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
}

impl Found {
    pub(super) fn all(letters: Vec<LetterSummary>) -> Self {
        Self { letters, stopped_at: None, unread: None }
    }
}

/// Letters of a walk's first step: some 20 ms.
const FIRST_STEP: i64 = 1_000;
/// The most letters of one step.
const LONGEST_STEP: i64 = 50_000;
/// A step that has less than this is not begun.
const SHORTEST_STEP: Duration = Duration::from_millis(30);

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
    if let Some(found) = found {
        return Ok(found);
    }
    while walk.may_go_on() {
        if walk.step(conn).await? {
            break;
        }
    }
    Ok(walk.found())
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

/// A search through the letters in their order.
struct Walk {
    matching: Matching,
    limit: i64,
    began: Instant,
    whole: Duration,
    /// Time spent in steps, and the letters that they looked at.
    spent: Duration,
    looked_at: i64,
    /// Where it is.
    at: Option<Cursor>,
    letters: Vec<LetterSummary>,
    is_done: bool,
}

impl Walk {
    fn new(matching: &Matching, after: Option<Cursor>, limit: i64, whole: Duration) -> Self {
        Self {
            matching: matching.by_letter(),
            limit,
            began: Instant::now(),
            whole,
            spent: Duration::ZERO,
            looked_at: 0,
            at: after,
            letters: Vec::new(),
            is_done: false,
        }
    }

    fn left(&self) -> Duration {
        self.whole.saturating_sub(self.began.elapsed())
    }

    fn may_go_on(&self) -> bool {
        self.looked_at == 0 || self.left() > SHORTEST_STEP
    }

    /// As many letters as half of the time that is left is enough for, by the steps so far.
    fn length(&self) -> i64 {
        if self.looked_at == 0 {
            return FIRST_STEP;
        }
        let time = self.left().as_micros() / 2;
        let length =
            time * u128::from(self.looked_at.unsigned_abs()) / self.spent.as_micros().max(1);
        i64::try_from(length).map_or(LONGEST_STEP, |length| length.clamp(100, LONGEST_STEP))
    }

    /// Looks at some more letters; tells whether the search is over. The first step is made
    /// whatever it takes, on a machine that has to fetch everything from its disk.
    async fn step(&mut self, conn: &mut PgConnection) -> Result<bool, StoreError> {
        let began = Instant::now();
        let length = self.length();
        let wanted = self.limit - i64::try_from(self.letters.len()).unwrap_or(i64::MAX);
        let (matching, at) = (&self.matching, self.at);
        let step = async |conn: &mut PgConnection| {
            let end = place_after(conn, at, length).await?;
            let mut sql = QueryBuilder::new("");
            write_columns(&mut sql);
            sql.push(" where ");
            matching.write(&mut sql);
            write_place(&mut sql, "<", at);
            write_place(&mut sql, ">=", end);
            write_order(&mut sql, wanted);
            Ok((end, page_of(conn, sql).await?))
        };
        let done = if self.looked_at == 0 {
            Some(step(conn).await?)
        } else {
            within(conn, self.left(), step).await?
        };
        let Some((end, letters)) = done else {
            return Ok(true);
        };
        self.spent += began.elapsed();
        self.looked_at += length;
        self.letters.extend(letters);
        self.at = end;
        self.is_done = end.is_none()
            || i64::try_from(self.letters.len()).is_ok_and(|found| found >= self.limit);
        Ok(self.is_done)
    }

    fn found(self) -> Found {
        let stopped_at = self.at.filter(|_| !self.is_done);
        Found { letters: self.letters, stopped_at, unread: None }
    }
}

/// The place of the letter that is so many after a place; `None` where fewer are left.
async fn place_after(
    conn: &mut PgConnection,
    at: Option<Cursor>,
    letters: i64,
) -> Result<Option<Cursor>, StoreError> {
    let mut sql = QueryBuilder::new("select l.last_arrived_at, l.id from letters l where true");
    write_place(&mut sql, "<", at);
    sql.push(" order by l.last_arrived_at desc, l.id desc offset ")
        .push_bind(letters - 1)
        .push(" limit 1");
    let place: Option<(DateTime<Utc>, Uuid)> =
        sql.build_query_as().persistent(false).fetch_optional(conn).await?;
    Ok(place.map(|(at, id)| Cursor { at, id }))
}
