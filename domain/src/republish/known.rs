//! Headers of frameworks that travel along with a replay and change what becomes of it, and those that only tell
//! of a failure.

use crate::globs::Globs;
use crate::republish::HeaderChanges;
use crate::wire::{FieldTable, FieldValue};

use super::headers::short_text;

/// A header that changes what becomes of the message that carries it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownHeader {
    /// Its name: of a header, its beginning and its end around a `*`, or of a member of a table behind `/`.
    name: &'static str,
    /// It is known only beside this other header.
    beside: Option<&'static str>,
    /// What it does.
    says: &'static str,
    /// What it is set to where leaving it out would not do.
    reset_to: Option<i64>,
}

/// The headers, by framework. Sources: MassTransit `MessageHeaders`, the delayed message exchange plugin, Laravel's
/// `RabbitMQJob::attempts` (vladimir-yuldashev/laravel-queue-rabbitmq), Symfony's `RedeliveryStamp` and
/// `MultiplierRetryStrategy`, NServiceBus `Headers`, Celery's message protocol 2.
const KNOWN: [KnownHeader; 9] = [
    KnownHeader {
        name: "MT-Redelivery-Count",
        beside: None,
        says: "MassTransit counts redeliveries in it, and its consumer may give up at once",
        reset_to: None,
    },
    KnownHeader {
        name: "x-delay",
        beside: None,
        says: "an exchange for delayed messages would hold the letter back for so many milliseconds again",
        reset_to: None,
    },
    KnownHeader {
        name: "/laravel/attempts",
        beside: None,
        says: "Laravel counts attempts in it, and fails a job at once that had as many as it may have",
        reset_to: Some(0),
    },
    KnownHeader {
        name: "X-Message-Stamp-*RedeliveryStamp",
        beside: None,
        says: "Symfony counts retries in it: a message that had all of them is tried once more and not retried",
        reset_to: None,
    },
    KnownHeader {
        name: "NServiceBus.Retries",
        beside: None,
        says: "NServiceBus counts delayed retries in it: a message that had all of them is not retried again",
        reset_to: None,
    },
    KnownHeader {
        name: "NServiceBus.FLRetries",
        beside: None,
        says: "NServiceBus counts immediate retries in it",
        reset_to: None,
    },
    KnownHeader {
        name: "retries",
        beside: Some("task"),
        says: "Celery counts retries in it: a task that had as many as it may have is not retried again",
        reset_to: None,
    },
    KnownHeader {
        name: "expires",
        beside: Some("task"),
        says: "a Celery worker drops the task after this time, and says so only in its own log",
        reset_to: None,
    },
    KnownHeader {
        name: "eta",
        beside: Some("task"),
        says: "a Celery worker holds the task back until this time",
        reset_to: None,
    },
];

/// Headers that tell of a failure and that no worker needs.
const DIAGNOSTICS: [&str; 9] = [
    "X-Message-Stamp-*ErrorDetailsStamp",
    "MT-Fault-*",
    "NServiceBus.ExceptionInfo.*",
    "rbs2-error-details",
    "x-exception-stacktrace",
    "x-exception-message",
    "exception-stack",
    "exception-message",
    "retry_info",
];

impl KnownHeader {
    /// Those among the headers that a letter is sent with, each with the name and value that it has there.
    pub fn among(headers: &FieldTable) -> impl Iterator<Item = (Self, Travelling)> + '_ {
        KNOWN.into_iter().filter_map(|known| {
            if known.beside.is_some_and(|other| headers.get(other).is_none()) {
                return None;
            }
            let (name, value) = known.find(headers)?;
            // What counts nothing does nothing.
            let is_nothing = matches!(value, FieldValue::Void) || value.as_integer() == Some(0);
            (!is_nothing).then(|| (known, Travelling { name, value: short_text(value) }))
        })
    }

    fn find<'a>(&self, headers: &'a FieldTable) -> Option<(String, &'a FieldValue)> {
        if let Some((table, member)) =
            self.name.strip_prefix('/').and_then(|path| path.split_once('/'))
        {
            let FieldValue::Table(table) = headers.get(table)? else {
                return None;
            };
            return Some((self.name.to_owned(), table.get(member)?));
        }
        let is_it = |name: &str| match self.name.split_once('*') {
            Some((begin, end)) => name.starts_with(begin) && name.ends_with(end),
            None => name == self.name,
        };
        headers.0.iter().find_map(|field| {
            let name = field.name.as_str().filter(|name| is_it(name))?;
            Some((name.to_owned(), &field.value))
        })
    }

    /// What it does, as the end of a sentence.
    #[must_use]
    pub fn says(&self) -> &'static str {
        self.says
    }

    /// The change that takes its effect away.
    #[must_use]
    pub fn remedy(&self) -> HeaderChanges {
        match self.reset_to {
            Some(number) => HeaderChanges {
                set: [(self.name.to_owned(), number.into())].into(),
                ..HeaderChanges::default()
            },
            None => leaving_out(self.name),
        }
    }
}

