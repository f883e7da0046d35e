//! What could be written where the cursor stands.
//!
//! It reads the text with less care than the grammar, since what is being written is seldom
//! whole.

use std::ops::Range;

use super::fields::{FIELDS, Field, Kind, PATHS};
use super::known::{KnownValue, KnownValues};

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

/// Suggestions for the text with the cursor at this byte.
#[must_use]
pub fn complete(text: &str, cursor: usize, known: &KnownValues) -> Completion {
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
            (from, values(name, &text[from..cursor], known))
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

/// Whether a text has another somewhere, whatever the case of its ASCII letters.
fn is_within(text: &str, part: &str) -> bool {
    text.char_indices().any(|(at, _)| begins(&text[at..], part))
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

fn values(name: &str, begun: &str, known: &KnownValues) -> Vec<Suggestion> {
    let Some(field) = Field::named(name) else {
        return Vec::new();
    };
    let begun = begun.trim_start();
    let fixed = |texts: &[&str], usual: &str| -> Vec<Suggestion> {
        let fitting = texts.iter().filter(|text| begins(text, begun));
        let help = |text: &str| {
            let known = known.of(field).iter().find(|one| one.value == text);
            known.map_or_else(|| usual.to_owned(), KnownValue::help)
        };
        fitting.map(|text| Suggestion::new(*text, help(text))).collect()
    };
    let suggestions: Vec<_> = match field.kind() {
        Kind::Words(words) => fixed(words.all, field.info().help),
        Kind::Age if begun.is_empty() => fixed(&["<15m", "<1h", "<1d", ">1h", ">7d"], ""),
        Kind::Bound => fixed(&["15m", "1h", "24h", "7d"], "before now"),
        Kind::Name | Kind::Id => {
            let known = known.of(field);
            let first = known.iter().filter(|one| begins(&one.value, begun));
            // Then those that have it within, or are called so.
            let rest = known.iter().filter(|one| {
                !begins(&one.value, begun)
                    && (is_within(&one.value, begun) || is_within(&one.name, begun))
            });
            let offered = first.chain(rest).take(MOST_SUGGESTIONS);
            offered.map(|one| Suggestion::new(written(field, &one.value), one.help())).collect()
        }
        _ => Vec::new(),
    };
    // Of a field whose values are as many as letters an example says how they are written.
    if suggestions.is_empty() && begun.is_empty() {
        let example = field.info().example.split_once(':').map_or("", |(_, value)| value);
        return vec![Suggestion::new(example, "for example")];
    }
    suggestions
}

/// A value as it is written in a filter.
fn written(field: Field, value: &str) -> String {
    let value = super::Value::Text(super::Pattern::literal(value));
    let term = super::Term::is(field, value).to_string();
    term.split_once(':').map_or(String::new(), |(_, value)| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::known::FieldValues;
    use super::*;

    fn known() -> KnownValues {
        let value = |value: &str, name: &str, letters: &str| KnownValue {
            value: value.to_owned(),
            name: name.to_owned(),
            letters: letters.to_owned(),
        };
        let field =
            |field: &str, values: Vec<KnownValue>| FieldValues { field: field.to_owned(), values };
        let queues = vec![
            value("billing.orders", "", "700 of the newest 1,000"),
            value("orders.work", "", "290 of the newest 1,000"),
            value("or der", "", ""),
        ];
        let group = "019a0f3e-5a4b-7c2d-8e1f-0123456789ab";
        KnownValues(vec![
            field("queue", queues),
            field("state", vec![value("held", "", "84,012 letters")]),
            field("group", vec![value(group, "Timeout: <number> ms", "3 letters")]),
        ])
    }

    /// What is suggested at the `|`, and the text after the first suggestion is taken.
    fn at(text: &str) -> (Vec<String>, String) {
        let cursor = text.find('|').expect("a cursor");
        let text = text.replace('|', "");
        let completion = complete(&text, cursor, &known());
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
            ("queue:OR|", &["orders.work", "\"or der\"", "billing.orders"], "queue:orders.work"),
            (
                "group:time|",
                &["019a0f3e-5a4b-7c2d-8e1f-0123456789ab"],
                "group:019a0f3e-5a4b-7c2d-8e1f-0123456789ab",
            ),
            ("error_class:|", &["*.TimeoutException"], "error_class:*.TimeoutException"),
            ("error_class:x|", &[], "error_class:x"),
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

    #[test]
    fn every_field_offers_a_value_and_says_how_many_letters_have_it() {
        for info in FIELDS {
            let (texts, filter) = at(&format!("{}:|", info.name));
            assert!(!texts.is_empty(), "{}", info.name);
            assert!(super::super::LetterFilter::parse(&filter).is_ok(), "{filter}");
        }
        let help = |text: &str| {
            let offered = complete(text, text.len(), &known()).suggestions;
            offered.into_iter().next().expect("a suggestion").help
        };
        assert_eq!(help("state:he"), "84,012 letters");
        assert_eq!(help("queue:orders.w"), "290 of the newest 1,000");
        assert_eq!(help("group:"), "Timeout: <number> ms, 3 letters");
    }

    proptest::proptest! {
        #[test]
        fn no_text_and_no_cursor_make_it_panic(text in ".{0,40}", cursor in 0_usize..60) {
            let completion = complete(&text, cursor, &known());
            proptest::prop_assert!(text.get(completion.span).is_some());
        }
    }
}
