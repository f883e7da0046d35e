//! Requests to the management API, as a person pastes them into a terminal: all versions of RabbitMQ have
//! it alike, which the options of `rabbitmqadmin` are not.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, PercentEncode, utf8_percent_encode};
use serde_json::Value;

use super::matching::quoted;

/// What the address looks like that is asked.
pub(super) const ADDRESS: &str = "http://USER:PASSWORD@HOST:15672";

/// All but what RFC 3986, section 2.3, calls unreserved: names stay readable.
const RESERVED: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A request about a vhost, where `RABBITMQ` is the address, as one line of a shell; nothing where a
/// terminal would obey what is in it.
pub(super) fn ask(
    vhost: &str,
    method: &str,
    (kind, path, query): (&str, &[&str], &str),
    body: Option<&Value>,
) -> Option<String> {
    let mut address = format!("/api/{kind}/{}", escaped(vhost));
    for part in path {
        address = format!("{address}/{}", escaped(part));
    }
    address.push_str(query);
    let body = match body {
        Some(body) => {
            format!(" -H 'content-type: application/json' -d {}", quoted(&body.to_string())?)
        }
        None => String::new(),
    };
    Some(format!("curl -fsS -X {method} \"$RABBITMQ\"'{address}'{body}"))
}

/// The same as one line that says where the address goes.
pub(super) fn ask_at_once(
    vhost: &str,
    method: &str,
    place: (&str, &[&str], &str),
    body: &Value,
) -> Option<String> {
    let command = ask(vhost, method, place, Some(body))?;
    Some(format!("RABBITMQ={ADDRESS}; {command}"))
}

/// A name as one part of an address: all but what never means anything there.
fn escaped(name: &str) -> PercentEncode<'_> {
    utf8_percent_encode(name, &RESERVED)
}
