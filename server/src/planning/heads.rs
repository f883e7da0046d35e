//! What a replay would send its letters without, what of their headers would travel along and change what becomes
//! of them, and which no broker would take. Counted, for a dry run.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use dlo_domain::ids::{LetterId, ReplayId};
use dlo_domain::replay::{NewReplay, ReplayWarning, Stripped};
use dlo_domain::republish::{
    CannotRepublish, HeaderChanges, KnownHeader, Republished, Terms, Travelling, is_transient,
    largest, republish,
};
use dlo_domain::wire::{FieldTable, Properties};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::store::StoreError;
use crate::store::replays::bodies::Frozen;
use crate::store::replays::messages::{self, MessageHead};
use crate::store::replays::plan::Planned;

/// Letters that are looked into, at most: a dry run is to answer soon.
const MOST_LETTERS: usize = 5_000;

/// Names that are counted, at most: senders choose them.
const MOST_NAMES: usize = 100;

/// The letters of a dry run so far.
#[derive(Debug, Default)]
pub(super) struct HeadTally {
    letters: usize,
    names: BTreeMap<String, i64>,
    /// Letters that were sent as transient messages.
    pub(super) made_persistent: i64,
    /// Headers that change what becomes of a letter, by name.
    travelling: BTreeMap<String, SomeTravelling>,
    too_large: TooLarge,
    unfit: Unfit,
}

/// Letters with one of the known headers.
#[derive(Debug)]
struct SomeTravelling {
    known: KnownHeader,
    letters: i64,
    /// The value that all of them have; `None` where values differ or have no short form.
    value: Option<String>,
}

/// Letters whose properties and headers are larger than a broker takes.
#[derive(Debug, Default)]
struct TooLarge {
    letters: i64,
    /// The most, in bytes.
    bytes: usize,
    /// The largest header of that letter: its name, its bytes, and what leaves it out.
    largest: Option<(String, usize, Option<HeaderChanges>)>,
}

/// Letters that a broker would refuse for something else.
#[derive(Debug, Default)]
struct Unfit {
    letters: i64,
    /// Why, of the first one.
    why: String,
}

impl HeadTally {
    /// Looks into the first letters, some of which are sent with other properties and headers.
    pub(super) async fn add(
        &mut self,
        conn: &mut PgConnection,
        planned: &[Planned],
        frozen: &[&Frozen],
        new: &NewReplay,
    ) -> Result<(), StoreError> {
        let left = MOST_LETTERS - self.letters;
        let planned = &planned[..planned.len().min(left)];
        if planned.is_empty() {
            return Ok(());
        }
        self.letters += planned.len();
        let others = frozen.iter().filter_map(|one| Some((one.letter, one.head.as_ref()?)));
        let others: HashMap<LetterId, &MessageHead> = others.collect();
        let letters: Vec<_> = planned.iter().map(|one| one.letter.id).collect();
        let (opened, letters): (Vec<_>, Vec<_>) =
            letters.into_iter().partition(|id| others.contains_key(id));
        // Marks of the same size as those that will be put on.
        let marks = (LetterId(Uuid::nil()), ReplayId(Uuid::nil()), 0);
        let terms = Terms { marks, keep_expiration: new.keep_expiration, headers: &new.headers };
        for MessageHead { properties, headers } in opened.iter().filter_map(|id| others.get(id)) {
            self.look(properties, headers, terms);
        }
        messages::each_head(conn, &letters, |properties, headers| {
            self.look(properties, headers, terms);
        })
        .await
    }

    fn look(&mut self, properties: &Properties, headers: &FieldTable, terms: Terms<'_>) {
        self.made_persistent += i64::from(is_transient(properties));
        match republish(properties.clone(), headers.clone(), 0, terms) {
            Ok(made) => self.count(made),
            Err(CannotRepublish::HeadersTooLarge(bytes)) => {
                self.too_large.letters += 1;
                if bytes > self.too_large.bytes {
                    self.too_large.bytes = bytes;
                    self.too_large.largest = largest(headers.clone(), terms.headers);
                }
            }
            Err(why) => {
                self.unfit.letters += 1;
                if self.unfit.why.is_empty() {
                    self.unfit.why = why.to_string();
                }
            }
        }
    }

    fn count(&mut self, made: Republished) {
        for (known, Travelling { name, value }) in KnownHeader::among(&made.headers) {
            let some = self.travelling.entry(name).or_insert_with(|| SomeTravelling {
                known,
                letters: 0,
                value: value.clone(),
            });
            some.letters += 1;
            some.value = some.value.take().filter(|one| value.as_ref() == Some(one));
        }
        for name in BTreeSet::from_iter(made.stripped) {
            if self.names.len() < MOST_NAMES || self.names.contains_key(&name) {
                *self.names.entry(name).or_default() += 1;
            }
        }
    }

    /// The warnings about a plan of `total` letters.
    pub(super) fn warnings(&self, total: i64) -> Vec<ReplayWarning> {
        let TooLarge { letters, bytes, largest } = &self.too_large;
        let too_large = (*letters > 0)
            .then(|| ReplayWarning::headers_too_large(largest.clone(), *bytes, *letters, total));
        let Unfit { letters, why } = &self.unfit;
        let unfit = (*letters > 0).then(|| ReplayWarning::unfit(why, *letters, total));
        let travelling = self.travelling.iter().map(|(name, some)| {
            let name = some.value.as_ref().map_or(name.clone(), |value| format!("{name} {value}"));
            ReplayWarning::header_travels(&name, some.known, some.letters, total)
        });
        too_large.into_iter().chain(unfit).chain(travelling).collect()
    }

    /// The names of what is taken off, the most frequent first.
    pub(super) fn into_stripped(self) -> Vec<Stripped> {
        let names = self.names.into_iter();
        let mut list: Vec<_> = names.map(|(name, letters)| Stripped { name, letters }).collect();
        list.sort_by_key(|one| std::cmp::Reverse(one.letters));
        list
    }
}
