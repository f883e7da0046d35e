use proptest::prelude::*;

use super::*;
use crate::grouping::{Lines, Masker, Variable};

fn sign(message: &str) -> Signature {
    Signature::of_message(message, &mut Masker::new())
}

fn miner_of(messages: &[&str]) -> Miner {
    let mut miner = Miner::new();
    for message in messages {
        miner.insert(&sign(message));
    }
    miner
}

fn same(miner: &Miner, one: &str, other: &str) -> bool {
    miner.group_of(sign(one).id) == miner.group_of(sign(other).id)
}

const TENANTS: [&str; 5] = ["acme", "globex", "initech", "umbrella", "hooli"];

#[test]
fn one_telling_word_keeps_messages_apart() {
    let messages = [
        "connection refused by the payment gateway",
        "connection reset by the payment gateway",
        "connection closed by the payment gateway",
        "connection aborted by the payment gateway",
        "connection dropped by the payment gateway",
    ];
    let miner = miner_of(&messages);
    for pair in messages.windows(2) {
        assert!(!same(&miner, pair[0], pair[1]), "{pair:?}");
    }
}

#[test]
fn a_place_with_many_names_is_a_variable() {
    let mut miner = Miner::new();
    let messages = TENANTS.map(|tenant| format!("quota of {tenant} is used up for today"));
    let placed: Vec<Placement> = messages.iter().map(|m| miner.insert(&sign(m))).collect();
    assert!(placed[0].is_new && placed[3].is_new);
    // The fifth name tells that it is one: the four groups become one, led by the oldest.
    let last = &placed[4];
    assert!(!last.is_new);
    assert_eq!(last.group, sign(&messages[0]).id);
    let mut absorbed = last.absorbed.clone();
    absorbed.sort_unstable();
    let mut expected: Vec<_> = messages[1..4].iter().map(|m| sign(m).id).collect();
    expected.sort_unstable();
    assert_eq!(absorbed, expected);
    // From then on, a new name joins at once.
    let next = miner.insert(&sign("quota of stark is used up for today"));
    assert_eq!((next.group, next.is_new, next.absorbed), (last.group, false, Vec::new()));
}

#[test]
fn after_a_noun_that_names_something_fewer_are_enough() {
    let message = |user: &str| format!("mail for user {user} bounced twice today");
    let (alice, bob, carol) = (message("alice"), message("bob"), message("carol"));
    assert!(!same(&miner_of(&[&alice, &bob]), &alice, &bob));
    assert!(same(&miner_of(&[&alice, &bob, &carol]), &alice, &bob));
    let (root, unknown) = (message("root"), message("unknown"));
    assert!(!same(&miner_of(&[&root, &unknown]), &root, &unknown));
    let (placed, shipped) = (message("OrderPlaced"), message("OrderShipped"));
    assert!(same(&miner_of(&[&placed, &shipped]), &placed, &shipped));
}

#[test]
fn what_follows_a_key_takes_four() {
    let message = |tenant: &str| format!("quota is used up tenant={tenant} today");
    let messages = ["acme", "globex", "initech", "hooli"].map(message);
    let messages = messages.each_ref().map(String::as_str);
    assert!(!same(&miner_of(&messages[..3]), messages[0], messages[1]));
    assert!(same(&miner_of(&messages), messages[0], messages[1]));
    let why = ["refused", "reset", "closed", "gone", "lost", "stale"];
    let reasons = why.map(|why| format!("upload given up reason={why} today"));
    assert!(!same(&miner_of(&reasons.each_ref().map(String::as_str)), &reasons[0], &reasons[5]));
}

#[test]
fn a_known_signature_stays_where_it_is() {
    let mut miner = miner_of(&["disk full"]);
    let again = miner.insert(&sign("disk full"));
    assert_eq!(again.group, sign("disk full").id);
    assert!(!again.is_new && again.absorbed.is_empty());
    assert_eq!(miner.len(), 1);
}

#[test]
fn another_class_is_another_group() {
    let mut miner = Miner::new();
    for (index, tenant) in TENANTS.iter().enumerate() {
        let mut signature = sign(&format!("quota of {tenant} is used up for today"));
        signature.scope = format!("error class {}", index % 2);
        miner.insert(&signature);
    }
    assert!(!same(
        &miner,
        "quota of acme is used up for today",
        "quota of globex is used up for today"
    ));
}

