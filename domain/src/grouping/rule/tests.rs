use super::*;
use crate::arrival::Delivered;
use crate::decoding::MessageTypes;
use crate::failure::HeaderMap;
use crate::grouping::Layer;
use crate::wire::FieldValue;

fn reading(message: &str) -> Reading {
    let mut delivered = Delivered::default();
    let text = |text: &str| FieldValue::LongString(text.into());
    delivered.headers.set("x-error-type", text("Acme.Refused"));
    delivered.headers.set("x-error", text(message));
    crate::reading::read(&delivered, &HeaderMap::default(), &MessageTypes::default())
}

fn signature(rules: &[Rule<bool>], message: &str) -> Signature {
    let shared = Shared::default();
    apply(rules, |holds| *holds, &reading(message), &shared, &mut Masker::new())
}

fn key(holds: bool, key: &str) -> Rule<bool> {
    Rule::new(holds, &Outcome::Key(key.to_owned())).expect("a good rule")
}

fn masks(patterns: &[&str]) -> Result<Rule<bool>, RuleError> {
    let patterns = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
    Rule::new(true, &Outcome::Masks(patterns))
}

#[test]
fn the_first_key_that_applies_decides() {
    let rules = [key(false, "never"), key(true, "{error_class} of {queue}"), key(true, "late")];
    let found = signature(&rules, "anything");
    assert_eq!(found.layer, Layer::Rule);
    assert_eq!(found.template, "Acme.Refused of none");
    assert_eq!(found.id, signature(&rules, "something else").id);
}

#[test]
fn masks_make_values_of_words() {
    let rules = [masks(&["(?i)colou?r \\w+"]).expect("a good rule")];
    let red = signature(&rules, "no stock: color red");
    assert_eq!(red.template, "no stock: <custom>");
    assert_eq!(red.id, signature(&rules, "no stock: Colour green").id);
    assert_ne!(red.id, signature(&[], "no stock: color red").id);
}

#[test]
fn a_key_may_hold_the_masked_message() {
    let rules = [masks(&["north|south"]).expect("a good rule"), key(true, "{error_message}")];
    assert_eq!(signature(&rules, "gate north 7 shut").template, "gate <*> shut");
}

#[test]
fn no_rule_is_the_plain_signature() {
    let message = "card 4111 declined";
    let plain = Signature::of(&reading(message), &Shared::default(), &mut Masker::new());
    assert_eq!(signature(&[], message), plain);
    assert_eq!(signature(&[key(false, "never")], message), plain);
}

#[test]
fn bad_rules_are_refused_with_what_is_wrong() {
    let refused =
        |written: &str| Rule::new((), &Outcome::Key(written.to_owned())).expect_err("a bad rule");
    assert_eq!(refused("  "), RuleError::EmptyKey);
    assert_eq!(refused("{nope}"), RuleError::Placeholder("nope".to_owned()));
    assert_eq!(refused("{queue"), RuleError::Placeholder("queue".to_owned()).clone());
    assert_eq!(refused(&"k".repeat(600)), RuleError::LongKey);
    assert_eq!(masks(&[]).expect_err("none"), RuleError::NoPattern);
    assert_eq!(masks(&["a"; 17]).expect_err("many"), RuleError::ManyPatterns);
    assert_eq!(masks(&["a*"]).expect_err("empty"), RuleError::EmptyMatch("a*".to_owned()));
    for pattern in ["(", "\\w{1000}{1000}", &"a".repeat(501)] {
        assert!(matches!(masks(&[pattern]), Err(RuleError::Pattern { .. })), "{pattern}");
    }
}
