//! Editing one letter's body by hand: what stands in the form, what was written in it, and what
//! becomes of that. A draft is kept until it is sent; the arrival stays as it is.

mod form;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dlo_app::desk::DeskError;
use dlo_domain::audit::Actor;
use dlo_domain::budget::page_cost;
use dlo_domain::changing::{Edit, EditSheet, MOST_EDITED_BYTES, NewDraft, Shape};
use dlo_domain::decoding::{Format, MessageTypes};
use dlo_domain::ids::LetterId;
use dlo_domain::json_text::compact;
use dlo_domain::payload::BodyRange;
use sqlx::PgConnection;
use uuid::Uuid;

use self::form::{FORM_BUDGET, Form, LargeBody, LastBody, MOST_FORM_BYTES};
use super::PgDesk;
use super::letters::{message_types, no_letter};
use crate::changes::check_edit;
use crate::clock::new_id;
use crate::store::drafts::{self, Draft};
use crate::store::letter_detail::{self, StoredBody};
use crate::store::replays::bodies::Original;
use crate::store::shared_time;
use crate::transform::offload::BodySlot;
use crate::transform::{check_json, diff, size_in_words};

/// The form for a letter's last arrival, or for a draft of it.
pub(super) async fn sheet(
    desk: &PgDesk,
    id: LetterId,
    shape: Option<Shape>,
    draft: Option<Uuid>,
) -> Result<EditSheet, DeskError> {
    let slot = BodySlot::large(desk.patience.turn).await?;
    let types = message_types(desk).await?;
    let mut transaction = desk.begin().await?;
    let conn = &mut *transaction;
    let summary = letter_detail::summary(conn, id).await?;
    let summary = summary.ok_or_else(|| no_letter(id))?;
    let last = last_body(conn, id).await?;
    let draft = match draft {
        Some(draft) if matches!(last, LastBody::Editable(_)) => Some(find(conn, id, draft).await?),
        _ => None,
    };
    drop(transaction);
    let form = Form {
        summary,
        shape,
        draft,
        schemas: desk.json_schemas.clone(),
        types,
        needs_approval: desk.replaying.transforms_need_approval,
        bounds: diff::Bounds::of_one(desk.patience.diff),
    };
    Ok(slot.run(move || form.sheet(last)).await)
}

/// Keeps what was written, when it can be sent.
pub(super) async fn keep(
    desk: &PgDesk,
    actor: &Actor,
    id: LetterId,
    new: &NewDraft,
) -> Result<Uuid, DeskError> {
    let slot = BodySlot::large(desk.patience.turn).await?;
    let types = message_types(desk).await?;
    let original = match last_body(&mut *desk.begin().await?, id).await? {
        LastBody::Editable(original) => original,
        LastBody::TooLarge(large) => return Err(DeskError::Invalid(large.to_string())),
    };
    let (ordinal, shape, new) = (original.ordinal, new.shape, new.clone());
    let checked = slot.run(move || check(&new, &original, &types)).await;
    let (body, content_type) = checked.map_err(DeskError::Invalid)?;
    let mut transaction = desk.begin().await?;
    let draft = Draft {
        id: new_id(&*desk.clock),
        letter: id,
        ordinal,
        made_by: actor.0.clone(),
        made_at: shared_time(&mut transaction, &*desk.clock).await?,
        body,
        content_type,
        shape,
    };
    drafts::keep(&mut transaction, &draft).await?;
    transaction.commit().await.map_err(super::error::of_commit)?;
    Ok(draft.id)
}

/// Whether what stands in the form is what it showed of a draft. The text is compared and not the bytes that
/// it comes to, since a draft can be shown in another form than it was written in.
pub(super) async fn is_draft(
    desk: &PgDesk,
    id: LetterId,
    draft: Uuid,
    now: &NewDraft,
) -> Result<bool, DeskError> {
    let slot = BodySlot::large(desk.patience.turn).await?;
    let types = message_types(desk).await?;
    let (draft, last) = {
        let mut transaction = desk.begin().await?;
        let draft = find(&mut transaction, id, draft).await?;
        (draft, last_body(&mut transaction, id).await?)
    };
    // One that outgrew the form was shown nothing of.
    let LastBody::Editable(original) = last else {
        return Ok(false);
    };
    let head = form::draft_head(&original.head, &draft);
    let content_type = head.content_type.clone();
    let shape = now.shape;
    let show = move || form::text_of(shape, head.labels(&types), &draft.body);
    let shown = slot.run(show).await;
    // A form sends every end of a line as CR LF.
    Ok(shown.is_some_and(|shown| now.text.replace("\r\n", "\n") == shown)
        && now.content_type.trim() == content_type.unwrap_or_default().trim())
}

