use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use uuid::Uuid;

use super::*;
use crate::filter::LetterFilter;
use crate::ids::LetterId;

fn noon() -> DateTime<Utc> {
    "2026-11-21T12:00:00Z".parse().expect("a time")
}

fn letter(number: u128, queue: &str, headers: &Value) -> Sampled {
    Sampled::of(&Told {
        id: LetterId(Uuid::from_u128(number)),
        signature: None,
        queue: Some(queue),
        exchange: None,
        routing_key: None,
        message_type: None,
        error_class: Some("java.lang.NullPointerException"),
        error_message: None,
        arrived_at: noon(),
        headers: Some(headers),
    })
}

/// Letters with these headers, numbered from `first`.
fn letters(first: u128, count: u128, headers: impl Fn(u128) -> Value) -> Vec<Sampled> {
    let numbers = first..first + count;
    numbers.map(|number| letter(number, "work", &headers(number))).collect()
}

/// Compares a set with itself and others.
fn against(set: &[Sampled], others: &[Sampled]) -> Breakdown {
    let ids: Vec<LetterId> = set.iter().map(|letter| letter.id).collect();
    let all: Vec<Sampled> = set.iter().chain(others).cloned().collect();
    compare(set, &all, |letter| ids.contains(&letter.id))
}

fn facet<'a>(breakdown: &'a Breakdown, name: &str) -> Option<&'a Facet> {
    breakdown.facets.iter().find(|facet| facet.name == name)
}

#[test]
fn a_version_that_these_have_and_few_others_is_said_first() {
    let set = letters(
        0,
        50,
        |n| json!({"x-version": if n < 2 { "2.3.0" } else { "2.3.1" }, "x-tenant": format!("t{}", n % 4)}),
    );
    let others = letters(
        100,
        450,
        |n| json!({"x-version": if n < 102 { "2.3.1" } else { "2.3.0" }, "x-tenant": format!("t{}", n % 4)}),
    );
    let told = against(&set, &others);
    assert_eq!(
        told.sentence.as_deref(),
        Some("96 % of these have x-version=2.3.1, 10 % of all letters do.")
    );
    let version = &told.facets[0];
    assert_eq!((version.kind, version.values.len()), (FacetKind::Version, 2));
    let found = &version.values[0];
    assert_eq!((found.letters, found.stands_out), (48, true));
    assert!((found.share - 0.96).abs() < 1e-9 && (found.share_of_all - 0.1).abs() < 1e-9);
    assert!((found.lift.expect("a ratio") - 9.6).abs() < 1e-9);
    assert_eq!(found.filter, "header.x-version:2.3.1");
    assert!(!version.values[1].stands_out);
    let tenant = facet(&told, "x-tenant").expect("is asked for, though nothing stands out");
    assert!(tenant.values.iter().all(|value| !value.stands_out));
}

#[test]
fn one_of_one_is_no_finding() {
    for count in 1..=2 {
        let set = letters(0, count, |_| json!({"x-version": "2.3.1"}));
        let others = letters(100, 500, |_| json!({"x-version": "2.3.0"}));
        let told = against(&set, &others);
        assert_eq!(told.sentence, None, "{count}");
        let version = facet(&told, "x-version").expect("is asked for");
        assert_eq!(version.values[0].lift, None, "{count}");
    }
    let set = letters(0, 40, |_| json!({"x-lane": "bulk"}));
    let told = against(&set, &[]);
    assert_eq!(told.sentence, None, "there is nothing else");
    assert!(facet(&told, "x-lane").is_none());
}

#[test]
fn what_says_the_same_is_said_once() {
    let both = |lane: &str| json!({"x-lane": lane, "a-lane": lane, "x-tenant": lane});
    let set = letters(0, 20, |_| both("bulk"));
    let others = letters(100, 80, |_| both("standard"));
    let told = against(&set, &others);
    let names: Vec<&str> = told.facets.iter().map(|facet| facet.name.as_str()).collect();
    assert_eq!(names, ["x-tenant", "queue"], "what stands out is first");
    assert!(told.sentence.expect("a finding").contains("x-tenant=bulk"));
}

#[test]
fn among_equals_the_version_comes_first_and_then_the_tenant() {
    let set = letters(0, 30, |n| {
        let odd = n == 0;
        json!({
            "a-lane": if odd { "x" } else { "bulk" },
            "tenant": if n == 1 { "x" } else { "acme" },
            "x-release": if n == 2 { "x" } else { "9" },
        })
    });
    let others = letters(100, 200, |_| json!({"a-lane": "x", "tenant": "x", "x-release": "x"}));
    let told = against(&set, &others);
    let names: Vec<&str> = told.facets.iter().map(|facet| facet.name.as_str()).collect();
    assert_eq!(names, ["x-release", "tenant", "a-lane", "queue"]);
}

#[test]
fn where_nothing_stands_out_the_queue_is_first_and_rare_headers_are_left_out() {
    let headers = |n: u128| match n % 20 {
        0 => json!({"x-version": "2", "x-worker": "one"}),
        _ => json!({"x-version": "2"}),
    };
    let told = against(&letters(0, 100, headers), &letters(200, 100, headers));
    let names: Vec<&str> = told.facets.iter().map(|facet| facet.name.as_str()).collect();
    assert_eq!(names, ["queue", "x-version"]);
    assert_eq!(told.sentence, None);
}

