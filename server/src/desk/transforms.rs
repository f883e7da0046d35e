//! What a jq program would make of letters, and what replays sent in place of letters' bodies.

mod sent;

use std::collections::HashMap;
use std::sync::Arc;

use dlo_app::desk::DeskError;
use dlo_domain::changing::{
    Diff, MOST_SHOWN, MOST_TRIED, TransformPreview, TriedLetter, TryTransform,
};
use dlo_domain::decoding::{BodyHead, MessageTypes};
use dlo_domain::ids::{LetterId, ReplayId};
use dlo_domain::payload::BodyRange;
use dlo_domain::republish::{CannotRepublish, Terms, difference, republish};
use dlo_domain::state::Change;
use sqlx::PgConnection;
use uuid::Uuid;

pub(super) use self::sent::sent;
use super::PgDesk;
use super::letters::{message_types, no_letter};
use super::selection::chosen;
use crate::changes::{ChangeError, Changes, MadeOf, Sent};
use crate::json_schemas::Schemas;
use crate::store::letter_detail::{self, StoredBody};
use crate::store::letter_list;
use crate::store::replays::bodies::Frozen;
use crate::store::replays::candidates;
use crate::store::replays::messages::{self, MessageHead};
use crate::transform::offload::BodySlot;
use crate::transform::{TransformError, diff};

impl From<ChangeError> for DeskError {
    fn from(why: ChangeError) -> Self {
        match why {
            ChangeError::Store(why) => why.into(),
            ChangeError::Unfit(why) => Self::Unfit { why, place: None },
            ChangeError::Transform(TransformError::NoWorker(why)) => {
                tracing::error!(%why, "no process for jq programs could be started");
                Self::Unavailable(
                    "The jq process could not be started. Nothing was changed; see the log."
                        .to_owned(),
                )
            }
            ChangeError::Busy(why) => why.into(),
            ChangeError::Transform(why @ TransformError::Busy) => {
                Self::Unavailable(why.to_string())
            }
            ChangeError::Transform(why) => {
                let place = match &why {
                    TransformError::Fault { position, length, .. } => Some((*position, *length)),
                    _ => None,
                };
                Self::Unfit { why: why.to_string(), place }
            }
        }
    }
}

/// Letters that a program is tried on at once: what is made of them is forgotten before it is tried on others.
const TRIED_AT_ONCE: usize = 20;

/// What the differences of all letters of a preview may take on a page, in bytes.
const DIFFS_BUDGET: usize = 1_000_000;

/// Tries what would be sent of the first letters of a selection that can be replayed. Changes nothing.
pub(super) async fn try_out(
    desk: &PgDesk,
    asked: &TryTransform,
) -> Result<TransformPreview, DeskError> {
    asked.headers.check().map_err(|why| DeskError::Invalid(format!("`headers`: {why}")))?;
    let slot = BodySlot::small(desk.patience.turn).await?;
    let patience = desk.patience.turn;
    let types = message_types(desk).await?;
    let mut changes = Changes::try_out(asked, &desk.transformer, &types, patience).await?;
    let (ids, tried) = {
        let mut transaction = desk.begin().await?;
        let ids = chosen(&mut transaction, &asked.selection, desk.clock.now()).await?;
        let tried = replayable(&mut transaction, &ids).await?;
        (ids, tried)
    };
    let mut preview = TransformPreview {
        total: number(ids.len()),
        tried: 0,
        changed: 0,
        unchanged: 0,
        headers_changed: 0,
        failed: 0,
        unfit: 0,
        letters: Vec::new(),
    };
    let budget = DIFFS_BUDGET / tried.len().clamp(1, MOST_SHOWN);
    let bounds =
        diff::Bounds { budget: budget.min(diff::LINES_BUDGET), within: desk.patience.diff };
    for chunk in tried.chunks(TRIED_AT_ONCE) {
        // The program takes its time: meanwhile others have the connection.
        let made = changes.make(&desk.pool, chunk).await?;
        changes.start_over();
        let tried = Tried { chunk, made, bounds, asked, types: types.clone() };
        let mut transaction = desk.begin().await?;
        add(desk, &mut transaction, &slot, tried, &mut preview).await?;
    }
    Ok(preview)
}

