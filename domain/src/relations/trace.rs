//! The trace that a message belongs to, in the forms in which tracers hand it on.

use serde_json::Value;

use crate::wire::FieldTable;

/// How a header writes a trace.
#[derive(Clone, Copy)]
enum Form {
    /// `00-<trace>-<span>-01`: W3C Trace Context.
    W3c,
    /// `<trace>-<span>-1`: Zipkin's single header, and Sentry's.
    Dashed,
    /// `<trace>:<span>:<parent>:1`: Jaeger.
    Colons,
    /// `<trace>/<span>;o=1`: Google Cloud.
    Slashed,
    /// `Root=1-<seconds>-<rest>;Parent=…`: AWS X-Ray, whose id without its dashes is that of W3C.
    XRay,
    /// The id alone.
    Alone,
}

/// Headers by their names in lower case, the most telling first: libraries write them in capitals, too. MassTransit's
/// and Wolverine's are those of .NET's activities.
const HEADERS: [(&str, Form); 14] = [
    ("traceparent", Form::W3c),
    ("cloudevents:traceparent", Form::W3c),
    ("cloudevents_traceparent", Form::W3c),
    ("ce-traceparent", Form::W3c),
    ("mt-activity-id", Form::W3c),
    ("diagnostic-id", Form::W3c),
    ("parent-id", Form::W3c),
    ("x-b3-traceid", Form::Alone),
    ("b3", Form::Dashed),
    ("sentry-trace", Form::Dashed),
    ("uber-trace-id", Form::Colons),
    ("x-amzn-trace-id", Form::XRay),
    ("x-cloud-trace-context", Form::Slashed),
    ("x-datadog-trace-id", Form::Alone),
];

/// The id of the trace that headers name, or that a CloudEvents body does.
pub(super) fn of(headers: &FieldTable, body: Option<&Value>) -> Option<String> {
    let mut best: Option<(usize, String)> = None;
    for field in &headers.0 {
        let Some(name) = field.name.as_str() else { continue };
        let Some(rank) = HEADERS.iter().position(|(known, _)| known.eq_ignore_ascii_case(name))
        else {
            continue;
        };
        if best.as_ref().is_some_and(|(better, _)| *better <= rank) {
            continue;
        }
        let text = field.value.as_text().and_then(|text| text.as_str());
        if let Some(id) = text.and_then(|text| HEADERS[rank].1.read(text)) {
            best = Some((rank, id));
        }
    }
    let in_event = || {
        let event = body.filter(|body| body.get("specversion").is_some())?;
        Form::W3c.read(event.get("traceparent")?.as_str()?)
    };
    best.map(|(_, id)| id).or_else(in_event)
}

impl Form {
    fn read(self, text: &str) -> Option<String> {
        let text = text.trim();
        let id = match self {
            Self::W3c => {
                let mut parts = text.split('-');
                let (version, trace) = (parts.next()?, parts.next()?);
                (version.len() == 2 && trace.len() == 32 && parts.next()?.len() == 16)
                    .then(|| trace.to_owned())
            }
            Self::Dashed => text.split_once('-').map(|(trace, _)| trace.to_owned()),
            Self::Colons => text.split_once(':').map(|(trace, _)| trace.to_owned()),
            Self::Slashed => Some(text.split_once('/').map_or(text, |(trace, _)| trace).to_owned()),
            Self::XRay => {
                let root = text.split(';').find_map(|part| part.trim().strip_prefix("Root=1-"));
                root.map(|root| root.replace('-', ""))
            }
            Self::Alone => Some(text.to_owned()),
        };
        id.filter(|id| is_id(id)).map(|id| id.to_ascii_lowercase())
    }
}

/// Digits of base 16, or of base 10 as Datadog writes them, that are not all zero.
fn is_id(text: &str) -> bool {
    (1..=32).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_hexdigit())
        && text.bytes().any(|byte| byte != b'0')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::wire::FieldValue;

    const ID: &str = "0af7651916cd43dd8448eb211c80319c";

    fn read(headers: &[(&str, &str)]) -> Option<String> {
        let mut table = FieldTable::default();
        for (name, value) in headers {
            table.set(name, FieldValue::LongString((*value).into()));
        }
        of(&table, None)
    }

    #[test]
    fn tracers_write_it_in_many_forms() {
        for (name, value) in [
            ("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
            ("MT-Activity-Id", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"),
            ("X-B3-TraceId", "0AF7651916CD43DD8448EB211C80319C"),
            ("b3", "0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1"),
            ("sentry-trace", "0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331"),
            ("uber-trace-id", "0af7651916cd43dd8448eb211c80319c:b7ad6b7169203331:0:1"),
            ("X-Amzn-Trace-Id", "Self=1-2-3;Root=1-0af76519-16cd43dd8448eb211c80319c;Sampled=1"),
            ("x-cloud-trace-context", "0af7651916cd43dd8448eb211c80319c/1;o=1"),
        ] {
            assert_eq!(read(&[(name, value)]).as_deref(), Some(ID), "{name}");
        }
        assert_eq!(read(&[("x-datadog-trace-id", "738")]).as_deref(), Some("738"));
    }

    #[test]
    fn what_is_none_is_not_taken_for_one() {
        for (name, value) in [
            ("traceparent", "hello"),
            ("traceparent", "00-00000000000000000000000000000000-b7ad6b7169203331-01"),
            ("parent-id", "order-17"),
            ("Diagnostic-Id", "|a.1."),
            ("b3", "0"),
            ("uber-trace-id", "x:y:z"),
            ("x-datadog-trace-id", ""),
        ] {
            assert_eq!(read(&[(name, value)]), None, "{name}: {value}");
        }
    }

    #[test]
    fn the_most_telling_header_counts_and_then_the_event() {
        let w3c = format!("00-{ID}-b7ad6b7169203331-01");
        assert_eq!(read(&[("b3", "ff-1"), ("Traceparent", &w3c)]).as_deref(), Some(ID));
        let event = json!({"specversion": "1.0", "traceparent": w3c});
        assert_eq!(of(&FieldTable::default(), Some(&event)).as_deref(), Some(ID));
        assert_eq!(of(&FieldTable::default(), Some(&json!({"traceparent": w3c}))), None);
    }
}
