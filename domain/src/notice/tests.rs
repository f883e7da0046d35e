//! What Slack is sent, held against the limits that it documents, whatever came from the broker.

use proptest::prelude::*;
use serde_json::Value;
use uuid::Uuid;

use super::*;
use crate::alert::Measure;

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_800_000_000 + seconds, 0).expect("a time")
}

fn notice(name: &str, error: &str) -> Notice {
    Notice {
        alert: AlertId(Uuid::nil()),
        change: AlertChange::Fired,
        at: at(0),
        rule: AlertRuleId(uuid::Uuid::from_u128(4)),
        rule_name: "A new group of dead letters".to_owned(),
        built_in: Some(BuiltIn::NewGroup),
        signal: Signal::NewGroup,
        limit: 0,
        severity: Severity::Critical,
        subject: AlertSubject { name: name.to_owned(), ..AlertSubject::default() },
        figure: 63,
        since: at(-90),
        facts: vec![Fact { label: "last error", text: error.to_owned() }],
        buttons: vec![Button {
            label: "Open group",
            url: "https://dlo.example/groups/1".to_owned(),
        }],
    }
}

fn message(notices: Vec<Notice>) -> Message {
    Message { notices, list_url: "https://dlo.example/alerts".to_owned() }
}

/// Every text of a value.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(fields) => fields.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

fn length(value: &Value) -> usize {
    value.as_str().expect("a text").chars().count()
}

/// What Slack would refuse.
fn hold_against_the_limits(payload: &Value) {
    assert!(length(&payload["text"]) <= 40_000);
    let blocks = payload["blocks"].as_array().expect("blocks");
    assert!((1..=50).contains(&blocks.len()));
    let all: usize = blocks.iter().map(|block| block.to_string().chars().count()).sum();
    assert!(all < 12_000, "{all} characters");
    for block in blocks {
        match block["type"].as_str().expect("a type") {
            "header" => assert!((1..=150).contains(&length(&block["text"]["text"]))),
            "section" if block["fields"].is_array() => {
                let fields = block["fields"].as_array().expect("fields");
                assert!((1..=10).contains(&fields.len()));
                assert!(fields.iter().all(|field| (1..=2_000).contains(&length(&field["text"]))));
            }
            "section" => assert!((1..=3_000).contains(&length(&block["text"]["text"]))),
            "context" => {
                assert!((1..=10).contains(&block["elements"].as_array().expect("some").len()));
            }
            "actions" => {
                for button in block["elements"].as_array().expect("buttons") {
                    assert!((1..=75).contains(&length(&button["text"]["text"])));
                    assert!((1..=3_000).contains(&length(&button["url"])));
                    assert!((1..=255).contains(&length(&button["action_id"])));
                }
            }
            other => panic!("{other} is not used"),
        }
    }
}

