//! How well values fit what a schema declares, as bits that somebody saves who knows it beside somebody who takes their
//! bytes for noise.

/// What it costs that a value cannot be what the type declares.
pub(super) const IMPOSSIBLE: f64 = -40.0;

/// What it costs that a value can be so, but hardly is.
pub(super) const UNLIKELY: f64 = -16.0;

/// Bits that are saved by a printable character of ASCII: they are 95 of 256 bytes.
const CHARACTER: f64 = 1.4;

/// Bits that a whole number takes where each length of it is as likely.
pub(super) fn size(number: u64) -> f64 {
    let digits = f64::from(u64::BITS - number.leading_zeros());
    6.0 + (digits - 1.0).max(0.0)
}

/// What a fraction saves: most that are sent measure something.
pub(super) fn fraction(number: f64, is_zero: bool) -> f64 {
    let is_measure = is_zero || (number.is_finite() && (1e-9..1e15).contains(&number.abs()));
    if is_measure { 4.0 } else { UNLIKELY }
}

/// What a text saves.
pub(super) fn text(bytes: &[u8]) -> f64 {
    let Ok(text) = std::str::from_utf8(bytes) else { return IMPOSSIBLE };
    let bits = text.chars().map(|c| match c {
        ' '..='~' | '\n' | '\t' | '\r' => CHARACTER,
        c if c.is_control() => -6.0,
        c => 4.0 * bits_of(c.len_utf8()) - 4.0,
    });
    bits.sum()
}

/// A small number as one that can be counted with.
#[expect(clippy::cast_precision_loss, reason = "bodies are far shorter than 2^52 bytes")]
pub(super) fn bits_of(number: usize) -> f64 {
    number as f64
}
