//! The part of a filter that a plain form can hold: one value for each of its fields. The rest
//! stays text.

use crate::death::Reason;
use crate::filter::{
    Expr, Field, FilterFault, Kind, LetterFilter, Moment, Pattern, Subject, Term, Test, Value,
    grammar,
};
use crate::severity::Severity;
use crate::state::LetterState;

/// The fields of the form. An absent one allows everything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FilterForm {
    /// The source's name; `*` stands for any characters.
    pub source: Option<String>,
    /// The origin queue; `*` stands for any characters.
    pub queue: Option<String>,
    /// Why it died.
    pub reason: Option<Reason>,
    /// Where it stands.
    pub state: Option<LetterState>,
    /// How bad it is.
    pub severity: Option<Severity>,
    /// The exception's class; `*` stands for any characters.
    pub error_class: Option<String>,
    /// Last arrived at this time or later.
    pub since: Option<Moment>,
    /// Last arrived before this time.
    pub until: Option<Moment>,
}

impl From<FilterForm> for LetterFilter {
    fn from(form: FilterForm) -> Self {
        let text = |field, text: Option<String>| {
            let value = Value::Text(Pattern::with_wildcards(&text?));
            Some(Term::is(field, value))
        };
        let word = |field, word: Option<&'static str>| Some(Term::is(field, Value::Word(word?)));
        let time = |field, time: Option<Moment>| Some(Term::is(field, Value::Time(time?)));
        let terms = [
            text(Field::Source, form.source),
            text(Field::Queue, form.queue),
            word(Field::Reason, form.reason.map(Reason::as_str)),
            word(Field::State, form.state.map(LetterState::as_str)),
            word(Field::Severity, form.severity.map(Severity::as_str)),
            text(Field::ErrorClass, form.error_class),
            time(Field::Since, form.since),
            time(Field::Until, form.until),
        ];
        let terms = terms.into_iter().flatten().map(Expr::Term).collect();
        Self::of(Expr::all(terms))
    }
}

impl FilterForm {
    /// Takes a term up; `false` when no field of the form can hold it, or holds another already.
    fn take(&mut self, part: &Expr) -> bool {
        let Expr::Term(Term { subject: Subject::Field(field), test: Test::Is(values) }) = part
        else {
            return false;
        };
        let [value] = &values[..] else { return false };
        match (field, value) {
            (Field::Source, Value::Text(text)) => put_text(&mut self.source, text),
            (Field::Queue, Value::Text(text)) => put_text(&mut self.queue, text),
            (Field::ErrorClass, Value::Text(text)) => put_text(&mut self.error_class, text),
            (Field::Reason, Value::Word(word)) => put(&mut self.reason, word.parse().ok()),
            (Field::State, Value::Word(word)) => put(&mut self.state, word.parse().ok()),
            (Field::Severity, Value::Word(word)) => put(&mut self.severity, word.parse().ok()),
            (Field::Since, Value::Time(time)) => put(&mut self.since, Some(*time)),
            (Field::Until, Value::Time(time)) => put(&mut self.until, Some(*time)),
            _ => false,
        }
    }
}

fn put_text(slot: &mut Option<String>, pattern: &Pattern) -> bool {
    let text = pattern.as_wildcard_text();
    // A form holds no empty value: it means any.
    put(slot, text.filter(|text| !text.is_empty()))
}

fn put<T>(slot: &mut Option<T>, value: Option<T>) -> bool {
    let fits = slot.is_none() && value.is_some();
    if fits {
        *slot = value;
    }
    fits
}

impl LetterFilter {
    /// What a form can hold of it, and the rest. A letter is meant by this filter when it is
    /// meant by both.
    #[must_use]
    pub fn form(&self) -> (FilterForm, Self) {
        let mut form = FilterForm::default();
        let rest = self.conjuncts().iter();
        let rest = rest.filter(|part| !form.take(part)).cloned().collect();
        (form, Self::of(Expr::all(rest)))
    }

    /// Reads the names and values of a URL's query: the fields by name, and `q` for the text
    /// form; a field of its own wins over the same one in `q`. Empty values and other names are
    /// passed over, so that a plain HTML form works.
    ///
    /// # Errors
    /// `FilterFault` of the first value that cannot be read.
    pub fn from_query<'a>(
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, FilterFault> {
        let mut text = "";
        let mut own: Vec<(Field, Test)> = Vec::new();
        for (name, value) in pairs {
            if name == "q" {
                text = value;
            } else if let Some(field) = named_exactly(name).filter(|_| !value.is_empty()) {
                own.push((field, own_test(field, value)?));
            }
        }
        let mut parts = Self::parse(text)?.conjuncts().to_vec();
        for (field, test) in own {
            let subject = Subject::Field(field);
            let is_same = |part: &Expr| matches!(part, Expr::Term(term) if term.subject == subject);
            let place = parts.iter().position(is_same).unwrap_or(parts.len());
            parts.retain(|part| !is_same(part));
            parts.insert(place, Expr::Term(Term { subject: subject.clone(), test }));
        }
        Ok(Self::of(Expr::all(parts)))
    }
}

/// What a URL may say beside `q`. Aliases and the other fields are for people who type.
const OWN: [Field; 9] = [
    Field::Source,
    Field::Queue,
    Field::Reason,
    Field::State,
    Field::Severity,
    Field::ErrorClass,
    Field::Since,
    Field::Until,
    Field::Age,
];

fn named_exactly(name: &str) -> Option<Field> {
    OWN.into_iter().find(|field| field.info().name == name)
}

/// A name stands in a form as it is, without quotes.
fn own_test(field: Field, value: &str) -> Result<Test, FilterFault> {
    if field.kind() == Kind::Name && !value.contains('\0') {
        return Ok(Test::Is(vec![Value::Text(Pattern::with_wildcards(value))]));
    }
    grammar::parse_test(field, value)
}