/// What a draft sends.
pub(super) async fn of_kept(desk: &PgDesk, id: LetterId, draft: Uuid) -> Result<Edit, DeskError> {
    let mut transaction = desk.begin().await?;
    let conn = &mut *transaction;
    let draft = find(conn, id, draft).await?;
    let range = BodyRange { from: 0, most: 0 };
    let last = letter_detail::body(conn, id, None, range).await?;
    let last = last.ok_or_else(|| no_letter(id))?;
    if draft.ordinal != last.part.ordinal {
        return Err(DeskError::Conflict(
            "The letter came back after this was written. Nothing was sent: edit its last arrival."
                .to_owned(),
        ));
    }
    Ok(Edit { body: STANDARD.encode(&draft.body), content_type: draft.content_type })
}

/// A letter's last arrival, loaded only if it can be edited.
async fn last_body(conn: &mut PgConnection, id: LetterId) -> Result<LastBody, DeskError> {
    let range = BodyRange { from: 0, most: u32::try_from(MOST_EDITED_BYTES).unwrap_or(u32::MAX) };
    let found = letter_detail::body(conn, id, None, range).await?;
    let StoredBody { part, head } = found.ok_or_else(|| no_letter(id))?;
    let is_whole = i64::try_from(part.bytes.len()) == Ok(part.size_bytes);
    if !is_whole {
        return Ok(LastBody::TooLarge(LargeBody {
            ordinal: part.ordinal,
            size_bytes: part.size_bytes,
            content_type: head.content_type,
        }));
    }
    let original = Original { letter: id, ordinal: part.ordinal, head, body: part.bytes };
    Ok(LastBody::Editable(original))
}

async fn find(conn: &mut PgConnection, id: LetterId, draft: Uuid) -> Result<Draft, DeskError> {
    drafts::find(conn, draft, id).await?.ok_or_else(|| {
        DeskError::NotFound(
            "what was written is not kept any more (it is for a day): write it again".to_owned(),
        )
    })
}

/// Checks what was written, one check after the other, and makes the bytes to be sent.
fn check(
    new: &NewDraft,
    original: &Original,
    types: &MessageTypes,
) -> Result<(Vec<u8>, Option<String>), String> {
    let body = match new.shape {
        Shape::Hex => {
            let digits: String = new.text.split_whitespace().collect();
            hex::decode(&digits)
                .map_err(|why| format!("Invalid hexadecimal: {why}. Nothing was saved."))?
        }
        Shape::Json | Shape::Text if page_cost(&new.text) > FORM_BUDGET => {
            let most = size_in_words(MOST_FORM_BYTES);
            return Err(format!(
                "Not kept: the text is too long, at most about {most} can be edited here."
            ));
        }
        Shape::Json => {
            check_json(new.text.as_bytes())
                .map_err(|why| format!("{}. Nothing was saved.", why.to_author()))?;
            packed(original, types, new.text.trim(), Shape::Json)?
        }
        Shape::Text => packed(original, types, &new.text, Shape::Text)?,
    };
    let kind = new.content_type.trim();
    let kind =
        (!kind.is_empty() && original.head.content_type.as_deref() != Some(kind)).then_some(kind);
    check_edit(&body, kind).map_err(|why| format!("Not kept: {why}."))?;
    Ok((body, kind.map(str::to_owned)))
}

/// What was written as it is sent, with the ends of lines that there were. What is the same is sent as it arrived, byte
/// by byte; JSON that arrived in one line is sent in one line, and values in the format in which they arrived.
fn packed(
    original: &Original,
    types: &MessageTypes,
    text: &str,
    shape: Shape,
) -> Result<Vec<u8>, String> {
    let not_kept = |why| format!("Not kept: {why}. Edit its bytes in hexadecimal.");
    let read = form::read(original.head.labels(types), &original.body);
    let read = read.map_err(|why| not_kept(why.to_string()))?;
    // A form sends every end of a line as CR LF.
    let mut text = text.replace("\r\n", "\n");
    let before = std::str::from_utf8(read.bytes()).unwrap_or_default();
    if shape == Shape::Json {
        let values = read.values().filter(|values| check_json(values.as_bytes()).is_ok());
        if values.is_some_and(|values| compact(&values) == compact(&text)) {
            return Ok(original.body.clone());
        }
        if read.format() != Some(Format::Json) {
            return read.with_values(&text).map_err(|why| format!("Not kept: {why}."));
        }
        if !before.trim().contains('\n') {
            text = compact(&text);
        }
    }
    if text == before {
        return Ok(original.body.clone());
    }
    read.with_bytes(text.into_bytes()).map_err(not_kept)
}

#[cfg(test)]
mod tests;
