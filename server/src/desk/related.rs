//! The letters that have something in common with a letter.

use dlo_app::desk::DeskError;
use dlo_domain::filter::{Field, LetterFilter};
use dlo_domain::ids::LetterId;
use dlo_domain::relations::{MOST_RELATED, RelatedLetters};
use sqlx::PgConnection;

use super::PgDesk;
use super::letters::no_letter;
use crate::store::letter_list::{self, Matching, SearchTime};
use crate::store::{extracts, letter_detail};

/// Finds them, newest first, by each thing that they can have in common; each search has its part of the time that a
/// list has.
pub(super) async fn letters(desk: &PgDesk, id: LetterId) -> Result<Vec<RelatedLetters>, DeskError> {
    let mut transaction = desk.begin().await?;
    let conn = &mut *transaction;
    letter_list::limit_time(conn, desk.patience.answer).await?;
    if letter_detail::summary(conn, id).await?.is_none() {
        return Err(no_letter(id));
    }
    let relations = extracts::relations(conn, id).await?;
    let mut all = Vec::new();
    for (field, value) in relations.named() {
        all.push(by(desk, conn, id, (field, value)).await?);
    }
    Ok(all)
}

async fn by(
    desk: &PgDesk,
    conn: &mut PgConnection,
    id: LetterId,
    (field, value): (Field, &str),
) -> Result<RelatedLetters, DeskError> {
    let filter = LetterFilter::of_name(field, value);
    let matching = Matching::look_up(conn, &filter, desk.clock.now()).await?;
    let time = SearchTime::within(desk.patience.search / 3);
    // The letter itself is among them, and one more tells that there are more.
    let wanted = i64::try_from(MOST_RELATED + 2).unwrap_or(i64::MAX);
    let found = letter_list::search(conn, &matching, None, wanted, time).await?;
    let mut letters = found.letters;
    letters.retain(|letter| letter.id != id);
    let has_more = letters.len() > MOST_RELATED;
    letters.truncate(MOST_RELATED);
    Ok(RelatedLetters {
        by: field.info().name.to_owned(),
        value: value.to_owned(),
        filter: filter.to_string(),
        letters,
        has_more,
        searched_back_to: found.stopped_at.filter(|_| !has_more).map(|place| place.at),
    })
}