/// What was made of some letters.
struct Tried<'a> {
    chunk: &'a [LetterId],
    made: HashMap<LetterId, MadeOf>,
    /// Those of the difference of one letter.
    bounds: diff::Bounds,
    /// What is tried.
    asked: &'a TryTransform,
    /// The message types by which bodies are read.
    types: Arc<MessageTypes>,
}

/// Counts what was made of letters, and shows the first of them.
async fn add(
    desk: &PgDesk,
    conn: &mut PgConnection,
    slot: &BodySlot,
    mut tried: Tried<'_>,
    preview: &mut TransformPreview,
) -> Result<(), DeskError> {
    let schemas = schemas_of(desk, conn, &tried.made).await?;
    for id in tried.chunk {
        let Some(made) = tried.made.remove(id) else {
            continue;
        };
        preview.tried += 1;
        let head = head_of(conn, *id, &made, tried.asked).await?;
        match &made.sent {
            _ if head.refusal.is_some() => preview.failed += 1,
            Sent::Failed(_) => preview.failed += 1,
            Sent::Same => preview.unchanged += 1,
            Sent::Changed(_) | Sent::Opened(..) => preview.changed += 1,
        }
        preview.headers_changed += i64::from(head.diff.is_some());
        let is_shown = preview.letters.len() < MOST_SHOWN;
        let schema = schemas.get(id).cloned();
        if !(is_shown || schema.is_some()) {
            continue;
        }
        let types = tried.types.clone();
        let made = MadeOfOne { id: *id, made, schema, bounds: tried.bounds, types };
        let mut one = look_at(conn, slot, made).await?;
        one.headers = head.diff;
        one.error = one.error.or_else(|| head.refusal.map(|why| why.to_string()));
        let is_unfit = one.schema.as_ref().is_some_and(|check| !check.fits());
        preview.unfit += i64::from(is_unfit);
        if is_shown {
            preview.letters.push(one);
        }
    }
    Ok(())
}

/// What would become of the properties and headers of a letter.
#[derive(Debug, Default)]
struct TriedHead {
    /// What differs; `None` if nothing does, or no message would be sent.
    diff: Option<Diff>,
    /// Why no broker would take them.
    refusal: Option<CannotRepublish>,
}

async fn head_of(
    conn: &mut PgConnection,
    letter: LetterId,
    made: &MadeOf,
    asked: &TryTransform,
) -> Result<TriedHead, DeskError> {
    if matches!(made.sent, Sent::Failed(_)) {
        return Ok(TriedHead::default());
    }
    let Some(arrived) = messages::head(conn, letter, made.ordinal).await? else {
        return Ok(TriedHead::default());
    };
    let opened = match &made.sent {
        Sent::Opened(_, Frozen { head, .. }) => head.as_ref(),
        _ => None,
    };
    let MessageHead { properties, headers: own } = opened.unwrap_or(&arrived).clone();
    let marks = (letter, ReplayId(Uuid::nil()), 0);
    let terms = Terms { marks, keep_expiration: asked.keep_expiration, headers: &asked.headers };
    Ok(match republish(properties, own, 0, terms) {
        Ok(sent) => {
            let diff = difference(&arrived.properties, &arrived.headers, &sent);
            TriedHead { diff: (!diff.lines.is_empty()).then_some(diff), refusal: None }
        }
        Err(why) => TriedHead { diff: None, refusal: Some(why) },
    })
}

/// The schemas, and the source and the type of a letter by which its own is known.
#[derive(Debug, Clone)]
struct ItsSchema {
    schemas: Schemas,
    source: String,
    message_type: Option<String>,
}

