//! What a jq program would make of letters, and what replays sent in place of letters' bodies.

use std::collections::HashMap;

use dlo_app::desk::DeskError;
use dlo_domain::changing::{
    BackBody, MOST_SHOWN, MOST_TRIED, SentBody, TransformPreview, TriedLetter, TryTransform,
};
use dlo_domain::ids::{LetterId, ReplayId};
use dlo_domain::state::Change;
use sqlx::PgConnection;

use super::PgDesk;
use super::letters::no_letter;
use super::selection::chosen;
use crate::changes::{ChangeError, Changes, MadeOf, Sent};
use crate::schemas::Schema;
use crate::store::replays::bodies::{self, Frozen, Original};
use crate::store::replays::plan;
use crate::store::{letter_detail, letter_list};
use crate::transform::{TransformError, diff};

impl From<ChangeError> for DeskError {
    fn from(why: ChangeError) -> Self {
        match why {
            ChangeError::Store(why) => why.into(),
            ChangeError::Unfit(why) => Self::Unfit { why, place: None },
            ChangeError::Transform(TransformError::NoWorker(why)) => {
                tracing::error!(%why, "no process for jq programs could be started");
                Self::Unavailable(
                    "The process that carries out jq programs could not be started. Nothing was \
                     changed; the log tells why."
                        .to_owned(),
                )
            }
            ChangeError::Transform(why @ TransformError::Busy) => {
                Self::Unavailable(why.to_string())
            }
            ChangeError::Transform(why) => {
                let place = match &why {
                    TransformError::Fault {
                        position, length, ..
                    } => Some((*position, *length)),
                    _ => None,
                };
                Self::Unfit {
                    why: why.to_string(),
                    place,
                }
            }
        }
    }
}

/// Tries a program on the first letters of a selection that can be replayed. Changes nothing.
pub(super) async fn try_out(
    desk: &PgDesk,
    asked: &TryTransform,
) -> Result<TransformPreview, DeskError> {
    let changes = Changes::try_out(&asked.transform.jq, &desk.transformer).await?;
    let mut transaction = desk.begin().await?;
    let ids = chosen(&mut transaction, &asked.selection, desk.clock.now()).await?;
    let tried = replayable(&mut transaction, &ids).await?;
    // The program takes its time: meanwhile others have the connection.
    drop(transaction);
    let made = changes.make(&desk.pool, &tried).await?;
    let mut transaction = desk.begin().await?;
    let conn = &mut *transaction;
    let mut preview = TransformPreview {
        total: number(ids.len()),
        tried: number(made.len()),
        changed: 0,
        unchanged: 0,
        failed: 0,
        unfit: 0,
        letters: Vec::new(),
    };
    for one in made.values() {
        match one.sent {
            Sent::Same => preview.unchanged += 1,
            Sent::Changed(_) => preview.changed += 1,
            Sent::Failed(_) => preview.failed += 1,
        }
    }
    let schemas = schemas_of(desk, conn, &made).await?;
    for (place, id) in tried.into_iter().enumerate() {
        let is_shown = place < MOST_SHOWN;
        let schema = schemas.get(&id).copied();
        let Some(sent) = made.get(&id).filter(|_| is_shown || schema.is_some()) else {
            continue;
        };
        let one = look_at(conn, id, &sent.sent, schema).await?;
        let is_unfit = one.schema.as_ref().is_some_and(|check| !check.fits());
        preview.unfit += i64::from(is_unfit);
        if is_shown {
            preview.letters.push(one);
        }
    }
    Ok(preview)
}

/// The schemas for letters whose bodies are changed.
async fn schemas_of<'a>(
    desk: &'a PgDesk,
    conn: &mut PgConnection,
    made: &HashMap<LetterId, MadeOf>,
) -> Result<HashMap<LetterId, &'a Schema>, DeskError> {
    if desk.schemas.is_empty() {
        return Ok(HashMap::new());
    }
    let changed = made
        .iter()
        .filter(|(_, one)| matches!(one.sent, Sent::Changed(_)));
    let changed: Vec<LetterId> = changed.map(|(id, _)| *id).collect();
    let letters = letter_list::these(conn, &changed).await?.into_iter();
    let schemas = letters.filter_map(|letter| {
        let schema = desk
            .schemas
            .of(&letter.source, letter.message_type.as_deref())?;
        Some((letter.id, schema))
    });
    Ok(schemas.collect())
}