/// Whether nothing from outside does anything: it is in elements without a format, and escaped.
fn hold_against_mischief(payload: &Value) {
    let ours = |text: &str| text.starts_with("since <!date^");
    for text in texts(payload).into_iter().filter(|text| !ours(text)) {
        assert!(!text.contains('<') && !text.contains('>'), "{text}");
        let stray = text.replace("&amp;", "").replace("&lt;", "").replace("&gt;", "");
        assert!(!stray.contains('&'), "{text}");
        let turned = ['\u{202e}', '\u{2066}', '\u{200b}'];
        assert!(!text.contains(turned), "{text:?}");
    }
    let formatted = texts(payload).into_iter().filter(|text| ours(text)).count();
    let blocks = payload["blocks"].to_string();
    assert_eq!(blocks.matches(r#""type":"mrkdwn""#).count(), formatted, "only our own dates");
    assert_eq!(payload["mrkdwn"], false);
}

#[test]
fn one_alert_says_what_dies_and_what_can_be_done() {
    let payload = slack(&message(vec![notice("no route to {}", "connection refused")]));
    let expected = serde_json::json!({
        "text": "Critical: a new failure: “no route to {}”, 63 letters wait",
        "mrkdwn": false, "unfurl_links": false, "unfurl_media": false,
        "blocks": [
            {"type": "header", "text": {"type": "plain_text", "emoji": false,
                "text": "Critical · A new group of dead letters"}},
            {"type": "section", "text": {"type": "plain_text", "emoji": false,
                "text": "A new failure: “no route to {}”, 63 letters wait"}},
            {"type": "section", "fields": [{"type": "plain_text", "emoji": false,
                "text": "last error\nconnection refused"}]},
            {"type": "context", "elements": [{"type": "mrkdwn", "text":
                "since <!date^1799999910^{date_short_pretty} {time}|2027-01-15 07:58 UTC> · \
                 told <!date^1800000000^{date_short_pretty} {time}|2027-01-15 08:00 UTC>"}]},
            {"type": "actions", "elements": [{"type": "button", "action_id": "link-0",
                "text": {"type": "plain_text", "emoji": false, "text": "Open group"},
                "url": "https://dlo.example/groups/1"}]},
        ],
    });
    assert_eq!(payload, expected);
}

#[test]
fn what_an_error_says_does_nothing() {
    let hostile = "<!channel> <https://evil.example/x|open the runbook> *not bold* `code` ``` & <b>tag</b> @here \
        \u{202e}drawkcab ";
    let error = format!("{hostile}{}", "connection to db-17 refused; ".repeat(400));
    let queue = format!("orders.{}A", "x".repeat(247));
    let payload = slack(&message(vec![notice(&queue, &error)]));
    hold_against_the_limits(&payload);
    hold_against_mischief(&payload);
    let told = payload.to_string();
    assert!(told.contains("&lt;!channel&gt; &lt;https://evil.example/x|open the runbook&gt;"));
    assert!(told.contains("⟨U+202E⟩drawkcab") && told.contains("refused; "), "{told}");
    assert!(told.contains('…'), "that it was cut is told");
}

#[test]
fn many_alerts_are_one_message_that_says_how_many() {
    let notices: Vec<Notice> = (0..60).map(|n| notice(&format!("group {n}"), "x")).collect();
    let payload = slack(&message(notices));
    hold_against_the_limits(&payload);
    assert!(payload["text"].as_str().expect("a text").ends_with("(and 59 more)"));
    let told = payload.to_string();
    assert!(told.contains("60 alerts") && told.contains("and 45 more"), "{told}");
    assert!(told.contains("https://dlo.example/alerts"));
}

#[test]
fn a_text_is_cut_after_what_a_person_sees_as_a_character() {
    let family = "👩‍👩‍👧";
    assert_eq!(text::cut(&family.repeat(3), 100, text::slack_escaped), family.repeat(3));
    assert_eq!(
        text::cut(&family.repeat(3), 12, text::slack_escaped),
        format!("{}…", family.repeat(2))
    );
    assert_eq!(text::cut("a<<<<", 9, text::slack_escaped), "a&lt;…", "no half entity");
}

#[test]
fn each_signal_is_said_in_a_sentence() {
    use AlertChange::{Fired, Repeated, Resolved, Unwatched, Worsened};
    let said = |signal: Signal, name: &str, figure, change| {
        let mut notice = notice(name, "x");
        (notice.signal, notice.figure, notice.change, notice.limit) = (signal, figure, change, 10);
        notice.at = at(600);
        notice.rule_name = "The rule".to_owned();
        headline(&notice)
    };
    let of = |filter: &str, measure, minutes| Signal::DeadLetters {
        filter: filter.to_owned(),
        measure,
        minutes,
    };
    let rate = of("", Measure::Rate, 1);
    let count = of("", Measure::Count, 60);
    let part = of("queue:pay\u{202e}*", Measure::Ratio, 30);
    let oldest = Signal::OldestLetter { filter: "severity:critical".to_owned() };
    for (told, expected) in [
        (said(rate.clone(), "", 63, Fired), "63 dead letters in a minute (limit 10)"),
        (said(rate.clone(), "", 63, Repeated), "Still: 63 dead letters in a minute (limit 10)"),
        (said(rate, "", 0, Resolved), "Over after 11 min: The rule"),
        (said(count, "", 63, Worsened), "Worse: 63 dead letters in 60 min (limit 10)"),
        (
            said(part, "", 63, Fired),
            "63 % of the dead letters of 30 min are those of “queue:pay⟨U+202E⟩*” (limit 10 %)",
        ),
        (
            said(oldest, "", 660, Fired),
            "the oldest letter of “severity:critical” has waited for 11 min",
        ),
        (said(Signal::Depth, "orders", 99, Fired), "99 dead letters of “orders” wait (limit 10)"),
        (said(Signal::Depth, "orders", 0, Resolved), "Over after 11 min: The rule of “orders”"),
        (
            said(Signal::Depth, "orders", 99, Unwatched),
            "Not watched any more, since its rule was removed or switched off: The rule of “orders”",
        ),
        (said(Signal::ActiveWorkers, "", 0, Fired), "no worker is active"),
        (
            said(Signal::QueueWithoutConsumer, "orders", 8_000, Fired),
            "the queue “orders” has had no consumer for 2 h 13 min",
        ),
        (
            said(Signal::RetriesExhausted, "late", 1, Fired),
            "1 letter was given up by the retry policy “late”",
        ),
        (
            said(Signal::StuckExecutions { seconds: 300 }, "", 4, Fired),
            "4 executions are scheduled for more than 5m",
        ),
        (said(Signal::BrokerAway, "main", 40, Fired), "the broker “main” does not answer"),
        (said(Signal::RegressedGroup, "g", 1, Fired), "a failure is back: “g”, 1 letter waits"),
    ] {
        assert_eq!(told, expected);
    }
}

/// What Teams would refuse, and what would be read as Markdown.
fn hold_for_teams(payload: &Value) {
    assert!(payload.to_string().len() <= 28 * 1_024, "{} bytes", payload.to_string().len());
    let card = &payload["attachments"][0]["content"];
    for block in card["body"].as_array().expect("a body") {
        match block["type"].as_str().expect("a type") {
            "TextBlock" => assert!(block["text"].as_str().expect("a text").starts_with("since {{")),
            "RichTextBlock" => {
                assert!(!block["inlines"][0]["text"].as_str().expect("a text").is_empty());
            }
            other => panic!("{other} is not used"),
        }
    }
}

#[test]
fn teams_is_shown_the_same_in_a_card() {
    let payload =
        teams(&message(vec![notice("no route", "[click](https://evil.example) **refused**")]));
    hold_for_teams(&payload);
    let card = &payload["attachments"][0]["content"];
    let said: Vec<_> = card["body"]
        .as_array()
        .expect("a body")
        .iter()
        .map(|block| &block["inlines"][0]["text"])
        .collect();
    assert_eq!(said[1], "A new failure: “no route”, 63 letters wait");
    assert_eq!(said[3], "[click](https://evil.example) **refused**");
    assert_eq!(card["actions"][0]["url"], "https://dlo.example/groups/1");
    let many = (0..60).map(|n| notice(&format!("group {n}"), "x")).collect();
    let many = teams(&message(many));
    hold_for_teams(&many);
    assert!(many.to_string().contains("and 45 more"), "{many}");
}

#[test]
fn a_program_is_told_everything_as_it_is() {
    let name = "orders\u{202e}<x>";
    let payload = webhook(&message(vec![notice(name, "refused"), notice("b", "c")]));
    assert_eq!(payload["type"], "alerts");
    assert_eq!(payload["timestamp"], "2027-01-15T08:00:00Z");
    let alert = &payload["data"]["alerts"][0];
    assert_eq!((&alert["subject"]["name"], &alert["change"]), (&name.into(), &"fired".into()));
    assert_eq!((&alert["figure"], &alert["facts"]["last error"]), (&63.into(), &"refused".into()));
    assert_eq!(payload["data"]["alerts"].as_array().map(Vec::len), Some(2));
}

proptest! {
    #[test]
    fn no_text_from_outside_breaks_a_limit_or_does_anything(
        names in proptest::collection::vec("\\PC{0,300}|(<!here>|&|`|\u{202e}|😀|é|\n){0,200}", 1..40),
        error in "(.|\n){0,4000}|(&|<|>){0,4000}",
    ) {
        let notices = names.iter().map(|name| notice(name, &error)).collect();
        let payload = slack(&message(notices));
        hold_against_the_limits(&payload);
        hold_against_mischief(&payload);
        let notices: Vec<Notice> = names.iter().map(|name| notice(name, &error)).collect();
        hold_for_teams(&teams(&message(notices.clone())));
        hold_for_teams(&teams_shortly(&message(notices)));
    }
}
