//! Random letters and random filters over few names, so that they often meet. The server's
//! tests take them too, and ask the database the same.

use chrono::{DateTime, TimeDelta, TimeZone as _, Utc};
use dlo_domain::arrival::Delivered;
use dlo_domain::death::{Death, Reason};
use dlo_domain::decoding::{Contents, MessageTypes};
use dlo_domain::extract::Extract;
use dlo_domain::filter::{
    Comparison, Decimal, Expr, FIELDS, Facts, Field, Kind, LetterFilter, Moment, Path, Pattern,
    Subject, Term, Test, Value,
};
use dlo_domain::ids::{GroupId, LetterId};
use dlo_domain::relations::Relations;
use dlo_domain::severity::Severity;
use dlo_domain::state::LetterState;
use dlo_domain::wire::{Field as Header, FieldTable, FieldValue};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value as Json};
use uuid::Uuid;

/// Names with everything that SQL, JSON or the language could trip over.
const NAMES: &[&str] = &[
    "orders",
    "orders.work",
    "Orders",
    "a%b",
    "a_b",
    "axb",
    "x*y",
    "back\\slash",
    "quo\"te'",
    "ÄÖ ü",
    "42",
    "42.0",
    "true",
    "null",
    "",
    " ",
    "(a, b)",
    ">1",
    "-a",
    "a..b",
    "OR",
    "line\nend",
];
/// Bodies that are not text, or not as a whole.
const NO_TEXTS: &[&[u8]] = &[&[0xff, 0, 1], &[0x80, 0x80], b"ab\xbf"];
/// Workers, and the queues that they work on.
pub const WORKERS: [(&str, &str); 3] = [("42", "a%b"), ("a_b", "a%b"), ("orders", "orders.work")];
/// Executions that are known, and the workers that have them.
pub const EXECUTIONS: [(&str, Option<&str>); 4] =
    [("x*y", Some("42")), ("axb", Some("orders")), ("a_b", Some("a..b")), ("Orders", None)];
const STEPS: &[&str] = &["a", "b", "A", "x y", "q\"t", "d.t", "*", "$"];
const NUMBERS: &[&str] = &["-1", "0", "1", "2", "42", "42.5", "4.2e1", "9007199254740993", "1e300"];
const SECONDS: &[i64] = &[0, 1, 59, 60, 3_600, 3_601, 86_400, 90_000, 604_800];

/// The time that ages are counted from.
pub fn now() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, 21, 12, 0, 0).single().expect("a time")
}

/// A letter as it is stored.
#[derive(Debug, Clone)]
pub struct Sample {
    pub id: LetterId,
    pub state: LetterState,
    pub severity: Severity,
    pub source: String,
    pub names: Vec<Option<String>>,
    pub reason: Reason,
    pub size_bytes: i64,
    pub arrivals: i32,
    pub replays: i32,
    pub exhausted: bool,
    pub first_arrived_at: DateTime<Utc>,
    pub last_arrived_at: DateTime<Utc>,
    /// Its group, and what was merged into it.
    pub groups: Vec<GroupId>,
    pub executions: Vec<String>,
    /// Those of `WORKERS` that work on its queue, and those of `EXECUTIONS` that have one of its own.
    pub workers: Vec<String>,
    pub deaths: Vec<Death>,
    /// Its last arrival.
    pub delivered: &'static Delivered,
    /// Nothing for a letter whose extract is not made yet.
    pub extract: Option<Extract<'static>>,
}

impl Sample {
    /// What filters see of it.
    pub fn facts(&self) -> Facts<'_> {
        let name = |place: usize| self.names[place].as_deref();
        Facts {
            id: self.id,
            state: self.state,
            severity: self.severity,
            source: &self.source,
            queue: name(0),
            exchange: name(1),
            routing_key: name(2),
            reason: self.reason,
            error_class: name(3),
            error_message: name(4),
            message_type: name(5),
            message_id: name(6),
            size_bytes: self.size_bytes,
            arrivals: self.arrivals,
            replays: self.replays,
            exhausted: self.exhausted,
            first_arrived_at: self.first_arrived_at,
            last_arrived_at: self.last_arrived_at,
            groups: &self.groups,
            executions: &self.executions,
            workers: &self.workers,
            deaths: &self.deaths,
            extract: self.extract.as_ref(),
        }
    }
}

fn name() -> impl Strategy<Value = String> + Clone {
    select(NAMES).prop_map(str::to_owned)
}

fn id() -> impl Strategy<Value = Uuid> {
    (1_u128..6).prop_map(Uuid::from_u128)
}

fn arrived() -> impl Strategy<Value = DateTime<Utc>> {
    (select(SECONDS), -1_i64..=1)
        .prop_map(|(ago, tick)| now() - TimeDelta::seconds(ago) + TimeDelta::microseconds(tick))
}

fn death() -> impl Strategy<Value = Death> {
    (name(), select(&Reason::ALL[..]), name(), vec(name(), 0..3), option::of(0_i64..50)).prop_map(
        |(queue, reason, exchange, routing_keys, count)| Death {
            queue,
            reason,
            exchange,
            routing_keys,
            count,
            time: None,
            original_expiration: None,
        },
    )
}

