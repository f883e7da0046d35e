//! What could be written where the cursor stands.
//!
//! It reads the text with less care than the grammar, since what is being written is seldom
//! whole.

use std::ops::Range;

use super::fields::{FIELDS, Field, Kind, PATHS};

/// More than these are no help.
const MOST_SUGGESTIONS: usize = 12;

/// What could stand at the cursor.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Completion {
    /// What a suggestion takes the place of, in bytes.
    pub span: Range<usize>,
    /// The suggestions, the likeliest first.
    pub suggestions: Vec<Suggestion>,
}

/// One thing that could be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// The text to put in. After a colon a value follows; after anything else a space may.
    pub text: String,
    /// What it is, for people.
    pub help: String,
}

impl Suggestion {
    fn new(text: impl Into<String>, help: impl Into<String>) -> Self {
        Self { text: text.into(), help: help.into() }
    }
}

/// Suggestions for the text with the cursor at this byte. `names` gives the names that are known
/// for a field, such as those of the sources.
pub fn complete(text: &str, cursor: usize, names: impl Fn(Field) -> Vec<String>) -> Completion {
    let cursor = text.floor_char_boundary(cursor.min(text.len()));
    let Some(start) = word_start(&text[..cursor]) else {
        return Completion::default();
    };
    let written = &text[start..cursor];
    let (from, mut suggestions) = match written.split_once(':') {
        Some(("has", begun)) => (cursor - begun.len(), subjects(begun, "")),
        Some((name, begun)) => {
            let from = cursor - begun.trim_start_matches(['(', '>', '<', '=']).len();
            let from = text[from..cursor].rfind(',').map_or(from, |comma| from + comma + 1);
            (from, values(name, &text[from..cursor], names))
        }
        None => (start, terms(written)),
    };
    suggestions.truncate(MOST_SUGGESTIONS);
    let rest = &text[cursor..];
    let end = rest
        .find(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | ':' | '"'))
        .map_or(text.len(), |length| cursor + length);
    // The colon that is there already is not written twice.
    let end = end + usize::from(text[end..].starts_with(':') && !written.contains(':'));
    Completion { span: from..end, suggestions }
}

/// Where the word before the cursor begins; nothing within quotes, where text is free.
fn word_start(before: &str) -> Option<usize> {
    let mut start = 0;
    let mut in_quotes = false;
    let mut in_list = false;
    let mut characters = before.char_indices();
    while let Some((place, c)) = characters.next() {
        match c {
            '\\' if in_quotes => {
                characters.next();
            }
            '"' => in_quotes = !in_quotes,
            _ if in_quotes => {}
            // A list belongs to its field, a group begins anew.
            '(' if before[start..place].ends_with(':') => in_list = true,
            ')' if in_list => in_list = false,
            c if in_list && c.is_whitespace() => {}
            '(' | ')' => start = place + 1,
            c if c.is_whitespace() => start = place + c.len_utf8(),
            '-' if place == start => start = place + 1,
            _ => {}
        }
    }
    (!in_quotes).then_some(start)
}

fn begins(text: &str, begun: &str) -> bool {
    text.get(..begun.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(begun))
}

fn terms(begun: &str) -> Vec<Suggestion> {
    let mut suggestions = subjects(begun, ":");
    if begins("has", begun) {
        suggestions.push(Suggestion::new("has:", "there is one at all"));
    }
    for (word, help) in [("OR", "one of both must hold"), ("NOT", "the next must not hold")] {
        if !begun.is_empty() && begins(word, begun) {
            suggestions.push(Suggestion::new(word, help));
        }
    }
    suggestions
}

fn subjects(begun: &str, colon: &str) -> Vec<Suggestion> {
    let fields = FIELDS.iter().filter_map(|info| {
        let named = std::iter::once(&info.name).chain(info.aliases);
        let name = named.into_iter().find(|name| begins(name, begun))?;
        Some(Suggestion::new(format!("{name}{colon}"), info.help))
    });
    let paths = PATHS
        .iter()
        .filter(|path| begins(path.prefix, begun))
        .map(|path| Suggestion::new(path.prefix, path.help));
    fields.chain(paths).collect()
}

fn values(name: &str, begun: &str, names: impl Fn(Field) -> Vec<String>) -> Vec<Suggestion> {
    let Some(field) = Field::named(name) else {
        return Vec::new();
    };
    let begun = begun.trim_start();
    let fixed = |texts: &[&str], help: &str| -> Vec<Suggestion> {
        let fitting = texts.iter().filter(|text| begins(text, begun));
        fitting.map(|text| Suggestion::new(*text, help)).collect()
    };
    match field.kind() {
        Kind::Words(words) => fixed(words.all, field.info().help),
        Kind::Age if begun.is_empty() => fixed(&["<15m", "<1h", "<1d", ">1h", ">7d"], ""),
        Kind::Bound => fixed(&["15m", "1h", "24h", "7d"], "before now"),
        Kind::Name => names(field)
            .into_iter()
            .filter(|known| begins(known, begun))
            .map(|known| {
                let value = super::Value::Text(super::Pattern::literal(&known));
                let term = super::Term::is(field, value).to_string();
                let written = term.split_once(':').map_or("", |(_, value)| value);
                Suggestion::new(written, "")
            })
            .collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is suggested at the `|`, and the text after the first suggestion is taken.
    fn at(text: &str) -> (Vec<String>, String) {
        let cursor = text.find('|').expect("a cursor");
        let text = text.replace('|', "");
        let completion = complete(&text, cursor, |field| match field {
            Field::Queue => vec!["orders.work".into(), "or der".into(), "emails".into()],
            _ => Vec::new(),
        });
        let mut after = text;
        if let Some(first) = completion.suggestions.first() {
            after.replace_range(completion.span, &first.text);
        }
        let texts = completion.suggestions.into_iter().map(|one| one.text);
        (texts.collect(), after)
    }

    #[test]
    fn fields_and_their_values_are_suggested() {
        let cases: &[(&str, &[&str], &str)] = &[
            ("sta|", &["state:"], "state:"),
            ("queue:a sev|", &["severity:"], "queue:a severity:"),
            ("-(sev|)", &["severity:"], "-(severity:)"),
            ("state:he|", &["held"], "state:held"),
            ("state:(held, un|)", &["unknown"], "state:(held,unknown)"),
            ("state:(held,un|)", &["unknown"], "state:(held,unknown)"),
            ("severity:>=h|", &["high"], "severity:>=high"),
            ("queue:OR|", &["orders.work", "\"or der\""], "queue:orders.work"),
            ("has:sou|", &["source"], "has:source"),
            ("st|ate:held", &["state:"], "state:held"),
            ("hea|", &["header."], "header."),
            ("O|", &["OR"], "OR"),
            ("error:\"stat|", &[], "error:\"stat"),
            ("body.x:|", &[], "body.x:"),
        ];
        for (text, wanted, after) in cases {
            let (texts, became) = at(text);
            assert_eq!(texts, *wanted, "{text}");
            assert_eq!(became, *after, "{text}");
        }
        let (all, _) = at("|");
        assert_eq!(all.len(), MOST_SUGGESTIONS);
    }

    proptest::proptest! {
        #[test]
        fn no_text_and_no_cursor_make_it_panic(text in ".{0,40}", cursor in 0_usize..60) {
            let completion = complete(&text, cursor, |_| vec!["ä b".to_owned()]);
            proptest::prop_assert!(text.get(completion.span).is_some());
        }
    }
}
