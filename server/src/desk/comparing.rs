//! What differs between two arrivals of a letter.

use dlo_app::desk::DeskError;
use dlo_domain::comparing::{ArrivalChanges, ValueChanges};
use dlo_domain::ids::LetterId;
use dlo_domain::payload::Content;
use dlo_domain::republish::between_arrivals;

use super::PgDesk;
use super::letters::{arrival, message_types, payload};
use super::transforms::{as_body, compared};
use crate::transform::diff;
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
    let mut changes = ArrivalChanges {
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
    if let (Content::Json(before), Content::Json(after)) = (before.content, after.content) {
        let slot = BodySlot::small(desk.patience.turn).await?;
        let found = slot.run(move || ValueChanges::between(&before, &after)).await;
        (changes.values, changes.cut) = (Some(found.values), found.cut);
        return Ok(changes);
    }
    let slot = BodySlot::large(desk.patience.turn).await?;
    let types = message_types(desk).await?;
    let mut conn = desk.connection().await?;
    let before = compared(&mut conn, id, since).await?;
    let after = compared(&mut conn, id, ordinal).await?;
    drop(conn);
    let bounds = diff::Bounds::of_one(desk.patience.diff);
    let compare =
        move || diff::of_bodies(as_body(&before, &types), as_body(&after, &types), bounds);
    let text = slot.run(compare).await;
    (changes.cut, changes.text) = (text.cut, Some(text));
    Ok(changes)
}
