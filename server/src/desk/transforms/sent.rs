//! What a replay sent in place of a letter's body, compared with what arrived before and after.

use dlo_app::desk::DeskError;
use dlo_domain::changing::{BackBody, SentBody};
use dlo_domain::ids::{LetterId, ReplayId};
use dlo_domain::wire::WireText;

use super::{compared, packed};
use crate::desk::PgDesk;
use crate::store::replays::bodies::{self, SentAndBack};
use crate::transform::diff;
use crate::transform::offload::BodySlot;

/// What a replay sent in place of a letter's body.
pub(in crate::desk) async fn sent(
    desk: &PgDesk,
    letter: LetterId,
    replay: ReplayId,
) -> Result<SentBody, DeskError> {
    let slot = BodySlot::large(desk.patience.turn).await?;
    let bounds = diff::Bounds::of_one(desk.patience.diff);
    let mut transaction = desk.begin().await?;
    let conn = &mut *transaction;
    let found = bodies::sent(conn, replay, letter, diff::MOST_BYTES + 1).await?;
    let SentAndBack { sent, back } = found.ok_or_else(|| {
        DeskError::NotFound(format!(
            "the replay {replay} sends the letter {letter} with the body that it arrived with, or \
             not at all"
        ))
    })?;
    let before = compared(conn, letter, sent.mark.from_arrival).await?;
    let back = match back {
        Some(back) => Some((compared(conn, letter, back.ordinal).await?, back)),
        None => None,
    };
    drop(transaction);
    let compare = move || {
        let own = sent.head.map(|head| {
            let text = |text: Option<WireText>| text.map(|text| text.to_display().into_owned());
            (text(head.properties.content_type), text(head.properties.content_encoding))
        });
        let (content_type, encoding) = own.unwrap_or_else(|| {
            let content_type = sent.content_type.or(before.head.content_type.clone());
            (content_type, before.head.content_encoding.clone())
        });
        let went = diff::Packed { encoding: encoding.as_deref(), bytes: &sent.begin };
        let diff = diff::of_bodies(packed(&before), went, bounds);
        let back = back.map(|(body, back)| BackBody {
            arrival: back.ordinal,
            arrived_at: back.arrived_at,
            diff: diff::of_bodies(went, packed(&body), bounds),
            is_same: back.body_sha256 == sent.mark.body_sha256,
        });
        SentBody {
            letter_id: letter,
            replay_id: replay,
            from_arrival: sent.mark.from_arrival,
            size_bytes: sent.mark.size_bytes,
            body_sha256: sent.mark.body_sha256,
            content_type,
            diff,
            back,
        }
    };
    Ok(slot.run(compare).await)
}
