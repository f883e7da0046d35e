//! A body that was written by hand, in place of that of one letter.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dlo_domain::changing::{Edit, MOST_EDITED_BYTES};

use super::Sent;
use crate::store::replays::bodies::{Frozen, Original};

/// An edit that changes nothing is sent as the letter is.
pub(super) fn edited(original: &Original, body: &[u8], content_type: Option<&str>) -> Sent {
    let other_type =
        content_type.filter(|kind| original.head.content_type.as_deref() != Some(*kind));
    if other_type.is_none() && original.body == body {
        return Sent::Same;
    }
    Sent::Changed(Frozen {
        letter: original.letter,
        ordinal: original.ordinal,
        body: body.to_vec(),
        content_type: other_type.map(str::to_owned),
        head: None,
    })
}

/// Reads an edit as a program sends it.
pub(super) fn read_edit(edit: &Edit) -> Result<(Vec<u8>, Option<String>), String> {
    let body =
        STANDARD.decode(&edit.body).map_err(|why| format!("`edit.body` is not base64: {why}"))?;
    check_edit(&body, edit.content_type.as_deref())?;
    Ok((body, edit.content_type.clone()))
}

/// Checks what was edited by hand.
///
/// # Errors
/// Why it cannot be sent, as a sentence.
pub fn check_edit(body: &[u8], content_type: Option<&str>) -> Result<(), String> {
    if body.len() > MOST_EDITED_BYTES {
        return Err(format!(
            "the body has {} bytes; at most {MOST_EDITED_BYTES} can be edited by hand",
            body.len()
        ));
    }
    match content_type {
        Some(kind) if kind.is_empty() || kind.len() > 255 || kind.contains(char::is_control) => {
            Err("the content type has 1 to 255 bytes, without control characters".to_owned())
        }
        _ => Ok(()),
    }
}
