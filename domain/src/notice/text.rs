//! Texts that are cut to what a service takes.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation as _;

/// The mark of a text that was cut.
const CUT: &str = "…";

/// Cuts a text, as `write` writes it, to at most so many characters, after a character as a person sees it. What
/// `write` makes of one is never cut in between.
pub(super) fn cut(text: &str, most: usize, write: impl Fn(&str) -> Cow<'_, str>) -> String {
    let whole = write(text);
    if whole.chars().count() <= most {
        return whole.into_owned();
    }
    let room = most.saturating_sub(CUT.chars().count());
    let (mut out, mut length) = (String::new(), 0);
    for seen in text.graphemes(true) {
        let written = write(seen);
        length += written.chars().count();
        if length > room {
            break;
        }
        out.push_str(&written);
    }
    out.push_str(CUT);
    out
}

/// The same of what is written as it is.
pub(super) fn cut_plain(text: &str, most: usize) -> String {
    cut(text, most, |text| Cow::Borrowed(text))
}

/// Escapes what Slack reads as control characters; it knows no others.
pub(super) fn slack_escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(['&', '<', '>']) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"))
}
