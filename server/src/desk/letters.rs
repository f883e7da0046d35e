//! Letters as they are read: the list, one of them, its bodies.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use dlo_app::desk::DeskError;
use dlo_domain::encoding;
use dlo_domain::filter::{FilterForm, LetterFilter, Moment};
use dlo_domain::ids::LetterId;
use dlo_domain::letter::{Letter, LetterSummary};
use dlo_domain::page::{Cursor, Page};
use dlo_domain::payload::{MOST_SHOWN_BYTES, Payload, read_payload};

use sqlx::{Connection as _, PgConnection};

use super::PgDesk;
use crate::store::StoreError;
use crate::store::letter_detail::{self, BodyPart};
use crate::store::letter_list::{self, Matching};

/// Whoever waits longer than this for a page has gone elsewhere.
const PAGE_WITHIN: Duration = Duration::from_secs(10);
/// A number that is not exact is better than waiting for it.
const COUNT_WITHIN: Duration = Duration::from_secs(1);

pub(super) async fn page(
    desk: &PgDesk,
    filter: &LetterFilter,
    after: Option<Cursor>,
    limit: u32,
) -> Result<Page<LetterSummary>, DeskError> {
    let limit = page_size(limit);
    let now = desk.clock.now();
    let mut transaction = desk.begin().await?;
    let conn = &mut *transaction;
    letter_list::limit_time(conn, PAGE_WITHIN).await?;
    let matching = Matching::look_up(conn, filter, now).await?;
    let mut items = letter_list::page(conn, &matching, after, limit + 1).await?;
    let more = cut(&mut items, limit);
    let estimated_total = if after.is_none() && !more {
        i64::try_from(items.len()).unwrap_or(i64::MAX)
    } else {
        counted(conn, &matching).await?
    };
    let last = items.last().filter(|_| more);
    Ok(Page {
        next_cursor: last.map(|letter| Cursor {
            at: letter.last_arrived_at,
            id: letter.id.0,
        }),
        items,
        estimated_total,
    })
}

/// How many of the letters that match arrived after a moment; exact up to `MOST_COUNTED`.
pub(super) async fn arrived_after(
    desk: &PgDesk,
    filter: &LetterFilter,
    moment: DateTime<Utc>,
) -> Result<i64, DeskError> {
    let now = desk.clock.now();
    // The filter takes letters of its first moment in, and Postgres keeps microseconds.
    let after = moment + TimeDelta::microseconds(1);
    let newer = LetterFilter::from(FilterForm {
        since: Some(Moment::At(after)),
        ..FilterForm::default()
    });
    let filter = filter.and(&newer);
    let mut transaction = desk.begin().await?;
    let conn = &mut *transaction;
    let matching = Matching::look_up(conn, &filter, now).await?;
    counted(conn, &matching).await
}

/// How many letters match, about: a count that would take long is given up.
async fn counted(conn: &mut PgConnection, matching: &Matching) -> Result<i64, DeskError> {
    if matching.is_empty() {
        return Ok(letter_list::count(conn, matching).await?);
    }
    let mut attempt = conn.begin().await.map_err(super::error::of_sqlx)?;
    letter_list::limit_time(&mut attempt, COUNT_WITHIN).await?;
    let done = letter_list::count(&mut attempt, matching).await;
    let is_too_late = done.as_ref().err().is_some_and(StoreError::is_too_late);
    // Going back to before it makes the transaction good again.
    attempt.rollback().await.map_err(super::error::of_sqlx)?;
    if is_too_late {
        return Ok(letter_list::MOST_COUNTED);
    }
    Ok(done?)
}

/// What is asked for, within the limits of a page.
pub(super) fn page_size(limit: u32) -> i64 {
    i64::from(limit.clamp(1, 500))
}

/// Cuts the item that was read only to see whether there are more.
pub(super) fn cut<T>(items: &mut Vec<T>, limit: i64) -> bool {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let more = items.len() > limit;
    items.truncate(limit);
    more
}

pub(super) async fn one(desk: &PgDesk, id: LetterId) -> Result<Letter, DeskError> {
    let mut conn = desk.begin().await?;
    let letter = letter_detail::letter(&mut conn, id).await?;
    letter.ok_or_else(|| no_letter(id))
}

pub(super) fn no_letter(id: LetterId) -> DeskError {
    DeskError::NotFound(format!("there is no letter {id}"))
}

pub(super) async fn payload(
    desk: &PgDesk,
    id: LetterId,
    ordinal: Option<i32>,
) -> Result<Payload, DeskError> {
    let most = i32::try_from(MOST_SHOWN_BYTES).unwrap_or(i32::MAX);
    let part = part(desk, id, ordinal, most).await?;
    let content_type = part.content_type.as_deref();
    let mut payload = read_payload(&part.bytes, part.size_bytes, content_type);
    let encoding = part.content_encoding.as_deref();
    let remarks = encoding::remarks(content_type, encoding, &part.bytes, payload.whole);
    payload.notes.extend(remarks);
    Ok(payload)
}

pub(super) async fn body(
    desk: &PgDesk,
    id: LetterId,
    ordinal: Option<i32>,
) -> Result<Vec<u8>, DeskError> {
    Ok(part(desk, id, ordinal, i32::MAX).await?.bytes)
}

async fn part(
    desk: &PgDesk,
    id: LetterId,
    ordinal: Option<i32>,
    most: i32,
) -> Result<BodyPart, DeskError> {
    let mut conn = desk.begin().await?;
    let part = letter_detail::body(&mut conn, id, ordinal, most).await?;
    part.ok_or_else(|| match ordinal {
        None => no_letter(id),
        Some(ordinal) => {
            DeskError::NotFound(format!("there is no arrival {ordinal} of a letter {id}"))
        }
    })
}
