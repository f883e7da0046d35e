//! From a selection to the letters that it means at this moment. Later arrivals never join.

use chrono::{DateTime, Utc};
use dlo_app::desk::DeskError;
use dlo_domain::filter::LetterFilter;
use dlo_domain::ids::LetterId;
use dlo_domain::selection::{Chosen, Selection};
use sqlx::PgConnection;

use crate::store::groups;
use crate::store::letter_list::{self, Matching};
use crate::store::replays::unclaimed::SelectedLetter;

/// Letters in one action. More of them would hold one transaction open for minutes.
const MOST_SELECTED: i64 = 1_000_000;

/// What a selection means.
pub(super) enum Meant {
    /// These letters, each once, in the order of their ids.
    Letters(Vec<LetterId>),
    /// Those that match at this moment.
    Matching(Matching),
}

/// The letters of a selection, each once, in the order of their ids.
pub(super) async fn chosen(
    conn: &mut PgConnection,
    selection: &Selection,
    now: DateTime<Utc>,
) -> Result<Vec<LetterId>, DeskError> {
    match meant(conn, selection, now).await? {
        Meant::Letters(ids) => Ok(ids),
        Meant::Matching(matching) => {
            not_too_many(letter_list::ids(conn, &matching, MOST_SELECTED + 1).await?)
        }
    }
}

/// The letters that match, as they stand at this moment, in the order of their ids.
pub(super) async fn selected(
    conn: &mut PgConnection,
    matching: &Matching,
) -> Result<Vec<SelectedLetter>, DeskError> {
    not_too_many(letter_list::selected(conn, matching, MOST_SELECTED + 1).await?)
}

fn not_too_many<T>(letters: Vec<T>) -> Result<Vec<T>, DeskError> {
    if i64::try_from(letters.len()).is_ok_and(|letters| letters > MOST_SELECTED) {
        return Err(DeskError::Invalid(format!(
            "the filter matches more than {MOST_SELECTED} letters: narrow it, and repeat for the \
             others"
        )));
    }
    Ok(letters)
}

/// What a selection means.
pub(super) async fn meant(
    conn: &mut PgConnection,
    selection: &Selection,
    now: DateTime<Utc>,
) -> Result<Meant, DeskError> {
    let invalid = |why: &dyn ToString| DeskError::Invalid(why.to_string());
    let filter = match selection.chosen().map_err(|why| invalid(&why))? {
        Chosen::Ids(ids) => {
            let mut ids = ids.to_vec();
            ids.sort_unstable_by_key(|id| id.0);
            ids.dedup();
            return Ok(Meant::Letters(ids));
        }
        Chosen::Matching(text) => LetterFilter::parse(text)
            .map_err(|why| DeskError::Invalid(format!("the filter cannot be read: {why}")))?,
        Chosen::Group(group) => {
            if !groups::read::exists(conn, group).await? {
                return Err(super::groups::no_group(group));
            }
            LetterFilter::of_group(group)
        }
    };
    Ok(Meant::Matching(Matching::look_up(conn, &filter, now).await?))
}
