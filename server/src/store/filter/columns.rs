//! Fields as columns, and tests as comparisons with a column.

use dlo_domain::filter::{Comparison, Field, Pattern, Test, Value, Window};
use dlo_domain::state::LetterState;

use super::lookup::Lookup;
use super::{Sql, joined, sign};

/// What a field is in SQL.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column {
    /// The expression.
    pub(super) name: &'static str,
    /// Where it stands.
    pub(super) lookup: Lookup,
}

/// The one place that says which column a field is.
pub(super) fn column(field: Field) -> Column {
    let (lookup, name) = match field {
        Field::State => (Lookup::Letter, "l.state"),
        Field::Severity => (Lookup::Letter, "l.severity"),
        Field::Reason => (Lookup::Letter, "l.reason"),
        Field::Source => (Lookup::Letter, "l.source_id"),
        // Workers are looked up before.
        Field::Queue | Field::Worker => (Lookup::Letter, "l.queue"),
        Field::Exchange => (Lookup::Letter, "l.exchange"),
        Field::RoutingKey => (Lookup::Letter, "l.routing_key"),
        Field::ErrorClass => (Lookup::Letter, "l.error_class"),
        Field::ErrorMessage => (Lookup::Letter, "l.error_message"),
        Field::MessageType => (Lookup::Letter, "l.message_type"),
        Field::MessageId => (Lookup::Letter, "l.message_id"),
        Field::CorrelationId => (Lookup::Extract, "x.correlation_id"),
        Field::Trace => (Lookup::Extract, "x.trace_id"),
        Field::BusinessKey => (Lookup::Extract, "x.business_key"),
        Field::Id => (Lookup::Letter, "l.id"),
        Field::Group => (Lookup::Signature, "g.group_id"),
        Field::Execution => (Lookup::Execution, "n.execution_id"),
        Field::Size => (Lookup::Letter, "l.size_bytes"),
        Field::Arrivals => (Lookup::Letter, "l.arrivals"),
        Field::Replays => (Lookup::Letter, "l.replays"),
        Field::Exhausted => (Lookup::Letter, "(l.exhausted_at is not null)::text"),
        Field::Age | Field::LastArrived | Field::Since | Field::Until => {
            (Lookup::Letter, "l.last_arrived_at")
        }
        Field::FirstAge | Field::FirstArrived => (Lookup::Letter, "l.first_arrived_at"),
        Field::Deaths => (Lookup::Arrival, "jsonb_array_length(a.deaths)"),
        Field::DeathQueue => (Lookup::Death, "(d.death ->> 'queue')"),
        Field::DeathReason => (Lookup::Death, "(d.death ->> 'reason')"),
        Field::DeathExchange => (Lookup::Death, "(d.death ->> 'exchange')"),
        Field::DeathRoutingKey => (Lookup::DeathKey, "k.name"),
        Field::DeathCount => (Lookup::Death, "(d.death ->> 'count')::numeric"),
    };
    Column { name, lookup }
}

/// The patterns that a test names.
pub(super) fn patterns(test: &Test) -> Vec<&Pattern> {
    let Test::Is(values) = test else {
        return Vec::new();
    };
    let texts = values.iter().filter_map(|value| match value {
        Value::Text(pattern) => Some(pattern),
        _ => None,
    });
    texts.collect()
}

pub(super) fn write_name(sql: &mut Sql, column: &str, test: &Test) {
    joined(sql, " or ", &patterns(test), |sql, pattern| {
        sql.push(column);
        match pattern.as_literal() {
            Some(name) => sql.push(" = ").push_bind(name.to_owned()),
            None => sql.push(" like ").push_bind(like(pattern)),
        };
    });
}

/// Texts compare in the collation "C", in which `lower` knows A to Z and no other letters, as
/// memory does.
pub(super) fn write_prose(sql: &mut Sql, column: &str, test: &Test) {
    write_folded(sql, &format!("lower({column} collate \"C\")"), test);
}

/// The same for a text that is folded already.
pub(super) fn write_folded(sql: &mut Sql, column: &str, test: &Test) {
    joined(sql, " or ", &patterns(test), |sql, pattern| {
        let within = format!("%{}%", like(&pattern.folded()));
        sql.push(column).push(" like ").push_bind(within);
    });
}

pub(super) fn write_words(sql: &mut Sql, column: &str, words: &[&'static str]) {
    match words {
        [] => sql.push("false"),
        // Only an equality lets an index give the order too.
        [one] => sql.push(column).push(" = ").push_bind(*one),
        many => {
            let many: Vec<String> = many.iter().map(|word| (*word).to_owned()).collect();
            sql.push(column).push(" = any(").push_bind(many).push(")")
        }
    };
}

/// States, by their shelves, which the index knows.
pub(super) fn write_states(sql: &mut Sql, states: &[&'static str]) {
    let mut shelves: Vec<_> = states.iter().map(|state| shelf(state)).collect();
    if shelves == states {
        write_words(sql, "l.shelf", states);
        return;
    }
    shelves.sort_unstable();
    shelves.dedup();
    sql.push("(");
    write_words(sql, "l.shelf", &shelves);
    sql.push(" and ");
    write_words(sql, "l.state", states);
    sql.push(")");
}

/// The shelf of letters in a state, as Postgres has it (`shelf_of` in the migrations).
fn shelf(state: &'static str) -> &'static str {
    let is_away =
        [LetterState::Claimed, LetterState::Replayed].iter().any(|away| away.as_str() == state);
    if is_away { "away" } else { state }
}

pub(super) fn write_ordered(sql: &mut Sql, column: &str, test: &Test) {
    match test {
        Test::Exists => {
            sql.push(column).push(" is not null");
        }
        Test::Is(values) => joined(sql, " or ", values, |sql, value| {
            write_comparison(sql, column, "=", value);
        }),
        Test::Compare(side, value) => write_comparison(sql, column, sign(*side), value),
        Test::Between(low, high) => {
            let ends = [(Comparison::AtLeast, low), (Comparison::AtMost, high)];
            joined(sql, " and ", &ends, |sql, (side, value)| {
                write_comparison(sql, column, sign(*side), value);
            });
        }
    }
}

fn write_comparison(sql: &mut Sql, column: &str, sign: &str, value: &Value) {
    sql.push(column).push(" ").push(sign).push(" ");
    match value {
        Value::Number(number) => sql.push_bind(number.to_string()).push("::numeric"),
        Value::Size(bytes) => sql.push_bind(*bytes),
        Value::Id(id) => sql.push_bind(*id),
        // The grammar gives none of these to a number; nothing compares to null.
        Value::Text(_) | Value::Word(_) | Value::Age(_) | Value::Time(_) => sql.push("null"),
    };
}

pub(super) fn write_windows(sql: &mut Sql, column: &str, windows: &[Window]) {
    joined(sql, " or ", windows, |sql, window| {
        let ends = [(" >= ", window.from), (" < ", window.before)];
        let ends: Vec<_> = ends.into_iter().filter_map(|(sign, end)| Some((sign, end?))).collect();
        joined(sql, " and ", &ends, |sql, (sign, end)| {
            sql.push(column).push(sign).push_bind(*end);
        });
    });
}

/// A pattern in the language of `like`: `*` stands for any characters, the rest means itself.
pub(super) fn like(pattern: &Pattern) -> String {
    let pieces = pattern.pieces().iter();
    let escaped: Vec<String> = pieces
        .map(|piece| piece.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_"))
        .collect();
    escaped.join("%")
}