/// A known header as a letter has it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Travelling {
    /// Its whole name.
    pub name: String,
    /// Its value, cut; `None` if it has no short form.
    pub value: Option<String>,
}

/// The header that takes most room of those that would be sent: its name, its size in bytes, and the change that
/// leaves it out if it only tells of a failure. `None` if none is sent.
#[must_use]
pub fn largest(
    mut headers: FieldTable,
    changes: &HeaderChanges,
) -> Option<(String, usize, Option<HeaderChanges>)> {
    super::clean(&mut headers, changes);
    let size = |field: &&crate::wire::Field| super::size_of_value(&field.value);
    let field = headers.0.iter().max_by_key(size)?;
    let name = field.name.to_display().into_owned();
    let diagnostics = DIAGNOSTICS
        .into_iter()
        .find(|pattern| Globs::of([(*pattern).to_owned()]).is_ok_and(|globs| globs.matches(&name)));
    Some((name, size(&field), diagnostics.map(leaving_out)))
}

fn leaving_out(pattern: &str) -> HeaderChanges {
    let leave_out = Globs::of([pattern.to_owned()]).unwrap_or_default();
    HeaderChanges { leave_out, ..HeaderChanges::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Field, FieldTable};

    fn table(fields: &[(&str, FieldValue)]) -> FieldTable {
        let fields =
            fields.iter().map(|(name, value)| Field { name: (*name).into(), value: value.clone() });
        FieldTable(fields.collect())
    }

    fn told(fields: &[(&str, FieldValue)]) -> Vec<(String, Option<String>)> {
        let headers = table(fields);
        KnownHeader::among(&headers).map(|(_, one)| (one.name, one.value)).collect()
    }

    #[test]
    fn headers_that_do_something_are_told_and_those_of_no_effect_are_not() {
        let number = FieldValue::LongInt;
        let laravel = FieldValue::Table(table(&[("attempts", number(3))]));
        let stamp = r"X-Message-Stamp-Symfony\Component\Messenger\Stamp\RedeliveryStamp";
        let some = told(&[
            ("MT-Redelivery-Count", number(5)),
            ("laravel", laravel),
            (stamp, FieldValue::LongString("[{\"retryCount\":3}]".into())),
        ]);
        let names: Vec<&str> = some.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["MT-Redelivery-Count", "/laravel/attempts", stamp]);
        assert_eq!(some[1].1.as_deref(), Some("3"));
        let none = [
            ("x-delay", number(0)),
            // Celery's name of a count, on a message that is not a task.
            ("retries", number(4)),
            ("expires", FieldValue::Void),
            ("laravel", FieldValue::LongString("attempts".into())),
        ];
        assert_eq!(told(&none), []);
        let task = [("task", FieldValue::LongString("a.b".into())), ("retries", number(4))];
        assert_eq!(told(&task), [("retries".to_owned(), Some("4".to_owned()))]);
    }

    #[test]
    fn each_remedy_can_be_carried_out_and_leaves_nothing_to_tell() {
        for known in KNOWN {
            let remedy = known.remedy();
            assert_eq!(remedy.check(), Ok(()), "{known:?}");
            let mut headers = table(&[("task", FieldValue::LongString("t".into()))]);
            let one = FieldValue::LongInt(1);
            match known.name.strip_prefix('/').and_then(|path| path.split_once('/')) {
                Some((name, member)) => {
                    headers.set(name, FieldValue::Table(table(&[(member, one)])));
                }
                None => headers.set(&known.name.replace('*', "Any"), one),
            }
            assert_eq!(KnownHeader::among(&headers).count(), 1, "{known:?}");
            remedy.apply(&mut headers);
            assert_eq!(KnownHeader::among(&headers).count(), 0, "{known:?}");
        }
    }

    #[test]
    fn the_largest_header_is_named_and_diagnostics_are_offered_to_be_left_out() {
        let stamp = r"X-Message-Stamp-Symfony\Component\Messenger\Stamp\ErrorDetailsStamp";
        let long = FieldValue::LongString("x".repeat(1_000).into());
        let short = FieldValue::LongString("x".into());
        let huge = FieldValue::LongString("x".repeat(9_000).into());
        let headers = table(&[("x-death", huge), ("a", short), (stamp, long.clone())]);
        let plain = HeaderChanges::default();
        let (name, bytes, remedy) = largest(headers.clone(), &plain).expect("headers");
        assert_eq!((&*name, bytes), (stamp, 1_005));
        let without = remedy.expect("an offer");
        assert!(without.leave_out.matches(stamp));
        let next = largest(headers, &without).expect("headers");
        assert_eq!((next.0.as_str(), next.2), ("a", None), "what is left out is not named again");
        let own = largest(table(&[("tenant-data", long)]), &plain).expect("headers");
        assert_eq!((own.0.as_str(), own.2), ("tenant-data", None));
        assert_eq!(largest(FieldTable::default(), &plain), None);
    }
}
