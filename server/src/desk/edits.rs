//! Editing one letter's body by hand: what stands in the form, what was written in it, and what
//! becomes of that. A draft is kept until it is sent; the arrival stays as it is.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dlo_app::desk::DeskError;
use dlo_domain::audit::Actor;
use dlo_domain::changing::{DraftSheet, Edit, EditSheet, MOST_EDITED_BYTES, NewDraft, Shape};
use dlo_domain::ids::LetterId;
use sqlx::PgConnection;
use uuid::Uuid;

use super::PgDesk;
use super::letters::no_letter;
use crate::changes::check_edit;
use crate::clock::new_id;
use crate::store::drafts::{self, Draft};
use crate::store::letter_detail;
use crate::store::replays::bodies::{self, Original};
use crate::store::shared_time;
use crate::transform::pretty::{compact, pretty};
use crate::transform::{check_json, diff, unpack};

/// The form for a letter's last arrival, or for a draft of it.
pub(super) async fn sheet(
    desk: &PgDesk,
    id: LetterId,
    shape: Option<Shape>,
    draft: Option<Uuid>,
) -> Result<EditSheet, DeskError> {
    let mut transaction = desk.begin().await?;
    let conn = &mut *transaction;
    let letter = letter_detail::letter(conn, id).await?;
    let letter = letter.ok_or_else(|| no_letter(id))?;
    let original = original(conn, id).await?;
    let draft = match draft {
        None => None,
        Some(draft) => Some(find(conn, id, draft).await?),
    };
    let (body, content_type) = match &draft {
        None => (&original.body, original.content_type.clone()),
        Some(draft) => {
            let kind = draft.content_type.clone();
            (&draft.body, kind.or_else(|| original.content_type.clone()))
        }
    };
    let encoding = original.content_encoding.as_deref();
    let summary = &letter.summary;
    let schema = desk
        .schemas
        .of(&summary.source, summary.message_type.as_deref());
    let schema = schema.map(|schema| schema.check(encoding, body));
    let shapes = shapes(encoding, body);
    let shape = shape.or(draft.as_ref().map(|draft| draft.shape));
    let shape = shape
        .filter(|shape| shapes.contains(shape))
        .unwrap_or(shapes[0]);
    let cannot = (body.len() > MOST_EDITED_BYTES).then(|| {
        format!(
            "The body has {} bytes; at most {MOST_EDITED_BYTES} can be edited by hand. A jq \
             program changes bodies up to 16 MiB.",
            body.len()
        )
    });
    let text = match &cannot {
        None => written(shape, encoding, body),
        Some(_) => String::new(),
    };
    Ok(EditSheet {
        letter_id: id,
        arrival: original.ordinal,
        shape,
        text,
        content_type: content_type.unwrap_or_default(),
        content_encoding: original
            .content_encoding
            .clone()
            .filter(|_| shape != Shape::Hex && is_packed(encoding, body)),
        queue: letter.summary.queue,
        cannot,
        draft: draft.map(|draft| of_draft(&original, &draft)),
        schema,
        needs_approval: desk.replaying.transforms_need_approval,
        shapes,
    })
}

fn of_draft(original: &Original, draft: &Draft) -> DraftSheet {
    let encoding = original.content_encoding.as_deref();
    DraftSheet {
        id: draft.id,
        diff: diff::of_bodies((encoding, &original.body), (encoding, &draft.body)),
        size_bytes: i64::try_from(draft.body.len()).unwrap_or(i64::MAX),
        differs: draft.content_type.is_some() || draft.body != original.body,
    }
}

/// Keeps what was written, when it can be sent.
pub(super) async fn keep(
    desk: &PgDesk,
    actor: &Actor,
    id: LetterId,
    new: &NewDraft,
) -> Result<Uuid, DeskError> {
    let mut transaction = desk.begin().await?;
    let conn = &mut *transaction;
    let original = original(conn, id).await?;
    let (body, content_type) = check(new, &original).map_err(DeskError::Invalid)?;
    let draft = Draft {
        id: new_id(&*desk.clock),
        letter: id,
        ordinal: original.ordinal,
        made_by: actor.0.clone(),
        made_at: shared_time(conn, &*desk.clock).await?,
        body,
        content_type,
        shape: new.shape,
    };
    drafts::keep(conn, &draft).await?;
    transaction
        .commit()
        .await
        .map_err(super::error::of_commit)?;
    Ok(draft.id)
}

