//! Letters as they are read: the list, one of them, its bodies.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use dlo_app::desk::DeskError;
use dlo_domain::arrival::Arrival;
use dlo_domain::decoding::MessageTypes;
use dlo_domain::filter::{FilterForm, LetterFilter, Moment};
use dlo_domain::ids::LetterId;
use dlo_domain::letter::{Letter, LetterSummary};
use dlo_domain::page::{Cursor, Page, Total};
use dlo_domain::payload::{BodyPart, BodyRange, MOST_SHOWN_BYTES, Payload, read_payload};

use sqlx::PgConnection;

use super::PgDesk;
use crate::store::letter_detail::{self, StoredBody};
use crate::store::letter_list::{self, Matching, SearchTime};
use crate::transform::offload::BodySlot;

/// What is read of a body to show it.
#[expect(clippy::cast_possible_truncation, reason = "it is 256 KiB")]
pub(super) const BEGINNING: BodyRange = BodyRange { from: 0, most: MOST_SHOWN_BYTES as u32 };

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
    letter_list::limit_time(conn, desk.patience.answer).await?;
    let matching = Matching::look_up(conn, filter, now).await?;
    let time = SearchTime::within(desk.patience.search);
    let found = letter_list::search(conn, &matching, after, limit + 1, time).await?;
    let mut items = found.letters;
    let more = cut(&mut items, limit);
    let stopped_at = found.stopped_at.filter(|_| !more);
    let shown = i64::try_from(items.len()).unwrap_or(i64::MAX);
    let is_short =
        stopped_at.is_some() || found.unread.is_some() || found.texts_read_back_to.is_some();
    let total = match counted_by_the_way(after, more, is_short) {
        Some(is_least) => Total { count: shown, is_least },
        None => {
            counted(conn, &matching, desk.patience.count).await?.unwrap_or(Total::at_least(shown))
        }
    };
    let last = items.last().filter(|_| more);
    Ok(Page {
        next_cursor: stopped_at
            .or(last.map(|letter| Cursor { at: letter.last_arrived_at, id: letter.id.0 })),
        items,
        estimated_total: total.count,
        total_is_least: total.is_least,
        searched_back_to: stopped_at.map(|place| place.at),
        unread: found.unread,
        texts_read_back_to: found.texts_read_back_to,
    })
}

/// Whether the letters of this page are all that can be said of the total, and if so, whether there
/// may be more of them: the one page of a short list has them all, and a search that was given up
/// is not begun again to count.
fn counted_by_the_way(after: Option<Cursor>, more: bool, stopped: bool) -> Option<bool> {
    if stopped {
        return Some(true);
    }
    (after.is_none() && !more).then_some(false)
}

/// How many of the letters that match arrived after a moment, as far as can be counted.
pub(super) async fn arrived_after(
    desk: &PgDesk,
    filter: &LetterFilter,
    moment: DateTime<Utc>,
) -> Result<Total, DeskError> {
    let now = desk.clock.now();
    // Nothing arrived before or later, and Postgres does not know every time that can be written.
    let moment = moment.clamp(DateTime::UNIX_EPOCH, now + TimeDelta::days(1));
    // The filter takes letters of its first moment in, and Postgres keeps microseconds.
    let after = moment + TimeDelta::microseconds(1);
    let newer =
        LetterFilter::from(FilterForm { since: Some(Moment::At(after)), ..FilterForm::default() });
    let filter = filter.and(&newer);
    let mut transaction = desk.begin().await?;
    let conn = &mut *transaction;
    let matching = Matching::look_up(conn, &filter, now).await?;
    let total = counted(conn, &matching, desk.patience.count_new).await?;
    Ok(total.unwrap_or(Total::at_least(0)))
}

/// How many letters match; nothing when counting them takes longer than this.
async fn counted(
    conn: &mut PgConnection,
    matching: &Matching,
    most: Duration,
) -> Result<Option<Total>, DeskError> {
    let count = async |conn: &mut PgConnection| letter_list::count(conn, matching).await;
    Ok(letter_list::within(conn, most, count).await?)
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
    let mut conn = desk.connection().await?;
    let letter = letter_detail::letter(&mut conn, id).await?;
    letter.ok_or_else(|| no_letter(id))
}

pub(super) fn no_letter(id: LetterId) -> DeskError {
    DeskError::NotFound(format!("there is no letter {id}"))
}

/// One arrival, whole.
pub(super) async fn arrival(
    desk: &PgDesk,
    id: LetterId,
    ordinal: i32,
) -> Result<Arrival, DeskError> {
    // Headers are as large as a broker's frame, and many times that in memory.
    let _slot = BodySlot::small(desk.patience.turn).await?;
    let mut conn = desk.connection().await?;
    let arrival = letter_detail::arrival(&mut conn, id, ordinal).await?;
    arrival.ok_or_else(|| no_arrival(id, ordinal))
}

pub(super) async fn payload(
    desk: &PgDesk,
    id: LetterId,
    ordinal: Option<i32>,
    as_text: bool,
) -> Result<Payload, DeskError> {
    let slot = BodySlot::small(desk.patience.turn).await?;
    let StoredBody { part, head } = stored_body(desk, id, ordinal, BEGINNING).await?;
    let types = message_types(desk).await?;
    let read = move || read_payload(&part.bytes, part.size_bytes, head.labels(&types), as_text);
    Ok(slot.run(read).await)
}

/// The message types that are known now.
pub(super) async fn message_types(desk: &PgDesk) -> Result<Arc<MessageTypes>, DeskError> {
    let mut conn = desk.connection().await?;
    Ok(desk.judges.current(&mut conn).await?.types().clone())
}

/// A part of the body of an arrival.
pub(super) async fn body_part(
    desk: &PgDesk,
    id: LetterId,
    ordinal: Option<i32>,
    range: BodyRange,
) -> Result<BodyPart, DeskError> {
    Ok(stored_body(desk, id, ordinal, range).await?.part)
}

async fn stored_body(
    desk: &PgDesk,
    id: LetterId,
    ordinal: Option<i32>,
    range: BodyRange,
) -> Result<StoredBody, DeskError> {
    let mut conn = desk.connection().await?;
    let body = letter_detail::body(&mut conn, id, ordinal, range).await?;
    body.ok_or_else(|| match ordinal {
        None => no_letter(id),
        Some(ordinal) => no_arrival(id, ordinal),
    })
}

fn no_arrival(id: LetterId, ordinal: i32) -> DeskError {
    DeskError::NotFound(format!("there is no arrival {ordinal} of a letter {id}"))
}
