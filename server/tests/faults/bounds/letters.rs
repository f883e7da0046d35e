//! Letters that are small to store and large to unpack, to lay out, to read or to show. In the short form of the
//! tests they are smaller, and still several times as large as any budget.

use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dlo_domain::wire::{Field, FieldTable, FieldValue, Properties};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::harness::sized;

/// A letter that asks for much.
pub struct Costly {
    /// What it is.
    pub name: &'static str,
    /// Its content type.
    pub content_type: Option<&'static str>,
    /// Its content encoding.
    pub encoding: Option<&'static str>,
    /// Its headers.
    pub headers: FieldTable,
    /// Its body.
    pub body: Vec<u8>,
}

impl Costly {
    fn of_body(name: &'static str, encoding: Option<&'static str>, body: Vec<u8>) -> Self {
        Self {
            name,
            content_type: Some("application/json"),
            encoding,
            headers: FieldTable::default(),
            body,
        }
    }

    fn of_headers(name: &'static str, headers: FieldTable) -> Self {
        Self { name, content_type: None, encoding: None, headers, body: b"{}".to_vec() }
    }

    /// Its properties.
    pub fn properties(&self) -> Properties {
        Properties {
            content_type: self.content_type.map(Into::into),
            content_encoding: self.encoding.map(Into::into),
            ..Properties::default()
        }
    }
}

/// Bytes packed with gzip.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(bytes).expect("packed");
    gzip.finish().expect("packed")
}

/// Zeros packed with gzip, so many MiB of them.
fn zeros(mib: usize) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    let part = vec![0; 1024 * 1024];
    for _ in 0..mib {
        gzip.write_all(&part).expect("packed");
    }
    gzip.finish().expect("packed")
}

/// An array of this element, deep within others, in at most so many bytes.
fn elements(depth: usize, element: &str, bytes: usize) -> Vec<u8> {
    let mut text = "[".repeat(depth);
    text.push_str(&format!("{element},").repeat(bytes / (element.len() + 1)));
    text.push('0');
    text.push_str(&"]".repeat(depth));
    text.into_bytes()
}

fn table(fields: impl IntoIterator<Item = (String, FieldValue)>) -> FieldTable {
    let fields = fields.into_iter().map(|(name, value)| Field { name: name.into(), value });
    FieldTable(fields.collect())
}

fn text(text: &str) -> FieldValue {
    FieldValue::LongString(text.into())
}

/// An entry of a death history.
fn death(number: usize) -> FieldValue {
    FieldValue::Table(table([
        ("queue".to_owned(), text(&format!("q{number}"))),
        ("reason".to_owned(), text("rejected")),
        ("count".to_owned(), FieldValue::LongLongInt(1)),
    ]))
}

/// Bodies, packed and plain.
fn bodies() -> Vec<Costly> {
    let plain = |name, body| Costly::of_body(name, None, body);
    let json = "{\"a\":[1,2,{\"b\":\"c\"}]},";
    vec![
        Costly::of_body(
            "gzip of 8 million deep elements",
            Some("gzip"),
            gzip(&elements(126, "0", sized(3_000_000, 16_000_000))),
        ),
        Costly::of_body("gzip of a gigabyte", Some("gzip"), zeros(sized(48, 1_024))),
        Costly::of_body(
            "gzip in gzip in base64",
            Some("gzip, gzip, base64"),
            STANDARD.encode(gzip(&zeros(sized(32, 256)))).into_bytes(),
        ),
        Costly::of_body(
            "gzip of many members",
            Some("gzip"),
            gzip(format!("{{{}\"z\":0}}", members(sized(2_000_000, 15_000_000))).as_bytes()),
        ),
        Costly::of_body("gzip of lines", Some("gzip"), gzip(&b"\n".repeat(900_000))),
        plain("8 million elements", elements(1, "0", sized(4_000_000, 16_000_000))),
        plain("small objects", elements(1, "{\"\":0}", 250_000)),
        plain("small objects, just below 1 MiB", elements(1, "{\"\":0}", 1_000_000)),
        plain("deep nesting", "[".repeat(100_000).into_bytes()),
        plain("like JSON", json.repeat(10_000).into_bytes()),
        Costly {
            content_type: Some("text/xml"),
            ..plain("like XML", "<a b=\"&amp;\"><![CDATA[<>]]></a>".repeat(7_000).into_bytes())
        },
        Costly {
            content_type: Some("text/plain"),
            ..plain("signs that are written out", b"<".repeat(256 * 1024))
        },
        plain(
            "base64 that is large",
            STANDARD.encode(vec![7; sized(2_000_000, 15_000_000)]).into_bytes(),
        ),
    ]
}

fn members(bytes: usize) -> String {
    let members: Vec<String> = (0..bytes / 12).map(|n| format!("\"{n:07}\":0,")).collect();
    members.concat()
}

/// Headers, as many and as long as a frame takes.
fn headers() -> Vec<Costly> {
    let voids = vec![FieldValue::Void; 120_000];
    let nested =
        (0..20).fold(text("x"), |inner, _| FieldValue::Table(table([("a".to_owned(), inner)])));
    let deaths = FieldValue::Array((0..3_000).map(death).collect());
    let many = |count: usize| (0..count).map(|n| (format!("{n:05}"), FieldValue::Boolean(true)));
    vec![
        Costly::of_headers(
            "120 KB in one table",
            table([("t".to_owned(), FieldValue::Table(table(many(13_000))))]),
        ),
        Costly::of_headers("5,000 headers", table(many(5_000))),
        Costly::of_headers(
            "120,000 empty values",
            table([("v".to_owned(), FieldValue::Array(voids))]),
        ),
        Costly::of_headers(
            "120 KB of text",
            table([("x-exception-stacktrace".to_owned(), text(&"<".repeat(120_000)))]),
        ),
        Costly::of_headers("nested tables", table([("n".to_owned(), nested)])),
        Costly::of_headers("3,000 deaths", table([("x-death".to_owned(), deaths)])),
    ]
}

/// Every letter that asks for much.
pub fn costly() -> Vec<Costly> {
    bodies().into_iter().chain(headers()).collect()
}
