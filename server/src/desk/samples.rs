//! A few letters as examples of others.

use dlo_app::desk::DeskError;
use dlo_domain::decoding::MessageTypes;
use dlo_domain::ids::LetterId;
use dlo_domain::letter::LetterSummary;
use dlo_domain::letter_sample::{Excerpt, LetterSample};
use dlo_domain::payload::read_payload;
use uuid::Uuid;

use super::PgDesk;
use super::letters::{BEGINNING, message_types};
use crate::store::letter_detail::{self, Beginning, StoredBody};
use crate::store::letter_list;
use crate::transform::offload::BodySlot;

/// These letters, last arrived first; those that are gone are left out.
pub(super) async fn of(desk: &PgDesk, ids: &[Uuid]) -> Result<Vec<LetterSample>, DeskError> {
    // Nobody who waits for a turn holds a connection meanwhile.
    let slot = BodySlot::small(desk.patience.turn).await?;
    let types = message_types(desk).await?;
    let mut connection = desk.connection().await?;
    let letters: Vec<_> = ids.iter().copied().map(LetterId).collect();
    let letters = letter_list::these(&mut connection, &letters).await?;
    let mut beginnings = letter_detail::beginnings(&mut connection, ids, BEGINNING).await?;
    drop(connection);
    let read = move |letter: LetterSummary| {
        // A letter may have ended while they were read.
        let beginning = beginnings.remove(&letter.id)?;
        Some(sample(letter, beginning, &types))
    };
    Ok(slot.run(move || letters.into_iter().filter_map(read).collect()).await)
}

fn sample(letter: LetterSummary, beginning: Beginning, types: &MessageTypes) -> LetterSample {
    let StoredBody { part, head } = beginning.body;
    let body = read_payload(&part.bytes, part.size_bytes, head.labels(types), false);
    LetterSample {
        letter,
        stack_trace: beginning.stack_trace.map(|trace| Excerpt::of_text(&trace)),
        body: Excerpt::of_body(&body),
    }
}
