//! What stands in the form that edits a body, and what a body can be written in.

use std::borrow::Cow;

use dlo_domain::budget::page_cost;
use dlo_domain::changing::{DraftSheet, EditSheet, MOST_EDITED_BYTES, Shape};
use dlo_domain::letter::LetterSummary;

use crate::json_schemas::Schemas;
use crate::store::drafts::Draft;
use crate::store::replays::bodies::Original;
use crate::transform::pretty::pretty;
use crate::transform::{UnpackError, Unpacked, check_json, diff, size_in_words, unpack_within};

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
    pub(super) needs_approval: bool,
    pub(super) bounds: diff::Bounds,
}

impl Form {
    /// The form for a letter's body, or the reason why there is none.
    pub(super) fn sheet(self, original: Result<Original, TooLarge>) -> EditSheet {
        match original {
            Ok(original) => self.whole(&original),
            Err(large) => EditSheet {
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
        let encoding = original.content_encoding.as_deref();
        let (body, kind) = match &self.draft {
            None => (&original.body, None),
            Some(draft) => (&draft.body, draft.content_type.clone()),
        };
        let message_type = self.summary.message_type.as_deref();
        let schema = self.schemas.of(&self.summary.source, message_type);
        let Writable { shapes, note } = writable(encoding, body);
        let wanted = self.shape.or(self.draft.as_ref().map(|draft| draft.shape));
        let shape = wanted.filter(|shape| shapes.contains(shape)).unwrap_or(shapes[0]);
        let unpacked = unpack_within(encoding, body, MOST_FORM_BYTES).ok();
        let is_packed = unpacked.as_ref().is_some_and(Unpacked::is_packed);
        EditSheet {
            arrival: original.ordinal,
            shape,
            text: written(shape, unpacked, body).unwrap_or_default(),
            content_type: kind.or_else(|| original.content_type.clone()).unwrap_or_default(),
            content_encoding: original
                .content_encoding
                .clone()
                .filter(|_| shape != Shape::Hex && is_packed),
            note,
            draft: self.draft.as_ref().map(|draft| self.of_draft(original, draft)),
            schema: schema.map(|schema| schema.check(encoding, body)),
            shapes,
            ..self.empty()
        }
    }

    fn of_draft(&self, original: &Original, draft: &Draft) -> DraftSheet {
        let packed = |bytes| diff::Packed { encoding: original.content_encoding.as_deref(), bytes };
        DraftSheet {
            id: draft.id,
            diff: diff::of_bodies(packed(&original.body), packed(&draft.body), self.bounds),
            size_bytes: i64::try_from(draft.body.len()).unwrap_or(i64::MAX),
            differs: draft.content_type.is_some() || draft.body != original.body,
        }
    }
}

/// The text that the form shows of a body; `None` if it shows none.
pub(super) fn text_of(shape: Shape, encoding: Option<&str>, body: &[u8]) -> Option<String> {
    let unpacked = unpack_within(encoding, body, MOST_FORM_BYTES).ok();
    written(shape, unpacked, body)
}

/// A body that is too large to be edited by hand.
#[derive(Debug, thiserror::Error)]
#[error(
    "The body has {size_bytes} bytes; at most {MOST_EDITED_BYTES} can be edited by hand. A jq program changes \
     bodies up to 16 MiB; the API replays a letter with any other body up to {MOST_EDITED_BYTES} bytes."
)]
pub(super) struct TooLarge {
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
pub(super) fn writable(encoding: Option<&str>, body: &[u8]) -> Writable {
    let only = |shapes, note| Writable { shapes, note };
    let bytes = match unpack_within(encoding, body, MOST_FORM_BYTES) {
        Ok(unpacked) => unpacked.bytes,
        Err(UnpackError::Unfit(_)) => return only(vec![Shape::Hex], None),
        Err(UnpackError::TooLarge(most)) => {
            let begin = format!(
                "This body unpacks to more than {}, which is too much",
                size_in_words(most)
            );
            return only(vec![Shape::Hex], Some(what_else(&begin)));
        }
    };
    let is_json = check_json(&bytes).is_ok();
    let is_text = is_text(&bytes);
    let fits = |shape| {
        let text = lossless(&bytes);
        text.is_some_and(|text| shown(shape, text).is_some())
    };
    let mut shapes = Vec::new();
    shapes.extend((is_json && fits(Shape::Json)).then_some(Shape::Json));
    shapes.extend(((is_json || is_text) && fits(Shape::Text)).then_some(Shape::Text));
    shapes.push(Shape::Hex);
    let note = if shapes == [Shape::Hex] && (is_json || is_text) {
        Some(what_else("This body is too long"))
    } else if is_json && shapes[0] != Shape::Json {
        Some(
            "This JSON is too long to be laid out, so it is edited as the text that it is."
                .to_owned(),
        )
    } else {
        None
    };
    only(shapes, note)
}

fn what_else(begin: &str) -> String {
    format!(
        "{begin} to be edited as text. Change it with a jq program (bodies up to 16 MiB), edit its bytes in \
         hexadecimal here, or replay it through the API with another body."
    )
}

fn lossless(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

/// A text as it stands in the form, if that is not too much for a page.
fn shown(shape: Shape, text: &str) -> Option<Cow<'_, str>> {
    let text = match shape {
        Shape::Json => Cow::Owned(pretty(text, MOST_FORM_BYTES)?),
        Shape::Text | Shape::Hex => Cow::Borrowed(text),
    };
    (page_cost(&text) <= FORM_BUDGET).then_some(text)
}

/// What a text field gives back as it was: a browser changes ends of lines, and no control
/// character survives.
fn is_text(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes)
        .is_ok_and(|text| !text.contains(|c: char| c.is_control() && !matches!(c, '\n' | '\t')))
}

/// The text in the form.
pub(super) fn written(shape: Shape, unpacked: Option<Unpacked>, body: &[u8]) -> Option<String> {
    if shape == Shape::Hex {
        let rows: Vec<String> = body.chunks(32).map(hex::encode).collect();
        return Some(rows.join("\n"));
    }
    let bytes = unpacked?.bytes;
    shown(shape, lossless(&bytes)?).map(Cow::into_owned)
}
