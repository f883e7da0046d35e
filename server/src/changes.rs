//! What a replay sends in place of letters' bodies: made while its plan is frozen, from the last
//! arrival of each letter, and written down with the plan. The arrivals stay as they are.

mod editing;
mod opening;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use dlo_domain::changing::TryTransform;
use dlo_domain::decoding::{Envelope, MessageTypes};
use dlo_domain::ids::LetterId;
use dlo_domain::replay::NewReplay;
use dlo_domain::selection::Chosen;
use sqlx::pool::PoolConnection;
use sqlx::{PgConnection, PgPool, Postgres};

pub use self::editing::check_edit;
use self::editing::{edited, read_edit};
use self::opening::Opening;
use crate::store::StoreError;
use crate::store::replays::bodies::{self, Frozen, Original, Size};
use crate::transform::offload::{BodySlot, Busy};
use crate::transform::{
    MOST_UNPACKED_BYTES, Made, TransformError, Transformer, Transforming, Unchanged,
};

/// Bodies that are in memory at once, in bytes; a larger one goes alone.
const MOST_BYTES_AT_ONCE: i64 = 4 * 1024 * 1024;

/// Letters whose bodies are read by one statement.
const MOST_AT_ONCE: usize = 500;

/// What is written down for one replay, in bytes.
const MOST_FROZEN_BYTES: usize = 256 * 1024 * 1024;

/// Letters whose envelopes are opened for one replay and that have not too much in them, whatever it is.
pub const MOST_OPENED: u32 = 16;
const _: () = assert!(MOST_OPENED as usize * MOST_UNPACKED_BYTES <= MOST_FROZEN_BYTES);

/// What is made at once to be looked at, in bytes.
const MOST_TRIED_BYTES: usize = 24 * 1024 * 1024;

const TOGETHER: &str =
    "`transform`, `edit` and `open_envelopes` cannot go together: choose one of them";

