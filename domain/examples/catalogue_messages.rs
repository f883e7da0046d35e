//! Makes labelled messages of a program's message catalogue: `catalogue_messages FILE.mo [SEED [common]]` prints a table
//! for `grouping_score`. Each text with placeholders is a label; its messages are the text with values filled in, most of
//! them words; with `common` nearly half of them are words that failures are told with. A place is filled from one list of values in all messages of its text, as in a real program.
//!
//! The format of catalogues is in the manual of GNU gettext, "The Format of GNU MO Files".

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use regex::{Captures, Regex};

/// Texts of a catalogue that are used.
const MOST_TEXTS: usize = 120;

/// Values that places are filled with, each list by itself.
const VALUES: [&[&str]; 9] = [
    &["app_user", "readonly", "etl_worker", "admin", "reporting", "alice", "bob", "root", "batch"],
    &["orders", "customers", "refunds", "sessions", "invoices", "audit_log", "ledger", "coupons"],
    &["shipments", "payments", "products", "carts", "inventory", "order_items", "subscriptions"],
    &["customer_id", "created_at", "email", "sku", "currency", "tenant", "quantity", "iban"],
    &["billing", "shipping", "mailer", "checkout", "scheduler", "gateway", "catalog", "auth"],
    &["alpha", "nightly", "primary", "archive", "copper", "meadow", "orchid", "willow", "zephyr"],
    &["OrderPlaced", "InvoiceDue", "PaymentCaptured", "RefundIssued", "CartAbandoned"],
    &["db1.internal", "mq2.example.com", "localhost", "/var/lib/app/data", "reports/daily.csv"],
    &["a3f9c1d27e", "ord-48213", "REQ-99812", "7f3e2a10-5b6c-4d7e-8f90-1a2b3c4d5e6f"],
];

/// The same, nearly half of which are words of the language of failures as well.
const COMMON_VALUES: [&[&str]; 9] = [
    &["app_user", "readonly", "admin", "root", "backup", "service", "monitor", "alice"],
    &["orders", "users", "sessions", "events", "messages", "products", "accounts", "logs"],
    &["id", "name", "email", "status", "created_at", "type", "amount", "version"],
    &["main", "develop", "release", "hotfix", "default", "feature-x", "master"],
    &["cache", "worker", "gateway", "proxy", "scheduler", "auth", "storage", "search"],
    &["config.yml", "data.csv", "/etc/hosts", "/tmp/output", "input.json", "index.html"],
    &["localhost", "db1", "redis", "mq.internal", "broker", "primary", "replica"],
    &["OrderPlaced", "UserDeleted", "PaymentFailed", "StockUpdated", "SessionExpired"],
    &["a3f9c1d27e", "ord-48213", "REQ-99812", "7f3e2a10-5b6c-4d7e-8f90-1a2b3c4d5e6f"],
];

/// A message and the text that it was made of.
struct Row {
    label: String,
    message: String,
}

/// Numbers that follow from a seed alone.
struct Chance {
    seed: u64,
    drawn: u64,
}

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.drawn += 1;
        let mut hash = DefaultHasher::new();
        (self.seed, self.drawn).hash(&mut hash);
        usize::try_from(hash.finish() >> 33).expect("31 bits") % end
    }

    /// From 2 to 39, few more often than many.
    fn count(&mut self) -> usize {
        let most = 1 + self.below(38);
        2 + self.below(most)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("give a catalogue: catalogue_messages FILE.mo [SEED]")?;
    let seed = arguments.next().map_or(Ok(1), |seed| seed.parse())?;
    let bytes = std::fs::read(&file).map_err(|why| format!("{file}: {why}"))?;
    let texts = texts(&bytes).ok_or_else(|| format!("{file} is not a message catalogue"))?;
    let values = match arguments.next().as_deref() {
        None => &VALUES,
        Some("common") => &COMMON_VALUES,
        Some(other) => {
            return Err(format!("`{other}` is not a list of values: `common` is one").into());
        }
    };
    let mut chance = Chance { seed, drawn: 0 };
    let mut rows = messages(&texts, values, &mut chance)?;
    for last in (1..rows.len()).rev() {
        rows.swap(last, chance.below(last + 1));
    }
    println!("label\tmessage");
    for Row { label, message } in rows {
        println!("{label}\t{message}");
    }
    Ok(())
}

