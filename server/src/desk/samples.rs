//! A few letters as examples of others.

use dlo_app::desk::DeskError;
use dlo_domain::filter::LetterFilter;
use dlo_domain::letter_sample::{Excerpt, LetterSample};
use dlo_domain::payload::read_payload;

use super::PgDesk;
use super::letters::{BEGINNING, message_types, page_size};
use crate::store::letter_detail;
use crate::store::letter_list::{self, Matching, SearchTime};
use crate::transform::offload::BodySlot;

/// The newest letters that match.
pub(super) async fn newest(
    desk: &PgDesk,
    filter: &LetterFilter,
    most: u32,
) -> Result<Vec<LetterSample>, DeskError> {
    let slot = BodySlot::small(desk.patience.turn).await?;
    let types = message_types(desk).await?;
    let mut transaction = desk.begin().await?;
    let conn = &mut *transaction;
    letter_list::limit_time(conn, desk.patience.answer).await?;
    let matching = Matching::look_up(conn, filter, desk.clock.now()).await?;
    let time = SearchTime::within(desk.patience.search);
    let found = letter_list::search(conn, &matching, None, page_size(most), time).await?;
    let mut samples = Vec::new();
    for letter in found.letters {
        // A letter may end while they are read.
        let Some(body) = letter_detail::body(conn, letter.id, None, BEGINNING).await? else {
            continue;
        };
        let stack_trace = letter_detail::stack_trace(conn, letter.id).await?;
        let types = types.clone();
        let read = move || {
            let (part, head) = (body.part, body.head);
            let body = read_payload(&part.bytes, part.size_bytes, head.labels(&types), false);
            let stack_trace = stack_trace.map(|trace| Excerpt::of_text(&trace));
            LetterSample { letter, stack_trace, body: Excerpt::of_body(&body) }
        };
        samples.push(slot.run(read).await);
    }
    Ok(samples)
}
