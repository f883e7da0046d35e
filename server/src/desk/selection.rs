//! From a selection to the letters that it means at this moment. Later arrivals never join.

use chrono::{DateTime, Utc};
use dlo_app::desk::DeskError;
use dlo_domain::filter::LetterFilter;
use dlo_domain::ids::LetterId;
use dlo_domain::selection::{Chosen, Selection};
use sqlx::PgConnection;

use crate::store::groups;
use crate::store::letter_list::{self, Matching};

/// Letters in one action. More of them would hold one transaction open for minutes.
const MOST_SELECTED: i64 = 1_000_000;

/// The letters of a selection, each once, in the order of their ids.
pub(super) async fn chosen(
    conn: &mut PgConnection,
    selection: &Selection,
    now: DateTime<Utc>,
) -> Result<Vec<LetterId>, DeskError> {
    let invalid = |why: &dyn ToString| DeskError::Invalid(why.to_string());
    let filter = match selection.chosen().map_err(|why| invalid(&why))? {
        Chosen::Ids(ids) => {
            let mut ids = ids.to_vec();
            ids.sort_unstable_by_key(|id| id.0);
            ids.dedup();
            return Ok(ids);
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
    let matching = Matching::look_up(conn, &filter, now).await?;
    let ids = letter_list::ids(conn, &matching, MOST_SELECTED + 1).await?;
    if i64::try_from(ids.len()).is_ok_and(|letters| letters > MOST_SELECTED) {
        return Err(DeskError::Invalid(format!(
            "the filter matches more than {MOST_SELECTED} letters: narrow it, and repeat for the \
             others"
        )));
    }
    Ok(ids)
}