/// What is made of one letter, and what its schema says of that.
async fn look_at(
    conn: &mut PgConnection,
    id: LetterId,
    sent: &Sent,
    schema: Option<&Schema>,
) -> Result<TriedLetter, DeskError> {
    let mut tried = TriedLetter {
        letter_id: id,
        error: None,
        diff: None,
        schema: None,
    };
    match sent {
        Sent::Same => {}
        Sent::Failed(why) => tried.error = Some(why.clone()),
        Sent::Changed(frozen) => {
            let original = bodies::originals(conn, &[id]).await?.pop();
            let original = original.ok_or_else(|| no_letter(id))?;
            let encoding = original.content_encoding.as_deref();
            tried.schema = schema.map(|schema| schema.check(encoding, &frozen.body));
            tried.diff = Some(difference(&original, frozen));
        }
    }
    Ok(tried)
}

/// The first letters that a replay would take now.
async fn replayable(conn: &mut PgConnection, ids: &[LetterId]) -> Result<Vec<LetterId>, DeskError> {
    let mut found = Vec::new();
    for chunk in ids.chunks(MOST_TRIED) {
        let candidates = plan::candidates(conn, chunk, false).await?;
        let fit = candidates
            .into_iter()
            .filter(|letter| letter.state.after(Change::Claim).is_ok());
        found.extend(fit.map(|letter| letter.id));
        if found.len() >= MOST_TRIED {
            break;
        }
    }
    found.truncate(MOST_TRIED);
    Ok(found)
}

fn difference(original: &Original, frozen: &Frozen) -> dlo_domain::changing::Diff {
    let encoding = original.content_encoding.as_deref();
    diff::of_bodies((encoding, &original.body), (encoding, &frozen.body))
}

/// What a replay sent in place of a letter's body.
pub(super) async fn sent(
    desk: &PgDesk,
    letter: LetterId,
    replay: ReplayId,
) -> Result<SentBody, DeskError> {
    let mut transaction = desk.begin().await?;
    let conn = &mut *transaction;
    let found = letter_detail::letter(conn, letter).await?;
    let found = found.ok_or_else(|| no_letter(letter))?;
    let frozen = bodies::frozen(conn, replay, &[letter]).await?.pop();
    let mark = found.replays.iter().find(|one| one.replay_id == replay);
    let mark = mark.and_then(|one| one.sent.clone());
    let (Some(frozen), Some(mark)) = (frozen, mark) else {
        return Err(DeskError::NotFound(format!(
            "the replay {replay} sends the letter {letter} with the body that it arrived with, or \
             not at all"
        )));
    };
    let arrival = |ordinal| found.arrivals.iter().find(|one| one.ordinal == ordinal);
    let shown = |text: &dlo_domain::wire::WireText| text.to_display().into_owned();
    let properties = arrival(frozen.ordinal).map(|one| &one.properties);
    let encoding = properties.and_then(|of| of.content_encoding.as_ref().map(shown));
    let own_type = properties.and_then(|of| of.content_type.as_ref().map(shown));
    let encoding = encoding.as_deref();
    let before = body_of(conn, letter, frozen.ordinal).await?;
    let back = match found
        .arrivals
        .iter()
        .rfind(|one| one.replay_id == Some(replay))
    {
        None => None,
        Some(back) => {
            let is_same = back.body_sha256 == mark.body_sha256;
            let body = body_of(conn, letter, back.ordinal).await?;
            let back_encoding = back.properties.content_encoding.as_ref().map(shown);
            Some(BackBody {
                arrival: back.ordinal,
                arrived_at: back.arrived_at,
                diff: diff::of_bodies((encoding, &frozen.body), (back_encoding.as_deref(), &body)),
                is_same,
            })
        }
    };
    Ok(SentBody {
        letter_id: letter,
        replay_id: replay,
        from_arrival: frozen.ordinal,
        size_bytes: mark.size_bytes,
        body_sha256: mark.body_sha256,
        content_type: frozen.content_type.or(own_type),
        diff: diff::of_bodies((encoding, &before), (encoding, &frozen.body)),
        back,
    })
}

async fn body_of(
    conn: &mut PgConnection,
    letter: LetterId,
    ordinal: i32,
) -> Result<Vec<u8>, DeskError> {
    let part = letter_detail::body(conn, letter, Some(ordinal), i32::MAX).await?;
    Ok(part.ok_or_else(|| no_letter(letter))?.bytes)
}

fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
