//! What a replay would send its letters without, counted by name.

use std::collections::BTreeMap;

use dlo_domain::replay::Stripped;
use dlo_domain::republish::{is_transient, stripped};
use sqlx::PgConnection;

use crate::store::StoreError;
use crate::store::replays::messages;
use crate::store::replays::plan::Planned;

/// Letters that are looked into, at most: a dry run is to answer soon.
const MOST_LETTERS: usize = 5_000;

/// The letters of a dry run so far.
#[derive(Debug, Default)]
pub(super) struct StrippedTally {
    letters: usize,
    names: BTreeMap<String, i64>,
    /// Letters that were sent as transient messages.
    pub(super) made_persistent: i64,
}

impl StrippedTally {
    /// Looks into the first letters.
    pub(super) async fn add(
        &mut self,
        conn: &mut PgConnection,
        planned: &[Planned],
        keep_expiration: bool,
    ) -> Result<(), StoreError> {
        let left = MOST_LETTERS - self.letters;
        let planned = &planned[..planned.len().min(left)];
        if planned.is_empty() {
            return Ok(());
        }
        self.letters += planned.len();
        let letters: Vec<_> = planned.iter().map(|one| one.letter.id).collect();
        messages::each_head(conn, &letters, |properties, headers| {
            self.made_persistent += i64::from(is_transient(properties));
            let names = stripped(properties, headers).into_iter();
            for name in names.filter(|name| !keep_expiration || name != "expiration") {
                *self.names.entry(name).or_default() += 1;
            }
        })
        .await
    }

    /// The names, the most frequent first.
    pub(super) fn into_list(self) -> Vec<Stripped> {
        let names = self.names.into_iter();
        let mut list: Vec<_> = names.map(|(name, letters)| Stripped { name, letters }).collect();
        list.sort_by_key(|one| std::cmp::Reverse(one.letters));
        list
    }
}
