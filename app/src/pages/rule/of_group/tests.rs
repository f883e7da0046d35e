use dlo_domain::filter::LetterFilter;
use dlo_domain::grouping::Layer;

use super::*;

fn group(layer: Layer, template: &[(&str, bool)]) -> Group {
    let segments: Vec<_> = template
        .iter()
        .map(|(text, varies)| {
            serde_json::json!({
                "text": text, "variable": varies.then_some("number"), "examples": [],
            })
        })
        .collect();
    serde_json::from_value(serde_json::json!({
        "id": "019a0f3e-5a4b-7c2d-8e1f-0123456789ab", "title": "a\n <number>  b", "state": "open",
        "state_since": "2026-11-21T03:00:00Z", "owner": null, "ticket_url": null, "tags": [],
        "severity": null, "letters": 1, "waiting": 1, "arrivals": 1,
        "created_at": "2026-11-21T03:00:00Z", "last_arrived_at": null, "by_hour": [],
        "why": {"version": 1, "layer": layer, "scope": "", "frame": null, "template": segments,
            "signatures": 1},
        "mute": null, "signatures": [], "timeline": [],
    }))
    .expect("a group")
}

fn letter(class: Option<&str>, message: Option<&str>) -> LetterSummary {
    serde_json::from_value(serde_json::json!({
        "id": "019a0f3e-5a4b-7c2d-8e1f-0123456789ab", "state": "held", "severity": "normal",
        "source": "orders", "source_id": "019a0f3e-5a4b-7c2d-8e1f-0123456789ab",
        "queue": "orders work", "exchange": null, "routing_key": null, "reason": "rejected",
        "error_class": class, "error_message": message, "message_type": null, "message_id": null,
        "size_bytes": 1, "arrivals": 1, "first_arrived_at": "2026-11-21T03:00:00Z",
        "last_arrived_at": "2026-11-21T03:00:00Z", "group_id": null,
    }))
    .expect("a letter")
}

fn filter(layer: Layer, template: &[(&str, bool)], sample: &LetterSummary) -> String {
    let filter = draft(&group(layer, template), Some(sample), "severity").filter;
    assert!(LetterFilter::parse(&filter).is_ok(), "{filter}");
    filter
}

#[test]
fn an_error_is_asked_for_by_its_class_and_its_words() {
    let template = [("Order ", false), ("<number>", true), (" has no lines", false)];
    let sample = letter(Some("a.B"), Some("order 7 has no lines"));
    assert_eq!(
        filter(Layer::Error, &template, &sample),
        r#"error_class:a.B error_message:"Order * has no lines""#
    );
    // The sample's words are other ones: the longest that they share is asked for.
    let sample = letter(None, Some("it has no lines"));
    assert_eq!(filter(Layer::Error, &template, &sample), r#"error_message:"has no lines""#);
    let sample = letter(None, Some("42"));
    assert_eq!(filter(Layer::Error, &[("<number>", true)], &sample), r#"queue:"orders work""#);
}

#[test]
fn hostile_words_stay_words() {
    let text = r#"say "yes" OR * \ (state:held)"#;
    let sample = letter(None, Some(text));
    let filter = filter(Layer::Error, &[(text, false)], &sample);
    let read = LetterFilter::parse(&filter).expect("readable");
    assert_eq!(read.root().map(Expr::conjuncts).map(<[Expr]>::len), Some(1));
}

#[test]
fn without_an_error_the_place_is_asked_for() {
    let sample = letter(None, None);
    let asked = filter(Layer::Origin, &[("rejected in orders work", false)], &sample);
    assert_eq!(asked, r#"queue:"orders work" reason:rejected"#);
    let begun = draft(&group(Layer::Origin, &[]), None, "key");
    assert_eq!((begun.name.as_str(), begun.filter.as_str()), ("a <number> b", ""));
}