#[test]
fn ids_and_times_divide_nothing() {
    let headers = |n: u128| {
        json!({
            "x-request": format!("r-{n}"),
            "x-number": n,
            "x-at": "2026-11-21T11:59:00Z",
            "x-epoch": 1_795_262_400_i64,
            "x-class": "java.lang.NullPointerException",
            "x-exception-message": "broken",
        })
    };
    let set = letters(0, 60, headers);
    let others = letters(100, 60, |_| json!({}));
    let told = against(&set, &others);
    let names: Vec<&str> = told.facets.iter().map(|facet| facet.name.as_str()).collect();
    assert_eq!(names, ["queue"]);
}

#[test]
fn values_that_no_other_letter_has_are_told_without_a_ratio() {
    let set = letters(0, 10, |_| json!({"x-site": "porto"}));
    let all = letters(100, 90, |_| json!({"x-site": "lisbon"}));
    // The sample of all letters holds none of the set.
    let told = compare(&set, &all, |_| false);
    let found = told.strongest().expect("a finding").1;
    assert_eq!((found.value.as_str(), found.lift), ("porto", None));
    assert_eq!(
        told.sentence.as_deref(),
        Some("100 % of these have x-site=porto, 0 % of all letters do.")
    );
}

#[test]
fn what_points_at_a_cause_is_not_the_queue_that_they_died_in() {
    let of_work = letters(0, 20, |_| json!({"x-worker": "w3"}));
    let elsewhere = |worker: &str, from| -> Vec<Sampled> {
        (from..from + 60).map(|id| letter(id, "other", &json!({"x-worker": worker}))).collect()
    };
    let told = against(&of_work, &elsewhere("w1", 100));
    assert!(told.strongest().is_some());
    assert_eq!(
        told.points_at().as_deref(),
        Some("100 % of these have x-worker=w3, 25 % of all letters do.")
    );
    let told = against(&of_work, &elsewhere("w3", 100));
    assert_eq!(told.strongest().expect("the queue").0.name, "queue");
    assert_eq!(told.points_at(), None);
}

#[test]
fn many_values_are_told_in_part() {
    let set = letters(0, 100, |n| json!({"x-tenant": format!("t{}", n % 20)}));
    let told = against(&set, &[]);
    let tenant = facet(&told, "x-tenant").expect("is asked for");
    let values: Vec<&str> = tenant.values.iter().map(|value| value.value.as_str()).collect();
    assert_eq!(values, ["t0", "t1", "t10", "t11", "t12"], "equals by name");
    assert_eq!((tenant.other_values, tenant.other_letters), (15, 75));
}

#[test]
fn hostile_names_and_values_stay_within_their_term() {
    let long = "x".repeat(facts::MOST_VALUE_BYTES + 1);
    let hostile = r#"a" OR (state:held) * \ <script>"#;
    let headers = json!({
        hostile: hostile, "long": long, long.as_str(): "value",
        "deep": {"a": {"b": {"c": {"d": "too deep"}}, "kept.dot": true}},
        "list": ["one", "one", {"two": 2}, [3]],
        "none": null, "empty": "",
    });
    let set = letters(0, 12, |_| headers.clone());
    let others = letters(100, 40, |_| json!({}));
    let told = against(&set, &others);
    let first = facet(&told, hostile).expect("the only one among equals that is told");
    let filter = LetterFilter::parse(&first.values[0].filter).expect("is read back");
    let facts = letter(1, "work", &headers).facts;
    let term = Axis::Header(vec![hostile.to_owned()]).term(hostile).expect("a term");
    assert_eq!(filter.to_string(), term);
    let names: Vec<String> = facts.iter().map(|(axis, _)| axis.name()).collect();
    assert_eq!(names, ["queue", hostile, "deep.a.kept.dot", "list"]);
    let dotted = facts.iter().find(|(axis, _)| axis.name() == "deep.a.kept.dot");
    let (axis, value) = dotted.expect("a fact");
    assert_eq!(axis.term(value).expect("a term"), r#"header.deep.a."kept.dot":true"#);
}

#[test]
fn long_and_odd_values_are_cut_in_the_sentence() {
    let value = format!("a\nb{}", "ä".repeat(100));
    let set = letters(0, 12, |_| json!({"x-lane": value.as_str()}));
    let others = letters(100, 40, |_| json!({}));
    let told = against(&set, &others);
    assert_eq!(told.strongest().expect("a finding").1.value, value);
    let sentence = told.sentence.expect("a sentence");
    assert!(sentence.contains("x-lane=a\u{fffd}bä") && sentence.contains("ä…, 23 %"));
    assert!(sentence.len() < 150, "{sentence}");
}

#[test]
fn nothing_at_all_is_nothing() {
    let told = compare(&[], &[], |_| false);
    assert_eq!((told.letters, told.facets.len(), told.sentence), (0, 0, None));
    let told = compare(&[], &letters(0, 9, |_| json!({"x-tenant": "a"})), |_| false);
    assert!(told.facets.is_empty());
}
