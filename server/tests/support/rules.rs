//! Rules within a test.

use dlo_domain::rule::{NewRule, Verdict};

pub fn rule(name: &str, filter: &str, verdict: Verdict) -> NewRule {
    NewRule { name: name.to_owned(), filter: filter.to_owned(), verdict, enabled: true }
}