/// Why a replay's bodies cannot be made at all; nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// What was asked makes no sense.
    #[error("{0}")]
    Unfit(String),
    /// The jq program cannot be carried out.
    #[error(transparent)]
    Transform(#[from] TransformError),
    /// Too many others work on bodies.
    #[error(transparent)]
    Busy(#[from] Busy),
    /// The database did not do it.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// How the bodies of a replay are made.
#[derive(Debug)]
pub struct Changes(Kind);

#[derive(Debug)]
enum Kind {
    /// They stay as they are.
    None,
    /// One letter gets this body.
    Edit { body: Vec<u8>, content_type: Option<String> },
    /// What is inside of envelopes is sent.
    Open(Opening),
    /// A jq program makes them.
    Jq {
        program: Box<Transforming>,
        /// The message types by which bodies are read.
        types: Arc<MessageTypes>,
        /// What was made so far, in bytes.
        bytes: usize,
        /// What may be made, in bytes.
        most: usize,
        /// Whether what was made is to be sent. A dry run only has to know that it can be made.
        keeps: bool,
    },
}

/// What is sent of a letter, and the arrival that it was made of.
#[derive(Debug, Clone, PartialEq)]
pub struct MadeOf {
    /// The ordinal of the letter's last arrival then.
    pub ordinal: i32,
    /// What is sent.
    pub sent: Sent,
}

/// What is sent of a letter.
#[derive(Debug, Clone, PartialEq)]
pub enum Sent {
    /// What it arrived with.
    Same,
    /// Another body.
    Changed(Frozen),
    /// What was inside of this envelope.
    Opened(Envelope, Frozen),
    /// Nothing, and why: the letter is left out.
    Failed(String),
}

impl Changes {
    /// Letters are sent as they are.
    #[must_use]
    pub fn none() -> Self {
        Self(Kind::None)
    }

    /// What a replay asks for. A jq program is read here, once. Messages are read by `types`. `patience` is how long
    /// others may keep this from working on bodies.
    ///
    /// # Errors
    /// Returns an error if a program cannot be read, if an edit is not for exactly one letter, or if others work on
    /// bodies for too long.
    pub async fn of(
        new: &NewReplay,
        transformer: &Transformer,
        types: &Arc<MessageTypes>,
        patience: Duration,
    ) -> Result<Self, ChangeError> {
        Ok(Self(match (&new.transform, &new.edit, new.open_envelopes) {
            (None, None, false) => Kind::None,
            (None, None, true) => {
                let slot = BodySlot::large(patience).await?;
                Kind::Open(Opening::new(slot, MOST_FROZEN_BYTES, !new.dry_run))
            }
            (Some(transform), None, false) => Kind::Jq {
                program: Box::new(transformer.begin(&transform.jq).await?),
                types: types.clone(),
                bytes: 0,
                most: MOST_FROZEN_BYTES,
                keeps: !new.dry_run,
            },
            (None, Some(edit), false) => {
                if !matches!(new.selection.chosen(), Ok(Chosen::Ids([_]))) {
                    let why = "`edit` is for one letter: name exactly one in `selection.ids`, or \
                               use `transform` for many";
                    return Err(ChangeError::Unfit(why.to_owned()));
                }
                let (body, content_type) = read_edit(edit).map_err(ChangeError::Unfit)?;
                Kind::Edit { body, content_type }
            }
            _ => return Err(ChangeError::Unfit(TOGETHER.to_owned())),
        }))
    }

    /// What is inside of envelopes, of at most [`MOST_OPENED`] letters at once. `patience` is how long others may keep
    /// this from working on bodies.
    ///
    /// # Errors
    /// Returns an error if others work on bodies for too long.
    pub async fn opening(patience: Duration) -> Result<Self, Busy> {
        let slot = BodySlot::large(patience).await?;
        Ok(Self(Kind::Open(Opening::new(slot, MOST_FROZEN_BYTES, true))))
    }

    /// Tries what is to be made of bodies, of which nothing is frozen. `patience` is how long others may keep this from
    /// working on bodies.
    ///
    /// # Errors
    /// Returns an error if a program cannot be read or does not go together with the rest, or if others work on bodies
    /// for too long.
    pub async fn try_out(
        asked: &TryTransform,
        transformer: &Transformer,
        types: &Arc<MessageTypes>,
        patience: Duration,
    ) -> Result<Self, ChangeError> {
        Ok(Self(match (&asked.transform, asked.open_envelopes) {
            (None, false) => Kind::None,
            (None, true) => {
                let slot = BodySlot::large(patience).await?;
                Kind::Open(Opening::new(slot, MOST_TRIED_BYTES, true))
            }
            (Some(transform), false) => Kind::Jq {
                program: Box::new(transformer.begin(&transform.jq).await?),
                types: types.clone(),
                bytes: 0,
                most: MOST_TRIED_BYTES,
                keeps: true,
            },
            (Some(_), true) => return Err(ChangeError::Unfit(TOGETHER.to_owned())),
        }))
    }

    /// Whether all letters are sent as they are.
    #[must_use]
    pub fn is_none(&self) -> bool {
        matches!(self.0, Kind::None)
    }

    /// What is sent of letters: an answer for each that has an arrival. Nothing is written. A program may
    /// take its time for it, so no connection is held meanwhile, and none is to be held by the caller.
    ///
    /// # Errors
    /// Returns an error if a query fails or the program cannot be carried out.
    pub async fn make(
        &mut self,
        pool: &PgPool,
        letters: &[LetterId],
    ) -> Result<HashMap<LetterId, MadeOf>, ChangeError> {
        let mut sent = HashMap::with_capacity(letters.len());
        let sizes = {
            let mut conn = acquire(pool).await?;
            bodies::sizes(&mut conn, letters).await?
        };
        if self.is_none() {
            // Whatever their size: nobody looks into them.
            let same =
                |Size { letter, ordinal, .. }| (letter, MadeOf { ordinal, sent: Sent::Same });
            return Ok(sizes.into_iter().map(same).collect());
        }
        for batch in batches(sizes, &mut sent) {
            let originals = {
                let mut conn = acquire(pool).await?;
                bodies::originals(&mut conn, &batch).await?
            };
            self.make_some(originals, &mut sent).await?;
        }
        Ok(sent)
    }

    /// The same on a connection that the caller has, for what takes no time of its own: envelopes, and no programs.
    ///
    /// # Errors
    /// Returns an error if a query fails, or if there is more in envelopes than is written down for one replay.
    pub async fn make_within(
        &mut self,
        conn: &mut PgConnection,
        letters: &[LetterId],
    ) -> Result<HashMap<LetterId, MadeOf>, ChangeError> {
        let mut sent = HashMap::with_capacity(letters.len());
        let sizes = bodies::sizes(conn, letters).await?;
        for batch in batches(sizes, &mut sent) {
            let originals = bodies::originals(conn, &batch).await?;
            self.make_some(originals, &mut sent).await?;
        }
        Ok(sent)
    }

    /// Forgets how much was made: what was made so far is not in memory any more.
    pub fn start_over(&mut self) {
        match &mut self.0 {
            Kind::Jq { bytes, .. } => *bytes = 0,
            Kind::Open(opening) => opening.start_over(),
            Kind::None | Kind::Edit { .. } => {}
        }
    }

    async fn make_some(
        &mut self,
        originals: Vec<Original>,
        sent: &mut HashMap<LetterId, MadeOf>,
    ) -> Result<(), ChangeError> {
        match &mut self.0 {
            Kind::None => sent.extend(originals.into_iter().map(|original| {
                let ordinal = original.ordinal;
                let sent = Sent::Same;
                (original.letter, MadeOf { ordinal, sent })
            })),
            Kind::Edit { body, content_type } => {
                for original in originals {
                    let made = MadeOf {
                        ordinal: original.ordinal,
                        sent: edited(&original, body, content_type.as_deref()),
                    };
                    sent.insert(original.letter, made);
                }
            }
            Kind::Open(opening) => opening.open(originals, sent).await?,
            Kind::Jq { program, types, bytes, most, keeps } => {
                let (letters, unchanged): (Vec<_>, Vec<_>) = originals
                    .into_iter()
                    .map(|Original { letter, ordinal, head, body }| {
                        ((letter, ordinal), Unchanged { head, body })
                    })
                    .unzip();
                let left = *most - *bytes;
                let made = program.change(unchanged, types, left).await;
                let made = made.map_err(|why| match why {
                    TransformError::TooMuch(_) => TransformError::TooMuch(*most),
                    other => other,
                })?;
                for ((letter, ordinal), made) in letters.into_iter().zip(made) {
                    let mut one = of_made(letter, ordinal, made);
                    if let Sent::Changed(frozen) = &mut one {
                        *bytes += frozen.body.len();
                        if !*keeps {
                            frozen.body = Vec::new();
                        }
                    }
                    sent.insert(letter, MadeOf { ordinal, sent: one });
                }
            }
        }
        Ok(())
    }
}

async fn acquire(pool: &PgPool) -> Result<PoolConnection<Postgres>, StoreError> {
    Ok(pool.acquire().await?)
}

fn of_made(letter: LetterId, ordinal: i32, made: Made) -> Sent {
    match made {
        Made::Same => Sent::Same,
        Made::Changed(body) => {
            Sent::Changed(Frozen { letter, ordinal, body, content_type: None, head: None })
        }
        Made::Failed(why) => Sent::Failed(why),
    }
}

/// Divides letters so that not too much is in memory; one that is too large fails unread.
fn batches(sizes: Vec<Size>, sent: &mut HashMap<LetterId, MadeOf>) -> Vec<Vec<LetterId>> {
    let most = i64::try_from(MOST_UNPACKED_BYTES).unwrap_or(i64::MAX);
    let mut batches = Vec::new();
    let mut batch = Vec::new();
    let mut bytes = 0;
    for Size { letter, ordinal, bytes: size } in sizes {
        if size > most {
            let why = format!(
                "its body has more than {} MiB, which is too large to be changed",
                most / 1024 / 1024
            );
            let sent_of = MadeOf { ordinal, sent: Sent::Failed(why) };
            sent.insert(letter, sent_of);
            continue;
        }
        let full = batch.len() == MOST_AT_ONCE || bytes + size > MOST_BYTES_AT_ONCE;
        if full && !batch.is_empty() {
            batches.push(std::mem::take(&mut batch));
            bytes = 0;
        }
        batch.push(letter);
        bytes += size;
    }
    if !batch.is_empty() {
        batches.push(batch);
    }
    batches
}

#[cfg(test)]
mod tests;
