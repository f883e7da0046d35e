//! What one token is: a word, or a variable by the look of it. Looks only at the token itself.

use super::variable::Variable;
use super::vocabulary::{is_file, is_host, is_numbered_word};

/// What a token's bytes are, gathered in one pass.
#[derive(Default)]
struct Looks {
    digits: usize,
    letters: usize,
    hex_letters: usize,
    dots: usize,
    slashes: usize,
    backslashes: usize,
    dashes: usize,
    ats: usize,
    others: usize,
}

impl Looks {
    fn of(token: &[u8]) -> Self {
        let mut looks = Self::default();
        for byte in token {
            match byte {
                b'0'..=b'9' => looks.digits += 1,
                b'a'..=b'f' | b'A'..=b'F' => {
                    looks.letters += 1;
                    looks.hex_letters += 1;
                }
                b'g'..=b'z' | b'G'..=b'Z' => looks.letters += 1,
                b'.' => looks.dots += 1,
                b'/' => looks.slashes += 1,
                b'\\' => looks.backslashes += 1,
                b'-' => looks.dashes += 1,
                b'@' => looks.ats += 1,
                _ => looks.others += 1,
            }
        }
        looks
    }
}

/// Classifies a token without spaces, colons or quotes in it: `None` is a word.
pub(super) fn classify(token: &str) -> Option<Variable> {
    let looks = Looks::of(token.as_bytes());
    if looks.ats > 0
        && let Some((name, place)) = token.split_once('@')
        && !name.is_empty()
        && !place.is_empty()
    {
        let is_mail = place.contains('.') && looks.slashes == 0;
        return Some(if is_mail { Variable::Email } else { Variable::Id });
    }
    if looks.slashes > 0 {
        return with_slashes(token, &looks);
    }
    if looks.backslashes > 0 {
        let is_share = token.starts_with("\\\\") && looks.letters > 0;
        return if is_share {
            Some(Variable::Path)
        } else {
            (looks.digits > 0).then_some(Variable::Id)
        };
    }
    if looks.digits > 0 {
        return with_digits(token, &looks);
    }
    if looks.dots > 0 {
        return with_dots(token);
    }
    if token.eq_ignore_ascii_case("localhost") {
        return Some(Variable::Host);
    }
    // Eight and more hexadecimal letters in a row are no English word.
    (looks.letters >= 8 && looks.letters == looks.hex_letters && looks.others + looks.dashes == 0)
        .then_some(Variable::Hex)
}

fn with_slashes(token: &str, looks: &Looks) -> Option<Variable> {
    let rooted = token.starts_with('/') || token.starts_with("./") || token.starts_with("../");
    if looks.letters + looks.digits == 0 {
        return None;
    }
    let is_path = rooted
        || token.starts_with("~/")
        || looks.slashes + looks.backslashes > 1
        || looks.dots > 0
        || token.ends_with('/');
    match (looks.letters, is_path) {
        (0, _) if looks.slashes == 2 => Some(Variable::Time),
        (0, _) => Some(Variable::Number),
        (_, true) => Some(Variable::Path),
        // `and/or`, `application/json`
        (_, false) => (looks.digits > 0).then_some(Variable::Id),
    }
}

fn with_digits(token: &str, looks: &Looks) -> Option<Variable> {
    let hex = &token.as_bytes()[token.len() - token.trim_start_matches(['-', '+']).len()..];
    if looks.letters == 0 {
        return Some(if looks.dots == 3 && looks.digits >= 4 && looks.dashes == 0 {
            Variable::Ip
        } else if looks.dashes == 2 && looks.digits >= 6 && !token.starts_with('-') {
            Variable::Time
        } else {
            Variable::Number
        });
    }
    if hex.starts_with(b"0x") || hex.starts_with(b"0X") {
        return Some(Variable::Hex);
    }
    let only_hex = looks.hex_letters == looks.letters && looks.others + looks.ats == 0;
    if only_hex && looks.dashes == 4 && token.len() == 36 {
        return Some(Variable::Uuid);
    }
    if only_hex && looks.dots + looks.dashes == 0 && token.len() >= 6 {
        return Some(Variable::Hex);
    }
    if is_numbered_word(token) || is_versioned_name(token, looks) {
        return None;
    }
    if looks.dots > 0 {
        if is_file(token) {
            return Some(Variable::Path);
        }
        if is_host(token) {
            return Some(Variable::Host);
        }
    }
    // `10ms`, `41C`, `3.5e7`: a number that something short is glued to
    let starts_as_number = hex.first().is_some_and(u8::is_ascii_digit);
    let numeric = starts_as_number && looks.letters <= 2 && looks.others == 0;
    Some(if numeric { Variable::Number } else { Variable::Id })
}

/// `acme.orders.v2.Placed`: the only digits are a version's.
fn is_versioned_name(token: &str, looks: &Looks) -> bool {
    let is_version = |part: &str| {
        part.strip_prefix('v').is_some_and(|number| {
            (1..=2).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit())
        })
    };
    let has_digits = |part: &str| part.bytes().any(|byte| byte.is_ascii_digit());
    looks.dots >= 2 && token.split('.').all(|part| is_version(part) || !has_digits(part))
}

fn with_dots(token: &str) -> Option<Variable> {
    if is_file(token) {
        return Some(Variable::Path);
    }
    is_host(token).then_some(Variable::Host)
}

/// Whether a run with colons in it is one value: a hardware address, an IPv6 address, a time.
pub(super) fn classify_run(run: &str) -> Option<Variable> {
    let colons = run.split(':').count() - 1;
    let digits = run.matches(|c: char| c.is_ascii_digit()).count();
    if colons < 2 || digits == 0 {
        return None;
    }
    let in_time = |byte: u8| byte.is_ascii_digit() || b":.-+/TZ".contains(&byte);
    if digits >= 6 && run.starts_with(|c: char| c.is_ascii_digit()) && run.bytes().all(in_time) {
        return Some(Variable::Time);
    }
    let in_address = |byte: u8| byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.');
    if !run.bytes().all(in_address) {
        return None;
    }
    let has_letters = run.contains(|c: char| c.is_ascii_alphabetic());
    let short = run.split(':').all(|part| part.len() <= 4 || part.contains('.'));
    match (has_letters, short) {
        (true, false) => None,
        (true, true) => Some(Variable::Ip),
        (false, _) => Some(if run.contains("::") { Variable::Ip } else { Variable::Time }),
    }
}