#[test]
fn two_words_that_vary_together_are_found() {
    let places = ["north", "south", "east", "west", "central"];
    let pairs: Vec<String> = TENANTS
        .iter()
        .zip(places)
        .map(|(tenant, place)| format!("no stock for {tenant} in {place} this week"))
        .collect();
    let miner = miner_of(&pairs.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(same(&miner, &pairs[0], &pairs[4]));
}

#[test]
fn an_explanation_marks_the_variables() {
    let messages = TENANTS.map(|tenant| format!("Quota of {tenant} ({}) is used up", tenant.len()));
    let miner = miner_of(&messages.each_ref().map(String::as_str));
    let why = miner.explain(sign(&messages[0]).id).expect("known");
    let shown: Vec<_> = why.template.iter().map(|s| (s.text.as_str(), s.variable)).collect();
    let expected = [
        ("Quota of ", None),
        ("<*>", Some(Variable::Word)),
        (" (", None),
        ("<number>", Some(Variable::Number)),
        (") is used up", None),
    ];
    assert_eq!(shown, expected);
    assert_eq!(why.template[1].examples, TENANTS);
    assert_eq!(why.signatures, 5);
    assert!(miner.explain(sign("never seen").id).is_none());
}

#[test]
fn a_state_is_taken_up_as_it_was_left() {
    let messages = TENANTS.map(|tenant| format!("quota of {tenant} is used up for today"));
    let miner = miner_of(&messages.each_ref().map(String::as_str));
    let json = serde_json::to_string(&miner).expect("serialisable");
    let mut again: Miner = serde_json::from_str(&json).expect("its own state");
    assert_eq!(serde_json::to_string(&again).expect("serialisable"), json);
    let next = sign("quota of stark is used up for today");
    assert_eq!(again.insert(&next).group, sign(&messages[0]).id);
}

#[test]
fn another_versions_state_is_refused() {
    let json = r#"{"version": 0, "signatures": []}"#;
    let why = serde_json::from_str::<Miner>(json).expect_err("an old state").to_string();
    assert!(why.contains("version 0"), "{why}");
    let other = SignatureVersion(7);
    let refused = Miner::resume(other, []).expect_err("an unknown version");
    assert_eq!(refused, MinerStateError::Version { found: other });
}

#[test]
fn a_full_miner_still_groups_what_is_equal() {
    let mut miner = Miner::new();
    let mut number = 0_u32;
    while !miner.is_full() {
        // Letters for digits, so that no mask folds the words.
        let word: String = number.to_string().bytes().map(|b| char::from(b + 49)).collect();
        miner.insert(&sign(&format!("{word} shut")));
        number += 1;
    }
    let late = sign("nobody came to the party");
    assert!(miner.insert(&late).is_new);
    assert_eq!(miner.insert(&late).group, late.id);
    assert!(miner.explain(late.id).is_some());
}

/// Which lines share a group, whatever the groups are called.
fn partition(messages: &[String]) -> Vec<Vec<String>> {
    let mut lines = Lines::new();
    for message in messages {
        lines.push(message.as_bytes());
    }
    let mut groups: HashMap<SignatureId, Vec<String>> = HashMap::new();
    for (message, group) in messages.iter().zip(lines.groups()) {
        groups.entry(group).or_default().push(message.clone());
    }
    let mut partition: Vec<Vec<String>> = groups.into_values().collect();
    for group in &mut partition {
        group.sort_unstable();
    }
    partition.sort_unstable();
    partition
}

fn message() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "user", "acme", "globex", "hooli", "stark", "wayne", "failed", "closed", "order", "7", "of",
    ]);
    prop::collection::vec(word, 1..6).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn the_order_of_lines_does_not_matter(
        (messages, shuffled) in prop::collection::vec(message(), 0..80)
            .prop_flat_map(|messages| (Just(messages.clone()), Just(messages).prop_shuffle()))
    ) {
        prop_assert_eq!(partition(&messages), partition(&shuffled));
    }

    #[test]
    fn absorbed_groups_are_the_ones_that_changed(
        messages in prop::collection::vec(message(), 0..60)
    ) {
        let mut miner = Miner::new();
        // What a store would keep: the group of each signature, changed only as it is told.
        let mut kept: HashMap<SignatureId, SignatureId> = HashMap::new();
        for message in &messages {
            let signature = sign(message);
            let placement = miner.insert(&signature);
            kept.insert(signature.id, placement.group);
            for group in kept.values_mut() {
                if placement.absorbed.contains(group) {
                    *group = placement.group;
                }
            }
            for (id, group) in &kept {
                prop_assert_eq!(miner.group_of(*id), Some(*group));
            }
        }
    }
}