/// What a draft sends.
pub(super) async fn of_kept(desk: &PgDesk, id: LetterId, draft: Uuid) -> Result<Edit, DeskError> {
    let mut transaction = desk.begin().await?;
    let conn = &mut *transaction;
    let draft = find(conn, id, draft).await?;
    let original = original(conn, id).await?;
    if draft.ordinal != original.ordinal {
        return Err(DeskError::Conflict(
            "The letter came back after this was written. Nothing was sent: look at its last \
             arrival, and edit that."
                .to_owned(),
        ));
    }
    Ok(Edit {
        body: STANDARD.encode(&draft.body),
        content_type: draft.content_type,
    })
}

async fn original(conn: &mut PgConnection, id: LetterId) -> Result<Original, DeskError> {
    let found = bodies::originals(conn, &[id]).await?.pop();
    found.ok_or_else(|| no_letter(id))
}

async fn find(conn: &mut PgConnection, id: LetterId, draft: Uuid) -> Result<Draft, DeskError> {
    drafts::find(conn, draft, id).await?.ok_or_else(|| {
        DeskError::NotFound(
            "what was written is not kept any more (it is for a day): write it again".to_owned(),
        )
    })
}

/// What a body can be written in, the best first.
fn shapes(encoding: Option<&str>, body: &[u8]) -> Vec<Shape> {
    let unpacked = unpack(encoding, body).map(|unpacked| unpacked.bytes);
    match unpacked {
        Ok(bytes) if check_json(&bytes).is_ok() => Shape::ALL.to_vec(),
        Ok(bytes) if is_text(&bytes) => vec![Shape::Text, Shape::Hex],
        _ => vec![Shape::Hex],
    }
}

/// What a text field gives back as it was: a browser changes ends of lines, and no control
/// character survives.
fn is_text(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes)
        .is_ok_and(|text| !text.contains(|c: char| c.is_control() && !matches!(c, '\n' | '\t')))
}

fn is_packed(encoding: Option<&str>, body: &[u8]) -> bool {
    unpack(encoding, body).is_ok_and(|unpacked| unpacked.is_packed())
}

fn written(shape: Shape, encoding: Option<&str>, body: &[u8]) -> String {
    let within = || {
        let unpacked = unpack(encoding, body).map(|unpacked| unpacked.bytes);
        String::from_utf8_lossy(&unpacked.unwrap_or_else(|_| body.to_vec())).into_owned()
    };
    match shape {
        Shape::Json => pretty(&within()),
        Shape::Text => within(),
        Shape::Hex => {
            let rows: Vec<String> = body.chunks(32).map(hex::encode).collect();
            rows.join("\n")
        }
    }
}

/// Checks what was written, one check after the other, and makes the bytes to be sent.
fn check(new: &NewDraft, original: &Original) -> Result<(Vec<u8>, Option<String>), String> {
    let body = match new.shape {
        Shape::Hex => {
            let digits: String = new.text.split_whitespace().collect();
            hex::decode(&digits).map_err(|why| format!("The body is no hexadecimal: {why}."))?
        }
        Shape::Json => {
            check_json(new.text.as_bytes())
                .map_err(|why| format!("The body is no JSON: {why}. Nothing was kept."))?;
            packed(original, new.text.trim(), Shape::Json)?
        }
        Shape::Text => packed(original, &new.text, Shape::Text)?,
    };
    let kind = new.content_type.trim();
    let kind = (!kind.is_empty() && original.content_type.as_deref() != Some(kind)).then_some(kind);
    check_edit(&body, kind).map_err(|why| format!("Not kept: {why}."))?;
    Ok((body, kind.map(str::to_owned)))
}

/// Text as it is sent, with the ends of lines that it had. What is the same is sent as it arrived,
/// byte by byte; JSON that arrived in one line is sent in one line.
fn packed(original: &Original, text: &str, shape: Shape) -> Result<Vec<u8>, String> {
    let unpacked = unpack(original.content_encoding.as_deref(), &original.body)
        .map_err(|why| format!("Not kept: {why}. Edit its bytes in hexadecimal."))?;
    // A form sends every end of a line as CR LF.
    let mut text = text.replace("\r\n", "\n");
    let before = std::str::from_utf8(&unpacked.bytes).unwrap_or_default();
    if shape == Shape::Json {
        if check_json(before.as_bytes()).is_ok() && pretty(before) == pretty(&text) {
            return Ok(original.body.clone());
        }
        if !before.trim().contains('\n') {
            text = compact(&text);
        }
    }
    if text == before {
        return Ok(original.body.clone());
    }
    unpacked.pack(text.into_bytes())
}

#[cfg(test)]
mod tests;
