//! What differs between two arrivals of a letter.

use dlo_app::desk::DeskError;
use dlo_domain::comparing::{ArrivalChanges, ValueChanges};
use dlo_domain::ids::LetterId;
use dlo_domain::payload::{Content, Payload};
use dlo_domain::republish::between_arrivals;

use super::PgDesk;
use super::letters::{arrival, payload};
use crate::transform::diff::{self, Bounds};
use crate::transform::offload::BodySlot;

/// Compares an arrival with an earlier one: with the one before it, where none is named.
pub(super) async fn arrivals(
    desk: &PgDesk,
    id: LetterId,
    ordinal: i32,
    since: Option<i32>,
) -> Result<ArrivalChanges, DeskError> {
    let since = since.unwrap_or(ordinal.saturating_sub(1));
    let after = arrival(desk, id, ordinal).await?;
    if !(1..ordinal).contains(&since) {
        return Err(DeskError::Invalid(match ordinal {
            1 => "the first arrival has none before it to be compared with".to_owned(),
            _ => format!(
                "arrival {ordinal} is compared with an earlier one: `since` is 1 to {}",
                ordinal - 1
            ),
        }));
    }
    let before = arrival(desk, id, since).await?;
    let changes = ArrivalChanges {
        since,
        since_at: before.arrived_at,
        ordinal,
        arrived_at: after.arrived_at,
        same_body: before.body_sha256 == after.body_sha256,
        values: None,
        text: None,
        cut: false,
        headers: between_arrivals(&before, &after),
    };
    drop((before, after));
    if changes.same_body {
        return Ok(changes);
    }
    let before = payload(desk, id, Some(since), false).await?;
    let after = payload(desk, id, Some(ordinal), false).await?;
    let bounds = Bounds::of_one(desk.patience.diff);
    let slot = BodySlot::small(desk.patience.turn).await?;
    Ok(slot.run(move || with_bodies(changes, &before, &after, bounds)).await)
}

/// Whether there is more of a body than was read.
fn is_part(payload: &Payload) -> bool {
    !payload.whole || payload.shown_bytes < payload.read_bytes
}

fn with_bodies(
    mut changes: ArrivalChanges,
    before: &Payload,
    after: &Payload,
    bounds: Bounds,
) -> ArrivalChanges {
    let is_cut =
        if let (Content::Json(before), Content::Json(after)) = (&before.content, &after.content) {
            let ValueChanges { values, cut } = ValueChanges::between(before, after);
            changes.values = Some(values);
            cut
        } else {
            let text = diff::of_payloads(before, after, bounds);
            let is_cut = text.cut;
            changes.text = Some(text);
            is_cut
        };
    changes.cut = is_cut || is_part(before) || is_part(after);
    changes
}
