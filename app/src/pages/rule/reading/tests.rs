use dlo_domain::rule::SeverityCount;
use dlo_domain::severity::Severity;

use super::*;

fn draft(sort: &str, verdict: &str) -> RuleDraft {
    RuleDraft {
        sort: sort.to_owned(),
        name: " a ".to_owned(),
        verdict: verdict.to_owned(),
        enabled: true,
        ..RuleDraft::default()
    }
}

fn found(matched: i64, now: &[(Severity, i64)]) -> RulePreview {
    let counts = now.iter().map(|&(severity, letters)| SeverityCount { severity, letters });
    RulePreview {
        days: 7,
        matched,
        is_capped: false,
        now: counts.collect(),
        groups_now: 12,
        groups_then: 1,
        read: matched.min(1_000),
        samples: Vec::new(),
    }
}

#[test]
fn a_form_is_read_as_a_rule() {
    let rule = rule_of(&draft("severity", "critical")).expect("a rule");
    assert_eq!(rule.verdict, Verdict::Severity(Severity::Critical));
    assert_eq!((rule.name.as_str(), rule.enabled), ("a", true));
    let masks = rule_of(&draft("masks", "a+\r\n\r\n b\n")).expect("a rule");
    let wanted = Outcome::Masks(vec!["a+".to_owned(), " b".to_owned()]);
    assert_eq!(masks.verdict, Verdict::Grouping(wanted));
    let key = rule_of(&draft("key", " {queue} ")).expect("a rule");
    let wanted = Outcome::Key("{queue}".to_owned());
    assert_eq!(key.verdict, Verdict::Grouping(wanted));
    for (sort, verdict) in [("severity", "worst"), ("colour", "red"), ("", "")] {
        let refused = rule_of(&draft(sort, verdict));
        assert!(matches!(refused, Err(ApiError::Invalid { .. })), "{sort}");
    }
}

#[test]
fn what_a_severity_rule_would_do_is_said_with_what_letters_are_now() {
    let say = |found| sentence(RuleKind::Severity, &found);
    let both = [(Severity::Critical, 3), (Severity::High, 0), (Severity::Normal, 1_201)];
    assert_eq!(
        say(found(1_204, &both)),
        "It would have matched 1,204 letters in the last 7 days: 3 critical, 1,201 normal now."
    );
    assert_eq!(
        say(found(9, &[(Severity::Low, 2)])),
        "It would have matched 9 letters in the last 7 days. 2 of them are open: 2 low now."
    );
    assert!(say(found(9, &[])).ends_with("None of them is open any more."));
    assert_eq!(say(found(0, &[])), "No letter of the last 7 days matches.");
    let many = RulePreview { is_capped: true, ..found(10_000, &[]) };
    assert!(say(many).contains("at least 10,000 letters"));
}

#[test]
fn what_a_grouping_rule_would_do_is_said_in_groups() {
    let say = |found| sentence(RuleKind::Grouping, &found);
    assert_eq!(
        say(found(90, &[])),
        "It would have matched 90 letters in the last 7 days. They are 12 groups now, and 1 then."
    );
    assert!(say(found(2_000, &[])).contains("The newest 1,000 of them are 12 groups now"));
}