fn json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        4 => name().prop_map(Json::String),
        4 => select(NUMBERS).prop_map(|text| text.parse().expect("a number")),
        1 => Just(Json::String("nul\0".to_owned())),
        1 => any::<bool>().prop_map(Json::Bool),
        1 => Just(Json::Null),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let step = select(STEPS).prop_map(str::to_owned);
        prop_oneof![
            2 => vec((step, inner.clone()), 0..4)
                .prop_map(|members| Json::Object(members.into_iter().collect::<Map<_, _>>())),
            1 => vec(inner, 0..4).prop_map(Json::Array),
        ]
    })
}

fn header_value() -> impl Strategy<Value = FieldValue> {
    let leaf = prop_oneof![
        4 => name().prop_map(|text| FieldValue::LongString(text.into())),
        2 => (-2_i64..50).prop_map(FieldValue::LongLongInt),
        1 => select(&[0.5_f64, 42.0, -0.0, f64::NAN, 1e300][..])
            .prop_map(|number| FieldValue::Double(number.to_bits())),
        1 => Just(FieldValue::Decimal { scale: 1, value: 425 }),
        1 => any::<bool>().prop_map(FieldValue::Boolean),
        1 => Just(FieldValue::Void),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            1 => headers_of(inner.clone()).prop_map(FieldValue::Table),
            1 => vec(inner, 0..3).prop_map(FieldValue::Array),
        ]
    })
}

fn headers_of(value: impl Strategy<Value = FieldValue>) -> impl Strategy<Value = FieldTable> {
    let header =
        (select(STEPS), value).prop_map(|(name, value)| Header { name: name.into(), value });
    vec(header, 0..4).prop_map(FieldTable)
}

fn body() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        6 => json().prop_map(|value| value.to_string().into_bytes()),
        2 => name().prop_map(String::into_bytes),
        1 => select(NO_TEXTS).prop_map(<[u8]>::to_vec),
    ]
}

/// None, group 1, or group 2, into which 3 and 4 were merged.
fn groups() -> impl Strategy<Value = Vec<GroupId>> {
    let groups = [&[][..], &[1], &[2, 3, 4]];
    select(
        groups
            .map(|ids| ids.iter().map(|id| GroupId(Uuid::from_u128(*id))).collect::<Vec<_>>())
            .to_vec(),
    )
}

/// A letter. Its id may be that of another.
pub fn sample() -> impl Strategy<Value = Sample> {
    let judged =
        (id(), select(&LetterState::ALL[..]), select(&Severity::ALL[..]), select(&Reason::ALL[..]));
    let names = (name(), vec(option::weighted(0.8, name()), 10));
    let numbers = (0_i64..3_000, 1_i32..4, 0_i32..4, any::<bool>());
    let times = (arrived(), arrived());
    let executions = vec(select(&NAMES[..9]).prop_map(str::to_owned), 0..3);
    let message = (
        vec(death(), 0..3),
        headers_of(header_value()),
        body(),
        prop::bool::weighted(0.95),
        (groups(), executions),
    );
    (judged, names, numbers, times, message).prop_map(
        |((id, state, severity, reason), (source, names), numbers, times, message)| {
            let (deaths, headers, body, is_extracted, (groups, executions)) = message;
            let is_its = |of: &&(&str, &str)| names[0].as_deref() == Some(of.1);
            let on_queue = WORKERS.iter().filter(is_its).map(|of| of.0);
            let is_named = |of: &&(&str, Option<&str>)| executions.iter().any(|name| name == of.0);
            let with_it = EXECUTIONS.iter().filter(is_named).filter_map(|of| of.1);
            let workers = on_queue.chain(with_it).map(str::to_owned).collect();
            // Samples are few, and an extract asks its body while it lives.
            let delivered: &Delivered =
                Box::leak(Box::new(Delivered { body, headers, ..Delivered::default() }));
            let contents = Contents::of(delivered, &MessageTypes::default());
            let relations = Relations {
                correlation_id: names[7].clone(),
                trace: names[8].clone(),
                business_key: names[9].clone(),
            };
            let message: Option<&str> = names[4].clone().map(|message| &*message.leak());
            let extract = Extract::of(delivered, relations, contents, message);
            Sample {
                id: LetterId(id),
                state,
                severity,
                source,
                names,
                reason,
                size_bytes: numbers.0,
                arrivals: numbers.1,
                replays: numbers.2,
                exhausted: numbers.3,
                first_arrived_at: times.0.min(times.1),
                last_arrived_at: times.0.max(times.1),
                groups,
                executions,
                workers,
                deaths,
                delivered,
                extract: is_extracted.then_some(extract),
            }
        },
    )
}

fn pattern() -> impl Strategy<Value = Pattern> {
    let piece =
        prop_oneof![3 => name(), 2 => select(&["o", "a", "rs", "."][..]).prop_map(str::to_owned)];
    prop_oneof![
        3 => name().prop_map(|text| Pattern::literal(&text)),
        2 => vec(piece, 1..4).prop_map(Pattern::of_pieces),
    ]
}

