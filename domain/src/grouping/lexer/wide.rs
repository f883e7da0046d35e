//! Runs with characters beyond ASCII.

use super::Lexer;
use crate::grouping::variable::Variable;

impl Lexer<'_> {
    /// In scripts without spaces a token is a sentence: only its digits are a variable.
    pub(super) fn wide_run(&mut self, start: usize, end: usize) {
        let mut from = start;
        let mut in_digits = None;
        for (offset, c) in self.text[start..end].char_indices() {
            let is_digit = c.is_ascii_digit();
            if !c.is_alphanumeric() || in_digits.is_some_and(|was| was != is_digit) {
                self.wide_part(from, start + offset, in_digits);
                from = start + offset;
                in_digits = None;
            }
            if c.is_alphanumeric() {
                if in_digits.is_none() {
                    from = start + offset;
                }
                in_digits = Some(is_digit);
            }
        }
        self.wide_part(from, end, in_digits);
    }

    fn wide_part(&mut self, start: usize, end: usize, in_digits: Option<bool>) {
        if let Some(is_digit) = in_digits {
            self.push(start, end, is_digit.then_some(Variable::Number));
        }
    }
}
