//! What a replay sent in place of a letter's body, compared with what arrived before and after.

use dlo_app::desk::DeskError;
use dlo_domain::changing::{BackBody, SentBody};
use dlo_domain::decoding::BodyHead;
use dlo_domain::ids::{LetterId, ReplayId};

use super::{as_body, compared};
use crate::desk::PgDesk;
use crate::desk::letters::message_types;
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
    let types = message_types(desk).await?;
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
        let head = match sent.head {
            Some(own) => BodyHead {
                origin: before.head.origin.clone(),
                ..BodyHead::of(own.properties, own.headers)
            },
            None => BodyHead {
                content_type: sent.content_type.or(before.head.content_type.clone()),
                ..before.head.clone()
            },
        };
        let went = diff::Body { labels: head.labels(&types), bytes: &sent.begin };
        let diff = diff::of_bodies(as_body(&before, &types), went, bounds);
        let back = back.map(|(body, back)| BackBody {
            arrival: back.ordinal,
            arrived_at: back.arrived_at,
            diff: diff::of_bodies(went, as_body(&body, &types), bounds),
            is_same: back.body_sha256 == sent.mark.body_sha256,
        });
        SentBody {
            letter_id: letter,
            replay_id: replay,
            from_arrival: sent.mark.from_arrival,
            size_bytes: sent.mark.size_bytes,
            body_sha256: sent.mark.body_sha256,
            content_type: head.content_type.clone(),
            diff,
            back,
        }
    };
    Ok(slot.run(compare).await)
}
