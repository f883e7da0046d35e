mod arriving;
mod history;
mod office;
mod previewing;
mod walking;

use dlo_domain::arrival::Delivered;
use dlo_domain::grouping::Outcome;
use dlo_domain::rule::Verdict;
use dlo_domain::severity::Severity;
use dlo_domain::wire::FieldValue;

use office::Office;

/// A message that died of this error.
fn died_of(message: &str) -> Delivered {
    let mut delivered = Delivered {
        body: br#"{"tenant": "acme", "lines": [{"n": 1}]}"#.to_vec(),
        ..Delivered::default()
    };
    let header = |text: &str| FieldValue::LongString(text.into());
    delivered.headers.set("x-error", header(message));
    let queue = header("orders.work");
    delivered.headers.set("x-first-death-queue", queue);
    delivered
}

fn many(count: usize, message: &str) -> Vec<Delivered> {
    (0..count).map(|_| died_of(message)).collect()
}

fn critical() -> Verdict {
    Verdict::Severity(Severity::Critical)
}

fn key(key: &str) -> Verdict {
    Verdict::Grouping(Outcome::Key(key.to_owned()))
}