/// The texts that a catalogue translates.
fn texts(bytes: &[u8]) -> Option<Vec<String>> {
    let number = |at: usize| -> Option<usize> {
        let word = bytes.get(at..at + 4)?.try_into().ok()?;
        let number = match bytes.get(..4)? {
            [0xde, 0x12, 0x04, 0x95] => u32::from_le_bytes(word),
            [0x95, 0x04, 0x12, 0xde] => u32::from_be_bytes(word),
            _ => return None,
        };
        usize::try_from(number).ok()
    };
    let (count, table) = (number(8)?, number(12)?);
    let text = |index: usize| {
        let (length, at) = (number(table + 8 * index)?, number(table + 8 * index + 4)?);
        let text = String::from_utf8_lossy(bytes.get(at..at + length)?);
        // A plural form stands behind the singular, a context before it.
        let singular = text.split('\0').next()?;
        Some(singular.rsplit('\u{4}').next()?.trim().to_owned())
    };
    (0..count).map(text).collect()
}

fn messages(
    texts: &[String],
    values: &[&[&str]],
    chance: &mut Chance,
) -> Result<Vec<Row>, Box<dyn std::error::Error>> {
    let place = Regex::new(
        r"%(?:\d+\$)?[-+ #0']*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:hh|h|ll|l|z|j|t)?([diouxXeEfgGscpm])",
    )?;
    // Texts that differ in punctuation or in a placeholder's kind alone are one label.
    let mut labels = BTreeMap::new();
    for text in texts.iter().filter(|text| is_usable(text, &place)) {
        let label = place.replace_all(text, "*").to_lowercase();
        let is_kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '*' | '_');
        let label: String = label.chars().filter(is_kept).collect();
        labels.entry(label).or_insert(text);
    }
    let mut labels: Vec<(String, &String)> = labels.into_iter().collect();
    for last in (1..labels.len()).rev() {
        labels.swap(last, chance.below(last + 1));
    }
    labels.truncate(MOST_TEXTS);
    let mut rows = Vec::new();
    for (label, text) in labels {
        let places = place.find_iter(text).count();
        let lists: Vec<usize> = (0..places).map(|_| chance.below(values.len())).collect();
        for _ in 0..chance.count() {
            let mut lists = lists.iter();
            let mut fill = |found: &Captures<'_>| {
                let list = values[*lists.next().expect("one for each place")];
                value(&found[1], list, chance)
            };
            let message = place.replace_all(text, &mut fill).into_owned();
            rows.push(Row { label: label.clone(), message });
        }
    }
    Ok(rows)
}

/// One line of 3 to 20 words with a placeholder and two words besides; without any that is glued to another.
fn is_usable(text: &str, place: &Regex) -> bool {
    let words = text.split_whitespace().count();
    let glued = place.find_iter(text).any(|found| text[found.end()..].starts_with('%'));
    let rest = place.replace_all(text, " ");
    let is_word = |word: &&str| word.bytes().filter(u8::is_ascii_alphabetic).count() > 1;
    (3..=20).contains(&words)
        && !text.contains(['\n', '\t'])
        && !text.contains("%%")
        && place.is_match(text)
        && !glued
        && rest.split_whitespace().filter(is_word).count() > 1
}

fn value(kind: &str, list: &[&str], chance: &mut Chance) -> String {
    match kind {
        "s" => list[chance.below(list.len())].to_owned(),
        "m" => "No such file or directory".to_owned(),
        "c" => char::from(b'b' + u8::try_from(chance.below(24)).expect("a letter")).to_string(),
        "e" | "E" | "f" | "g" | "G" => format!("{}.{:02}", chance.below(1000), chance.below(100)),
        "p" => format!("{:#x}", 4096 + chance.below(1 << 30)),
        _ => chance.below(100_000).to_string(),
    }
}
