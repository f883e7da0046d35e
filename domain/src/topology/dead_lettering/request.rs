//! Requests to the management API, as a person pastes them into a terminal.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, PercentEncode, utf8_percent_encode};
use serde_json::Value;

use super::super::matching::quoted;
use super::migration::Way;

/// All but what RFC 3986, section 2.3, calls unreserved: names stay readable.
const RESERVED: AsciiSet = NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

impl Way<'_> {
    /// A request about this vhost as one line of a shell; nothing where a terminal would obey what is in
    /// it.
    pub(super) fn ask(
        &self,
        method: &str,
        (kind, path, query): (&str, &[&str], &str),
        body: Option<&Value>,
    ) -> Vec<String> {
        let mut address = format!("/api/{kind}/{}", escaped(self.vhost.1));
        for part in path {
            address = format!("{address}/{}", escaped(part));
        }
        address.push_str(query);
        let body = match body.map(|body| quoted(&body.to_string())) {
            Some(None) => return Vec::new(),
            Some(Some(body)) => format!(" -H 'content-type: application/json' -d {body}"),
            None => String::new(),
        };
        vec![format!(
            "curl -fsS -X {method} \"$RABBITMQ\"'{address}'{body}"
        )]
    }
}

/// A name as one part of an address: all but what never means anything there.
fn escaped(name: &str) -> PercentEncode<'_> {
    utf8_percent_encode(name, &RESERVED)
}
