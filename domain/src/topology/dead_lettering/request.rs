//! Requests to the management API, as a person pastes them into a terminal.

use std::fmt::Write as _;

use serde_json::Value;

use super::super::matching::quoted;
use super::migration::Way;

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

/// A name as one part of an address.
fn escaped(name: &str) -> String {
    let mut escaped = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            write!(escaped, "%{byte:02X}").expect("a String takes every write");
        }
    }
    escaped
}
