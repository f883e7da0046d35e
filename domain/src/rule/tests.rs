use super::*;

fn rule(name: &str, filter: &str) -> NewRule {
    NewRule {
        name: name.into(),
        filter: filter.into(),
        verdict: Verdict::Severity(Severity::High),
        enabled: true,
    }
}

#[test]
fn a_rule_is_kept_in_the_one_form() {
    let kept = rule("  full queues ", "reason:MAXLEN   (queue:a)").checked().expect("a rule");
    assert_eq!(kept.name, "full queues");
    assert_eq!(kept.filter, "reason:maxlen queue:a");
    let again: NewRule = serde_json::from_str(
        r#"{"name": "a", "filter": "", "verdict": {"grouping": {"key": "k"}}}"#,
    )
    .expect("read");
    assert!(again.enabled, "left out, it is asked");
    assert_eq!(again.verdict.kind(), RuleKind::Grouping);
}

#[test]
fn names_are_a_line() {
    let long = "x".repeat(MOST_NAME_CHARS + 1);
    for name in ["", "  ", "a\nb", "a\0b", &long] {
        assert_eq!(rule(name, "").checked(), Err(RuleFault::Name), "{name:?}");
    }
    let hostile = "<script>alert(1)</script> ' or 1=1 --";
    assert_eq!(rule(hostile, "").checked().expect("text").name, hostile);
}

#[test]
fn what_is_not_known_or_not_constant_at_arrival_is_refused_wherever_it_stands() {
    for (field, term) in [
        ("state", "state:held"),
        ("severity", "severity:>=high"),
        ("group", "group:01900000-0000-7000-8000-000000000001"),
        ("age", "age:>1h"),
        ("first_age", "first_age:>1h"),
        ("first_arrived", "first_arrived:2026-11-21"),
        ("last_arrived", "last_arrived:>2026-11-21"),
        ("since", "since:1h"),
        ("until", "until:2026-11-21"),
    ] {
        for filter in [
            term.to_owned(),
            format!("queue:a -({term} OR reason:maxlen)"),
            format!("NOT (queue:a {term})"),
        ] {
            match rule("a", &filter).checked() {
                Err(RuleFault::Field { field: named, why }) => {
                    assert_eq!(named, field);
                    assert!(why.len() > 30, "it says what to do: {why}");
                }
                other => panic!("{filter}: {other:?}"),
            }
        }
    }
    let fine = "reason:maxlen source:a queue:b* size:>1kb arrivals:>2 replays:1 deaths:>1 \
                death.queue:x header.tenant:acme body.a.b:1 \"free text\"";
    assert!(rule("a", fine).checked().is_ok());
    assert!(matches!(
        rule("a", "colour:red").checked(),
        Err(RuleFault::Filter(fault)) if fault.position == 0
    ));
}

#[test]
fn the_manual_shows_rules_that_can_be_used() {
    let manual = include_str!("../../../docs/rules.md");
    let rows = manual.lines().filter_map(|line| line.strip_prefix("| `"));
    let filters: Vec<&str> = rows.filter_map(|row| row.split('`').next()).collect();
    assert!(filters.len() > 5);
    for filter in filters {
        assert!(rule("a", filter).checked().is_ok(), "{filter}");
    }
}
