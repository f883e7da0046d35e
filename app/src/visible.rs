//! Names and texts from outside as pages show them: nothing in them is unseen, and none of them turns the words
//! beside it around. What a form sends, a link names or a button copies keeps its true characters.

use dlo_domain::visible_text::{Piece, pieces, visible, visible_lines, visible_within};
use leptos::prelude::*;

/// A name, isolated from the words around it.
pub(crate) fn show_name(name: &str) -> AnyView {
    view! { <bdi>{show_marks(name)}</bdi> }.into_any()
}

/// A name in an element that isolates it already.
pub(crate) fn show_marks(name: &str) -> AnyView {
    let mut pieces = pieces(name);
    if let [] | [Piece::Plain(_)] = pieces[..] {
        return name.to_owned().into_any();
    }
    let views = pieces.drain(..).map(|piece| match piece {
        Piece::Plain(text) => text.to_owned().into_any(),
        Piece::Mark(mark) => view! { <span class="unseen">{mark}</span> }.into_any(),
    });
    views.collect::<Vec<AnyView>>().into_any()
}

/// A line of text: in a title, a label or a sentence that was made elsewhere.
pub(crate) fn show_line(text: &str) -> String {
    visible(text).into_owned()
}

/// A text that may have many lines.
pub(crate) fn show_lines(text: &str) -> String {
    visible_lines(text).into_owned()
}

/// A name that becomes a part of a sentence. What comes of it is shown as it is.
pub(crate) fn show_within(name: &str) -> String {
    visible_within(name).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without the marks between pieces of text, which nobody sees.
    fn html_of(name: &str) -> String {
        show_name(name).to_html().replace("<!>", "")
    }

    #[test]
    fn a_name_is_isolated_and_its_marks_are_marked() {
        assert_eq!(html_of("orders.dead"), "<bdi>orders.dead</bdi>");
        assert_eq!(
            html_of("\u{202e}evil\u{200b}"),
            r#"<bdi><span class="unseen">⟨U+202E⟩</span>evil<span class="unseen">⟨U+200B⟩</span></bdi>"#
        );
    }

    #[test]
    fn a_name_is_text_and_no_html() {
        assert_eq!(
            html_of("<b>\u{1}"),
            r#"<bdi>&lt;b&gt;<span class="unseen">⟨U+0001⟩</span></bdi>"#
        );
    }

    #[test]
    fn a_line_has_no_end_of_a_line_and_a_text_has() {
        assert_eq!(show_line("a\nb"), "a⟨U+000A⟩b");
        assert_eq!(show_lines("a\nb\u{202e}"), "a\nb⟨U+202E⟩");
        assert_eq!(show_within("\u{202e}work"), "⟨U+202E⟩work");
    }
}
