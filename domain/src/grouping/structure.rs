//! Words that punctuation sets apart from the sentence: `refunds: …`, `(hex)`, `<customer_id...>`, `…: orders`,
//! `client = alice`. Such a place is one for values.

use super::lexer::Piece;

/// Whether the word in this place of the pieces is set apart.
pub(super) fn is_set_apart(text: &str, pieces: &[Piece], at: usize) -> bool {
    let piece = &pieces[at];
    let before = &text[..piece.start];
    let after = &text[piece.end..];
    let leads = at == 0 && {
        let rest = after.trim_start();
        rest.starts_with(':') && rest[1..].starts_with([' ', '\t'])
    };
    let enclosed = before.ends_with(['(', '[', '<', '{'])
        && after.trim_start_matches('.').starts_with([')', ']', '>', '}']);
    let ends = at + 1 == pieces.len() && before.trim_end().ends_with(':');
    let assigned = before.ends_with("= ");
    leads || enclosed || ends || assigned
}

#[cfg(test)]
mod tests {
    use crate::grouping::Masker;

    /// The words of a message that are set apart.
    fn apart(message: &str) -> Vec<String> {
        let mut masker = Masker::new();
        let message = masker.mask(message);
        let words: Vec<&str> = message.canon.split(' ').collect();
        message.slots.iter().map(|slot| words[usize::from(*slot)].to_owned()).collect()
    }

    #[test]
    fn colons_brackets_and_signs_set_words_apart() {
        assert_eq!(apart("refunds: syntax error"), ["refunds"]);
        assert_eq!(apart("key of sessions (hex) is <customer_id...>"), ["hex", "customer_id"]);
        assert_eq!(apart("lease lost: orders"), ["orders"]);
        assert_eq!(apart("claimed client = alice today"), ["alice"]);
        assert_eq!(apart("refused by tenant=acme"), Vec::<String>::new());
        assert_eq!(apart("at acme::orders (two words)"), Vec::<String>::new());
    }

    #[test]
    fn a_list_that_is_folded_leaves_no_place_behind() {
        assert_eq!(apart("ok 1 ok 2 ok 3: orders"), ["orders"]);
        assert!(apart(&"(word) 7 ".repeat(400)).len() <= 2);
    }
}