fn prose() -> impl Strategy<Value = Pattern> {
    let pieces = |pattern: Pattern| {
        let kept = pattern.pieces().iter().filter(|piece| !piece.is_empty());
        kept.cloned().collect::<Vec<_>>()
    };
    pattern()
        .prop_map(pieces)
        .prop_filter("a text", |pieces| !pieces.is_empty())
        .prop_map(Pattern::of_pieces)
}

fn number() -> impl Strategy<Value = Value> + Clone {
    select(NUMBERS).prop_map(|text| Value::Number(text.parse::<Decimal>().expect("a number")))
}

fn moment() -> impl Strategy<Value = Moment> {
    prop_oneof![
        3 => arrived().prop_map(Moment::At),
        1 => (0_u64..9).prop_map(|days| Moment::On(now().date_naive() - chrono::Days::new(days))),
    ]
}

fn value(field: Field) -> BoxedStrategy<Value> {
    match field.kind() {
        Kind::Name if field == Field::Source => pattern()
            .prop_filter("not empty", |pattern| pattern.as_literal() != Some(""))
            .prop_map(Value::Text)
            .boxed(),
        Kind::Name => pattern().prop_map(Value::Text).boxed(),
        Kind::Prose => prose().prop_map(Value::Text).boxed(),
        Kind::Words(words) => select(words.all).prop_map(Value::Word).boxed(),
        Kind::Id => id().prop_map(Value::Id).boxed(),
        Kind::Number => number().boxed(),
        Kind::Size => {
            select(&[0_i64, 1, 512, 1_024, 1_536, 2_048, 4_096][..]).prop_map(Value::Size).boxed()
        }
        Kind::Age => select(SECONDS).prop_map(Value::Age).boxed(),
        Kind::Time => moment().prop_map(Value::Time).boxed(),
        Kind::Bound => prop_oneof![moment(), select(SECONDS).prop_map(Moment::Ago)]
            .prop_map(Value::Time)
            .boxed(),
    }
}

fn side() -> impl Strategy<Value = Comparison> {
    select(&Comparison::ALL[..])
}

fn test(field: Field) -> BoxedStrategy<Test> {
    let one = value(field).prop_map(|value| Test::Is(vec![value]));
    let has = Just(Test::Exists);
    if field.kind() == Kind::Bound {
        return prop_oneof![8 => one, 1 => has].boxed();
    }
    let some = vec(value(field), 2..4).prop_map(Test::Is);
    if !field.kind().is_ordered() {
        return prop_oneof![5 => one, 2 => some, 1 => has].boxed();
    }
    let compared = (side(), value(field)).prop_map(|(side, value)| Test::Compare(side, value));
    let between = (value(field), value(field)).prop_map(|(low, high)| Test::Between(low, high));
    prop_oneof![3 => one, 1 => some, 1 => has, 3 => compared, 2 => between].boxed()
}

fn path_test() -> impl Strategy<Value = Test> {
    let text = || pattern().prop_map(Value::Text);
    prop_oneof![
        5 => text().prop_map(|value| Test::Is(vec![value])),
        1 => vec(text(), 2..4).prop_map(Test::Is),
        2 => Just(Test::Exists),
        2 => (side(), number()).prop_map(|(side, value)| Test::Compare(side, value)),
        1 => (number(), number()).prop_map(|(low, high)| Test::Between(low, high)),
    ]
}

fn term() -> impl Strategy<Value = Term> {
    let fields: Vec<Field> = FIELDS.iter().map(|info| info.field).collect();
    let field = select(fields).prop_flat_map(|field| {
        test(field).prop_map(move |test| Term { subject: Subject::Field(field), test })
    });
    let path = (vec(select(STEPS), 1..3), any::<bool>(), path_test()).prop_map(
        |(steps, in_headers, test)| {
            let steps = steps.into_iter().map(str::to_owned).collect();
            let path = Path::of(steps).expect("a path");
            let subject = if in_headers { Subject::Header(path) } else { Subject::Body(path) };
            Term { subject, test }
        },
    );
    let text = prose().prop_map(|pattern| Term {
        subject: Subject::Text,
        test: Test::Is(vec![Value::Text(pattern)]),
    });
    prop_oneof![6 => field, 4 => path, 1 => text]
}

/// A filter.
pub fn filter() -> impl Strategy<Value = LetterFilter> {
    let tree = term().prop_map(Expr::Term).prop_recursive(4, 12, 3, |inner| {
        let some = |parts: Vec<Expr>, join: fn(Vec<Expr>) -> Option<Expr>| {
            join(parts).expect("there are some")
        };
        prop_oneof![
            vec(inner.clone(), 2..4).prop_map(move |parts| some(parts, Expr::all)),
            vec(inner.clone(), 2..4).prop_map(move |parts| some(parts, Expr::any)),
            inner.prop_map(|part| Expr::Not(Box::new(part))),
        ]
    });
    option::weighted(0.98, tree).prop_map(LetterFilter::of)
}
