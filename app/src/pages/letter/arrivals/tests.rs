//! What an arrival is compared with.

use dlo_domain::changing::SentMark;
use dlo_domain::ids::ReplayId;
use dlo_domain::replay::Outcome;
use uuid::Uuid;

use super::*;

fn arrival(body: &str, by: Option<u128>) -> Arrival {
    let arrival = serde_json::json!({
        "ordinal": 1, "arrived_at": DateTime::UNIX_EPOCH, "exchange": "", "routing_key": "",
        "properties": {}, "headers": [], "deaths": [], "size_bytes": 1, "body_sha256": body,
        "replay_id": by.map(Uuid::from_u128), "notes": [],
    });
    serde_json::from_value(arrival).expect("an arrival")
}

fn replay(id: u128, sent: Option<&str>) -> LetterReplay {
    LetterReplay {
        replay_id: ReplayId(Uuid::from_u128(id)),
        attempt: 1,
        queue: None,
        outcome: Outcome::DiedAgain,
        detail: None,
        planned_at: DateTime::UNIX_EPOCH,
        at: None,
        sent: sent.map(|body| SentMark {
            from_arrival: 1,
            size_bytes: 1,
            body_sha256: body.to_owned(),
        }),
    }
}

#[test]
fn an_arrival_is_compared_with_what_was_sent_and_else_with_the_one_before() {
    let replays = [replay(1, None), replay(2, Some("b")), replay(3, Some("c"))];
    let arrivals = [
        arrival("a", None),
        arrival("a", Some(1)),
        arrival("b", Some(2)),
        arrival("x", Some(3)),
        arrival("y", None),
    ];
    let found = comings(&arrivals, &replays);
    assert_eq!(
        found,
        [Coming::First, Coming::Same, Coming::AsSent, Coming::NotAsSent, Coming::Other]
    );
    assert_eq!(summary(&found), "the body changed between them");
    assert_eq!(summary(&found[..3]), "the body was each time what was sent");
    assert_eq!(summary(&found[..2]), "the body was the same each time");
    assert_eq!(summary(&found[..1]), "1");
    // What a replay sends must be known to be wrong when it comes back as it was before.
    let back = comings(&[arrival("a", None), arrival("a", Some(2))], &replays);
    assert_eq!(back[1], Coming::NotAsSent);
}