/// Letters whose bodies are changed and for which there is a schema.
async fn schemas_of(
    desk: &PgDesk,
    conn: &mut PgConnection,
    made: &HashMap<LetterId, MadeOf>,
) -> Result<HashMap<LetterId, ItsSchema>, DeskError> {
    if desk.json_schemas.is_empty() {
        return Ok(HashMap::new());
    }
    let changed = made.iter().filter(|(_, one)| matches!(one.sent, Sent::Changed(_)));
    let changed: Vec<LetterId> = changed.map(|(id, _)| *id).collect();
    let letters = letter_list::these(conn, &changed).await?.into_iter();
    let schemas = letters.filter_map(|letter| {
        let kind = letter.message_type.as_deref();
        desk.json_schemas.of(&letter.source, kind)?;
        let its = ItsSchema {
            schemas: desk.json_schemas.clone(),
            source: letter.source,
            message_type: letter.message_type,
        };
        Some((letter.id, its))
    });
    Ok(schemas.collect())
}

/// What is made of one letter.
struct MadeOfOne {
    id: LetterId,
    made: MadeOf,
    schema: Option<ItsSchema>,
    bounds: diff::Bounds,
    types: Arc<MessageTypes>,
}

/// What is made of one letter, and what its schema says of that.
async fn look_at(
    conn: &mut PgConnection,
    slot: &BodySlot,
    change: MadeOfOne,
) -> Result<TriedLetter, DeskError> {
    let MadeOfOne { id, made, schema, bounds, types } = change;
    let mut tried =
        TriedLetter { letter_id: id, error: None, diff: None, headers: None, schema: None };
    match made.sent {
        Sent::Same => {}
        Sent::Failed(why) => tried.error = Some(why),
        Sent::Changed(frozen) | Sent::Opened(_, frozen) => {
            let before = compared(conn, id, made.ordinal).await?;
            let compare = move || {
                let after_head = sent_head(&before.head, &frozen);
                let after = diff::Body { labels: after_head.labels(&types), bytes: &frozen.body };
                let check = schema.and_then(|its| {
                    let schema = its.schemas.of(&its.source, its.message_type.as_deref())?;
                    Some(schema.check(after.labels, after.bytes))
                });
                (check, diff::of_bodies(as_body(&before, &types), after, bounds))
            };
            let (schema, diff) = slot.run(compare).await;
            tried.schema = schema;
            tried.diff = Some(diff);
        }
    }
    Ok(tried)
}

/// An arrival's body to be compared: of one that is too large for that only so much that this shows.
pub(super) async fn compared(
    conn: &mut PgConnection,
    letter: LetterId,
    ordinal: i32,
) -> Result<StoredBody, DeskError> {
    let range =
        BodyRange { from: 0, most: u32::try_from(diff::MOST_BYTES + 1).unwrap_or(u32::MAX) };
    let body = letter_detail::body(conn, letter, Some(ordinal), range).await?;
    body.ok_or_else(|| no_letter(letter))
}

/// Such a body, with what its sender says of it.
pub(super) fn as_body<'a>(body: &'a StoredBody, types: &'a MessageTypes) -> diff::Body<'a> {
    diff::Body { labels: body.head.labels(types), bytes: &body.part.bytes }
}

/// What is said of a body that is sent in the place of one.
fn sent_head(before: &BodyHead, frozen: &Frozen) -> BodyHead {
    match &frozen.head {
        Some(MessageHead { properties, headers }) => {
            let origin = before.origin.clone();
            BodyHead { origin, ..BodyHead::of(properties.clone(), headers.clone()) }
        }
        None => BodyHead {
            content_type: frozen.content_type.clone().or_else(|| before.content_type.clone()),
            ..before.clone()
        },
    }
}

/// The first letters that a replay would take now.
async fn replayable(conn: &mut PgConnection, ids: &[LetterId]) -> Result<Vec<LetterId>, DeskError> {
    let mut found = Vec::new();
    for chunk in ids.chunks(MOST_TRIED) {
        let mut candidates = candidates::find(conn, chunk, false).await?;
        candidates.sort_unstable_by_key(|letter| letter.id.0);
        let fit = candidates.into_iter().filter(|letter| letter.state.after(Change::Claim).is_ok());
        found.extend(fit.map(|letter| letter.id));
        if found.len() >= MOST_TRIED {
            break;
        }
    }
    found.truncate(MOST_TRIED);
    Ok(found)
}

fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
