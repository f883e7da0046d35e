//! Variables that show by their neighbours: units, dates, flags, lists.

use super::lexer::Piece;
use super::variable::Variable;
use super::vocabulary::{is_currency, is_flag, is_month, is_state, is_unit, is_weekday, is_zone};

/// Looks at the pieces of `text` again, now that their neighbours are known.
pub(super) fn read(text: &str, pieces: &mut Vec<Piece>) {
    units(text, pieces);
    for at in (0..pieces.len()).rev() {
        if pieces[at].variable.is_none()
            && let Some(kind) = by_neighbour(text, pieces, at)
        {
            pieces[at].variable = Some(kind);
        }
    }
    lists(text, pieces);
    states(text, pieces);
}

fn word<'a>(text: &'a str, piece: &Piece) -> &'a str {
    &text[piece.start..piece.end]
}

fn gap<'a>(text: &'a str, left: &Piece, right: &Piece) -> &'a str {
    text.get(left.end..right.start).unwrap_or_default()
}

const fn is_numeric(piece: &Piece) -> bool {
    matches!(piece.variable, Some(Variable::Number | Variable::Time | Variable::Id))
}

/// A unit becomes a part of the number before it.
fn units(text: &str, pieces: &mut Vec<Piece>) {
    let mut kept: usize = 0;
    for at in 0..pieces.len() {
        let piece = pieces[at];
        let last = kept.checked_sub(1).map(|last| pieces[last]);
        if let Some(number) = last
            && piece.variable.is_none()
            && number.variable == Some(Variable::Number)
            && matches!(gap(text, &number, &piece), "" | " ")
            && (is_unit(word(text, &piece)) || is_currency(word(text, &piece)))
        {
            pieces[kept - 1].end = piece.end;
            continue;
        }
        pieces[kept] = piece;
        kept += 1;
    }
    pieces.truncate(kept);
}

fn by_neighbour(text: &str, pieces: &[Piece], at: usize) -> Option<Variable> {
    let piece = &pieces[at];
    let name = word(text, piece);
    if is_flag(name)
        && let Some(previous) = at.checked_sub(1).map(|previous| &pieces[previous])
    {
        let before = gap(text, previous, piece);
        if before.trim_end().ends_with('=') || before.starts_with(':') {
            return Some(Variable::Flag);
        }
    }
    let (month, weekday, zone) = (is_month(name), is_weekday(name), is_zone(name));
    if !(month || weekday || zone) {
        return None;
    }
    let near = |left: &Piece, right: &Piece| right.start.saturating_sub(left.end) <= 2;
    let after_number = at > 0 && is_numeric(&pieces[at - 1]) && near(&pieces[at - 1], piece);
    if after_number && (month || zone) {
        return Some(Variable::Time);
    }
    let next = pieces.get(at + 1).filter(|next| near(piece, next) && is_numeric(next))?;
    let dated = month || (weekday && next.variable == Some(Variable::Time));
    dated.then_some(Variable::Time)
}

/// Two or more single words with commas between them, all of what is in the brackets, are values.
fn lists(text: &str, pieces: &mut [Piece]) {
    let mut at = 0;
    while at + 1 < pieces.len() {
        let start = pieces[at].start;
        let opened = start > 0 && b"[({".contains(&text.as_bytes()[start - 1]);
        let is_comma = |gap: &str| gap.trim() == ",";
        if !opened || !is_comma(gap(text, &pieces[at], &pieces[at + 1])) {
            at += 1;
            continue;
        }
        let mut last = at + 1;
        while pieces.get(last + 1).is_some_and(|next| is_comma(gap(text, &pieces[last], next))) {
            last += 1;
        }
        if text[pieces[last].end..].starts_with([']', ')', '}']) {
            for piece in &mut pieces[at..=last] {
                piece.variable = Some(Variable::List);
            }
        }
        at = last + 1;
    }
}

/// `( on off on )`: words for on and off, and nothing else in the brackets, are values.
fn states(text: &str, pieces: &mut [Piece]) {
    let mut at = 0;
    while at < pieces.len() {
        let from = at;
        at += 1;
        if pieces[from].variable.is_some() || !is_state(word(text, &pieces[from])) {
            continue;
        }
        while at < pieces.len()
            && is_state(word(text, &pieces[at]))
            && gap(text, &pieces[at - 1], &pieces[at]).trim().is_empty()
        {
            at += 1;
        }
        let opened = text[..pieces[from].start].trim_end().ends_with(['(', '[']);
        let closed = text[pieces[at - 1].end..].trim_start().starts_with([')', ']']);
        if opened && closed && at - from > 1 {
            for piece in &mut pieces[from..at] {
                piece.variable = Some(Variable::Flag);
            }
        }
    }
}
