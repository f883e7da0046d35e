//! A part of a large body, byte by byte or as text, and the way to the parts beside it.

use dlo_domain::payload::{BodyPart, BodyRange, MOST_HEX_BYTES, MOST_SHOWN_BYTES};
use leptos::prelude::*;

use super::{Place, View};
use crate::wording::count;

/// So many bytes before a part are read with it: a character of UTF-8 that ends in it may begin there.
const MOST_BEFORE: u32 = 3;

/// How many bytes a part has.
fn size(view: View) -> i64 {
    let size = if view == View::Hex { MOST_HEX_BYTES } else { MOST_SHOWN_BYTES };
    i64::try_from(size).unwrap_or(i64::MAX)
}

/// What is to be read for a part. `None` if no body has bytes there.
pub(super) fn range(view: View, from: i64) -> Option<BodyRange> {
    let (from, size) = (u32::try_from(from).ok()?, u32::try_from(size(view)).ok()?);
    let before = from.min(MOST_BEFORE);
    Some(BodyRange { from: from - before, most: size + before })
}

/// How many of the bytes that were read stand before a part that begins there.
fn before(part: &BodyPart, from: i64) -> usize {
    let before = usize::try_from(from.clamp(0, MOST_BEFORE.into())).unwrap_or_default();
    before.min(part.bytes.len())
}

/// The bytes of a part.
pub(super) fn bytes(part: &BodyPart, from: i64) -> &[u8] {
    &part.bytes[before(part, from)..]
}

/// The characters that end in a part.
pub(super) fn text(part: &BodyPart, from: i64) -> String {
    let before = before(part, from);
    let is_inner = |at: usize| part.bytes.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
    let begin = if is_inner(before) { (0..before).rfind(|at| !is_inner(*at)) } else { None };
    let bytes = &part.bytes[begin.unwrap_or(before)..];
    let to = from.saturating_add(i64::try_from(part.bytes.len() - before).unwrap_or(i64::MAX));
    let whole = match str::from_utf8(bytes) {
        Err(why) if why.error_len().is_none() && to < part.size_bytes => {
            &bytes[..why.valid_up_to()]
        }
        _ => bytes,
    };
    String::from_utf8_lossy(whole).into_owned()
}

/// Which bytes are shown.
pub(super) fn says(view: View, from: i64, size_bytes: i64) -> String {
    if from >= size_bytes {
        return format!("The body ends before: it has {} bytes.", count(size_bytes));
    }
    let to = from.saturating_add(size(view)).min(size_bytes);
    format!(
        "Bytes {} to {} of {}, as they are stored.",
        count(from + 1),
        count(to),
        count(size_bytes)
    )
}

/// The parts before and behind this one, and the last one.
pub(super) fn ways(place: &Place, view: View, from: i64, size_bytes: i64) -> Option<AnyView> {
    let size = size(view);
    let last = (size_bytes - 1).max(0) / size * size;
    if last == 0 || view == View::Tree {
        return None;
    }
    let way = |is_there: bool, to: i64, words: &'static str| {
        let href = format!("{}#payload", place.address(view.word(), to));
        is_there.then(|| view! { <a href=href>{words}</a> })
    };
    let ways = [
        way(from > size, 0, "First"),
        way(from > 0, (from - size).max(0), "Earlier"),
        way(from < last, from.saturating_add(size), "Later"),
        way(from < last - size, last, "Last"),
    ];
    let nav = view! {
        <nav class="tabs parts" aria-label="Parts of the body">
            {ways.into_iter().collect_view()}
        </nav>
    };
    Some(nav.into_any())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_is_in_the_part_in_which_it_ends() {
        let size = MOST_SHOWN_BYTES;
        let body = format!("{}€{}€", "a".repeat(size - 1), "b".repeat(size - 3)).into_bytes();
        let part = |from: usize| {
            let range = range(View::Text, i64::try_from(from).expect("small")).expect("a range");
            let begin = range.from as usize;
            let bytes = body[begin..body.len().min(begin + range.most as usize)].to_vec();
            let size_bytes = i64::try_from(body.len()).expect("small");
            let part = BodyPart { ordinal: 1, size_bytes, sha256: Vec::new(), bytes };
            text(&part, i64::try_from(from).expect("small"))
        };
        assert_eq!(part(0), "a".repeat(size - 1));
        assert_eq!(part(size), format!("€{}", "b".repeat(size - 3)));
        assert_eq!(part(2 * size), "€");
        let rubbish =
            BodyPart { ordinal: 1, size_bytes: 9, sha256: Vec::new(), bytes: vec![0x80; 5] };
        assert_eq!(text(&rubbish, 4), "\u{fffd}\u{fffd}");
        assert_eq!(text(&BodyPart { bytes: Vec::new(), ..rubbish }, 4), "");
    }

    #[test]
    fn each_part_says_which_bytes_it_has() {
        assert_eq!(
            says(View::Hex, 4_096, 5_000),
            "Bytes 4,097 to 5,000 of 5,000, as they are stored."
        );
        assert_eq!(says(View::Hex, 8_192, 5_000), "The body ends before: it has 5,000 bytes.");
        assert_eq!(range(View::Hex, -1), None);
        assert_eq!(range(View::Hex, i64::MAX), None);
    }
}
