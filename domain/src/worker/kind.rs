//! What workers of a kind have in common in their names: `worker-7f9c-x2z` and `worker-b1d0-q8w`
//! are both `worker-*`. Whoever makes names for workers puts a number or something random behind.

/// A name, folded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kind {
    /// What is left, with `*` for the rest; the name itself when nothing was folded.
    pub name: String,
    /// What was folded is random, so that no other worker comes back under the name.
    pub is_autoscaled: bool,
}

const SEPARATORS: [char; 7] = ['-', '_', '.', '@', ':', '/', ' '];

/// The letters and digits that Kubernetes makes random names of: no vowels, nothing that looks like
/// another one (`k8s.io/apimachinery/pkg/util/rand`).
const POD_ALPHABET: &str = "bcdfghjklmnpqrstvwxz2456789";

/// How a part of a name looks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Word,
    Ordinal,
    Random,
}

/// Folds a name.
#[must_use]
pub fn kind_of(name: &str) -> Kind {
    let mut rest = name;
    let mut is_autoscaled = false;
    while !rest.is_empty() {
        if let Some(before) = before_uuid(rest) {
            (rest, is_autoscaled) = (before, true);
            continue;
        }
        let (before, part) = split_last(rest);
        // A pod's last five: only behind the hash of its template, since words look like it too.
        let part_kind = if is_pod_suffix(part) && is_template_hash(split_last(before).1) {
            Part::Random
        } else {
            look(part)
        };
        if part_kind == Part::Word {
            break;
        }
        is_autoscaled |= part_kind == Part::Random;
        rest = before;
    }
    folded(name, rest, is_autoscaled)
}

fn folded(name: &str, rest: &str, is_autoscaled: bool) -> Kind {
    let digits = rest.trim_end_matches(|c: char| c.is_ascii_digit());
    // `node12` is `node*`; where parts were folded already, what stands before them is a name.
    let kept = if rest.len() == name.len() { digits } else { rest };
    if kept.len() == name.len() {
        return Kind { name: name.to_owned(), is_autoscaled: false };
    }
    let separator =
        name[kept.len()..].chars().next().filter(|c| SEPARATORS.contains(c) && !kept.is_empty());
    Kind { name: kept.chars().chain(separator).chain(['*']).collect(), is_autoscaled }
}

/// What stands before a UUID at the end. Its parts are read together, since some of them look like words.
fn before_uuid(name: &str) -> Option<&str> {
    const GROUPS: [usize; 5] = [8, 4, 4, 4, 12];
    let at = name.len().checked_sub(36)?;
    let (before, uuid) = name.split_at_checked(at)?;
    let mut groups = uuid.split('-');
    let is_hex = |part: &str| part.bytes().all(|b| b.is_ascii_hexdigit());
    let fits = |long: usize| {
        let group = groups.next();
        group.is_some_and(|part| part.len() == long && is_hex(part))
    };
    if !GROUPS.into_iter().all(fits) {
        return None;
    }
    match before.chars().last() {
        None => Some(before),
        Some(last) if SEPARATORS.contains(&last) => Some(&before[..before.len() - 1]),
        Some(_) => None,
    }
}

/// The last part, and what stands before its separator.
fn split_last(name: &str) -> (&str, &str) {
    match name.rfind(SEPARATORS) {
        Some(at) => (&name[..at], &name[at + 1..]),
        None => ("", name),
    }
}

fn look(part: &str) -> Part {
    if part.is_empty() || !part.is_ascii() {
        return Part::Word;
    }
    if part.bytes().all(|b| b.is_ascii_digit()) {
        return Part::Ordinal;
    }
    let has_digits = part.bytes().any(|b| b.is_ascii_digit());
    let is_alphanumeric = part.bytes().all(|b| b.is_ascii_alphanumeric());
    let word = part.trim_end_matches(|c: char| c.is_ascii_digit());
    // `eu1` is a word with a number, `x2z` is neither.
    let is_numbered = word.bytes().all(|b| b.is_ascii_alphabetic());
    let is_hex = part.len() >= 8 && part.bytes().all(|b| b.is_ascii_hexdigit());
    if has_digits && is_alphanumeric && part.len() >= 3 && (!is_numbered || is_hex) {
        Part::Random
    } else {
        Part::Word
    }
}

fn is_pod_suffix(part: &str) -> bool {
    part.len() == 5 && part.chars().all(|c| POD_ALPHABET.contains(c))
}

fn is_template_hash(part: &str) -> bool {
    (6..=10).contains(&part.len())
        && part.chars().all(|c| POD_ALPHABET.contains(c))
        && part.chars().any(|c| c.is_ascii_digit())
}
