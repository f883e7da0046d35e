//! What stands in the form that edits a body, and what a body can be written in.

use std::borrow::Cow;
use std::sync::Arc;

use dlo_domain::budget::page_cost;
use dlo_domain::changing::{DraftSheet, EditSheet, MOST_EDITED_BYTES, Shape};
use dlo_domain::decoding::{BodyHead, Format, Labels, MessageTypes, Rewritable, TooLarge};
use dlo_domain::json_text::pretty;
use dlo_domain::letter::LetterSummary;

use crate::json_schemas::Schemas;
use crate::store::drafts::Draft;
use crate::store::replays::bodies::Original;
use crate::transform::{check_json, diff, size_in_words};

/// What the text in the form may take on its page, in bytes.
pub(super) const FORM_BUDGET: usize = 1_200_000;

/// The longest text in the form, in bytes. A sign costs two at least.
pub(super) const MOST_FORM_BYTES: usize = 512 * 1024;

/// What the form is made of.
pub(super) struct Form {
    pub(super) summary: LetterSummary,
    pub(super) shape: Option<Shape>,
    pub(super) draft: Option<Draft>,
    pub(super) schemas: Schemas,
    pub(super) types: Arc<MessageTypes>,
    pub(super) needs_approval: bool,
    pub(super) bounds: diff::Bounds,
}

impl Form {
    /// The form for a letter's body, or the reason why there is none.
    pub(super) fn sheet(self, last: LastBody) -> EditSheet {
        match last {
            LastBody::Editable(original) => self.whole(&original),
            LastBody::TooLarge(large) => EditSheet {
                arrival: large.ordinal,
                content_type: large.content_type.clone().unwrap_or_default(),
                cannot: Some(large.to_string()),
                ..self.empty()
            },
        }
    }

    fn empty(&self) -> EditSheet {
        EditSheet {
            letter_id: self.summary.id,
            arrival: 0,
            shape: Shape::Hex,
            shapes: vec![Shape::Hex],
            text: String::new(),
            content_type: String::new(),
            content_encoding: None,
            queue: self.summary.queue.clone(),
            cannot: None,
            note: None,
            draft: None,
            schema: None,
            needs_approval: self.needs_approval,
        }
    }

    fn whole(&self, original: &Original) -> EditSheet {
        let (body, head) = match &self.draft {
            None => (&original.body, original.head.clone()),
            Some(draft) => (&draft.body, draft_head(&original.head, draft)),
        };
        let labels = head.labels(&self.types);
        let read = read(labels, body);
        let message_type = self.summary.message_type.as_deref();
        let schema = self.schemas.of(&self.summary.source, message_type);
        let Writable { shapes, note } = writable(&read);
        let wanted = self.shape.or(self.draft.as_ref().map(|draft| draft.shape));
        let shape = wanted.filter(|shape| shapes.contains(shape)).unwrap_or(shapes[0]);
        let packed_in = read.as_ref().map(|read| read.packed_in().join(", ")).unwrap_or_default();
        EditSheet {
            arrival: original.ordinal,
            shape,
            text: written(shape, read.as_ref().ok(), body).unwrap_or_default(),
            content_type: head.content_type.clone().unwrap_or_default(),
            content_encoding: Some(packed_in)
                .filter(|packed_in| shape != Shape::Hex && !packed_in.is_empty()),
            note: note.or_else(|| rewrites(shape, read.as_ref().ok())),
            draft: self.draft.as_ref().map(|draft| self.of_draft(original, draft)),
            schema: schema.map(|schema| schema.check(labels, body)),
            shapes,
            ..self.empty()
        }
    }

    fn of_draft(&self, original: &Original, draft: &Draft) -> DraftSheet {
        let head = draft_head(&original.head, draft);
        let before =
            diff::Body { labels: original.head.labels(&self.types), bytes: &original.body };
        let after = diff::Body { labels: head.labels(&self.types), bytes: &draft.body };
        DraftSheet {
            id: draft.id,
            diff: diff::of_bodies(before, after, self.bounds),
            size_bytes: i64::try_from(draft.body.len()).unwrap_or(i64::MAX),
            differs: draft.content_type.is_some() || draft.body != original.body,
        }
    }
}

/// Reads a body, if it is not too large to be shown in the form.
pub(super) fn read<'a>(labels: Labels<'a>, body: &'a [u8]) -> Result<Rewritable<'a>, TooLarge> {
    Rewritable::read(labels, body, MOST_FORM_BYTES)
}

/// What is said of a body once it is sent as this draft.
pub(super) fn draft_head(original: &BodyHead, draft: &Draft) -> BodyHead {
    let content_type = draft.content_type.clone().or_else(|| original.content_type.clone());
    BodyHead { content_type, ..original.clone() }
}

