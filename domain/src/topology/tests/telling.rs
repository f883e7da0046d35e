//! Where findings are told, and times in them.

use serde_json::json;

use super::sound;
use crate::topology::{duration, shadowed};

#[test]
fn a_shadowed_policy_is_told_at_the_queues_that_it_misses() {
    let vhost = sound()
        .queue_with("orders", json!({"policy": "limits"}))
        .queue_with("other", json!({"policy": "letters"}))
        .policy("letters", "^o", 0, json!({"dead-letter-exchange": "dlx"}))
        .policy("limits", "^orders", 5, json!({"max-length": 1000}))
        .read();
    assert_eq!(shadowed(&vhost, "letters", "limits"), ["orders"]);
    assert_eq!(shadowed(&vhost, "gone", "limits"), [""; 0]);
}

#[test]
fn times_are_told_exactly_and_in_the_units_of_people() {
    for (millis, said) in [
        (604_800_000, "7 days"),
        (60_000_000, "16 hours 40 minutes"),
        (90_061_001, "1 day 1 hour 1 minute 1 second 1 millisecond"),
        (0, "0 milliseconds"),
        (-5, "-5 milliseconds"),
    ] {
        assert_eq!(duration(millis), said);
    }
}
