//! A few letters as examples of others.

use std::sync::Arc;

use dlo_app::desk::DeskError;
use dlo_domain::decoding::MessageTypes;
use dlo_domain::ids::LetterId;
use dlo_domain::letter::LetterSummary;
use dlo_domain::letter_sample::{Excerpt, LetterSample};
use dlo_domain::payload::read_payload;
use sqlx::PgConnection;
use uuid::Uuid;

use super::PgDesk;
use super::letters::{BEGINNING, message_types};
use crate::store::StoreError;
use crate::store::letter_detail::{self, Beginning, StoredBody};
use crate::store::letter_list;
use crate::transform::offload::BodySlot;

/// What it takes to read samples, which is waited for before a connection is.
pub(super) struct SampleReader {
    slot: BodySlot,
    types: Arc<MessageTypes>,
}

impl SampleReader {
    pub(super) async fn begin(desk: &PgDesk) -> Result<Self, DeskError> {
        let slot = BodySlot::small(desk.patience.turn).await?;
        Ok(Self { slot, types: message_types(desk).await? })
    }

    /// Makes what is stored readable.
    pub(super) async fn read(self, stored: StoredSamples) -> Vec<LetterSample> {
        let types = self.types;
        let read = move |(letter, begins)| sample(letter, begins, &types);
        self.slot.run(move || stored.0.into_iter().map(read).collect()).await
    }
}

/// Letters as they are stored, and how they begin.
pub(super) struct StoredSamples(Vec<(LetterSummary, Beginning)>);

impl StoredSamples {
    /// These letters, last arrived first; those that are gone are left out.
    pub(super) async fn read(conn: &mut PgConnection, ids: &[Uuid]) -> Result<Self, StoreError> {
        let letters: Vec<_> = ids.iter().copied().map(LetterId).collect();
        let letters = letter_list::these(conn, &letters).await?;
        let mut begin = letter_detail::beginnings(conn, ids, BEGINNING).await?;
        // A letter may end while they are read.
        let both = letters.into_iter().filter_map(|letter| {
            let begins = begin.remove(&letter.id)?;
            Some((letter, begins))
        });
        Ok(Self(both.collect()))
    }
}

fn sample(letter: LetterSummary, begins: Beginning, types: &MessageTypes) -> LetterSample {
    let StoredBody { part, head } = begins.body;
    let body = read_payload(&part.bytes, part.size_bytes, head.labels(types), false);
    LetterSample {
        letter,
        stack_trace: begins.stack_trace.map(|trace| Excerpt::of_text(&trace)),
        body: Excerpt::of_body(&body),
    }
}