/// The text that the form shows of a body; `None` if it shows none.
pub(super) fn text_of(shape: Shape, labels: Labels<'_>, body: &[u8]) -> Option<String> {
    written(shape, read(labels, body).ok().as_ref(), body)
}

/// The body of a letter's last arrival.
pub(super) enum LastBody {
    /// It can be edited by hand.
    Editable(Original),
    /// It was not loaded.
    TooLarge(LargeBody),
}

/// A body that is too large to be edited by hand.
#[derive(Debug, thiserror::Error)]
#[error(
    "The body has {size_bytes} bytes; at most {MOST_EDITED_BYTES} can be edited by hand. A jq program changes \
     bodies up to 16 MiB; the API replays a letter with any other body up to {MOST_EDITED_BYTES} bytes."
)]
pub(super) struct LargeBody {
    pub(super) ordinal: i32,
    pub(super) size_bytes: i64,
    pub(super) content_type: Option<String>,
}

/// What a body can be written in.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Writable {
    /// The ways, the best first.
    pub(super) shapes: Vec<Shape>,
    /// Why there is no better one, and what to do.
    pub(super) note: Option<String>,
}

/// What a body can be written in. A text that would not be shown whole is not one of the ways: what is not
/// shown must not be edited.
pub(super) fn writable(read: &Result<Rewritable<'_>, TooLarge>) -> Writable {
    let read = match read {
        Ok(read) => read,
        Err(TooLarge(most)) => {
            let begin = format!(
                "This body unpacks to more than {}, which is too much",
                size_in_words(*most)
            );
            return Writable { shapes: vec![Shape::Hex], note: Some(what_else(&begin)) };
        }
    };
    let has_values = has_values(read);
    let is_text = is_text(read.bytes());
    let is_json = read.format() == Some(Format::Json);
    let mut shapes = Vec::new();
    let shows = |shape| text_in(shape, read).is_some();
    shapes.extend((has_values && shows(Shape::Json)).then_some(Shape::Json));
    shapes.extend(((is_json || is_text) && shows(Shape::Text)).then_some(Shape::Text));
    // People know a document of XML as the text that it is.
    if read.format() == Some(Format::Xml) && shapes.contains(&Shape::Text) {
        shapes.sort_by_key(|shape| *shape != Shape::Text);
    }
    shapes.push(Shape::Hex);
    let note = if shapes == [Shape::Hex] && (has_values || is_text) {
        Some(what_else("This body is too long"))
    } else if has_values && !shapes.contains(&Shape::Json) {
        Some(
            "This JSON is too long to be laid out, so it is edited as the text that it is."
                .to_owned(),
        )
    } else {
        None
    };
    Writable { shapes, note }
}

/// Whether its values can be edited.
fn has_values(read: &Rewritable<'_>) -> bool {
    let is_strict = || read.values().is_some_and(|text| check_json(text.as_bytes()).is_ok());
    read.can_be_rewritten().is_ok() && is_strict()
}

/// What becomes of values that are not written as JSON, as a sentence.
fn rewrites(shape: Shape, read: Option<&Rewritable<'_>>) -> Option<String> {
    let read = read?;
    let format = read.format().filter(|format| *format != Format::Json)?;
    match read.can_be_rewritten() {
        Ok(()) if shape == Shape::Json => Some(format!(
            "It is {name}. Its values are shown as JSON here, and sent as {name}: what you leave as it is stays as it \
             was written.",
            name = format.name()
        )),
        Ok(()) => None,
        Err(why) => Some(format!("Its values cannot be edited here: {why}.")),
    }
}

fn what_else(begin: &str) -> String {
    format!(
        "{begin} to be edited as text. Change it with a jq program (bodies up to 16 MiB), edit its bytes in \
         hexadecimal here, or replay it through the API with another body."
    )
}

/// The text of a body as it stands in the form, if that is not too much for a page.
fn text_in<'a>(shape: Shape, read: &'a Rewritable<'_>) -> Option<Cow<'a, str>> {
    let text = match shape {
        Shape::Json => Cow::Owned(pretty(&read.values()?, MOST_FORM_BYTES)?),
        Shape::Text | Shape::Hex => Cow::Borrowed(std::str::from_utf8(read.bytes()).ok()?),
    };
    (page_cost(&text) <= FORM_BUDGET).then_some(text)
}

/// What a text field gives back as it was: a browser changes ends of lines, and no control
/// character survives.
fn is_text(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes)
        .is_ok_and(|text| !text.contains(|c: char| c.is_control() && !matches!(c, '\n' | '\t')))
}

/// The text in the form; `None` if it shows none.
pub(super) fn written(shape: Shape, read: Option<&Rewritable<'_>>, body: &[u8]) -> Option<String> {
    if shape == Shape::Hex {
        let rows: Vec<String> = body.chunks(32).map(hex::encode).collect();
        return Some(rows.join("\n"));
    }
    text_in(shape, read?).map(Cow::into_owned)
}
