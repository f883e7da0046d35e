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
fn a_place_with_two_names_is_a_variable() {
    let mut miner = Miner::new();
    let messages = TENANTS.map(|tenant| format!("quota of {tenant} is used up for today"));
    assert!(miner.insert(&sign(&messages[0])).is_new);
    // The second name tells that it is one: the groups become one, led by the oldest.
    for message in &messages[1..] {
        let next = miner.insert(&sign(message));
        let leader = sign(&messages[0]).id;
        assert_eq!((next.group, next.is_new, next.absorbed), (leader, false, Vec::new()));
    }
}

#[test]
fn groups_that_turn_out_to_be_one_are_told() {
    // Next to one word only, it takes four names.
    let mut miner = Miner::new();
    let messages = ["quota acme", "quota globex", "quota hooli", "quota stark"];
    let placed = messages.map(|message| miner.insert(&sign(message)));
    assert!(placed[..3].iter().all(|placed| placed.is_new));
    assert!(!placed[3].is_new);
    assert_eq!(placed[3].group, sign(messages[0]).id);
    let mut absorbed: Vec<_> = placed[3].absorbed.iter().map(|it| it.group).collect();
    absorbed.sort_unstable();
    let mut expected: Vec<_> = messages[1..3].iter().map(|m| sign(m).id).collect();
    expected.sort_unstable();
    assert_eq!(absorbed, expected);
    assert!(placed[3].absorbed.iter().all(|it| it.into == placed[3].group));
}

#[test]
fn a_noun_that_names_something_is_followed_by_values_of_any_words() {
    let message = |user: &str| format!("mail for user {user} bounced twice today");
    let of = |users: &[&str]| {
        let messages: Vec<String> = users.iter().map(|user| message(user)).collect();
        let miner = miner_of(&messages.iter().map(String::as_str).collect::<Vec<_>>());
        same(&miner, &messages[0], &messages[1])
    };
    assert!(of(&["alice", "bob"]));
    assert!(of(&["OrderPlaced", "order_shipped"]));
    // `test` and `news` are words of the language, and may be users all the same.
    assert!(!of(&["test", "news"]) && !of(&["test", "alice"]));
    assert!(of(&["test", "alice", "news"]));
    assert!(!of(&["root", "unknown"]));
}

#[test]
fn what_follows_a_key_takes_three() {
    let message = |tenant: &str| format!("quota is used up tenant={tenant} today");
    let messages = ["acme", "globex", "initech"].map(message);
    let messages = messages.each_ref().map(String::as_str);
    assert!(!same(&miner_of(&messages[..2]), messages[0], messages[1]));
    assert!(same(&miner_of(&messages), messages[0], messages[1]));
    let why = ["refused", "reset", "closed", "gone", "lost", "stale"];
    let reasons = why.map(|why| format!("upload given up reason={why} today"));
    assert!(!same(&miner_of(&reasons.each_ref().map(String::as_str)), &reasons[0], &reasons[5]));
}

/// Whether the first two of these messages share a group once all have been seen.
fn are_one(messages: &[&str]) -> bool {
    same(&miner_of(messages), messages[0], messages[1])
}

#[test]
fn many_words_of_the_language_are_values_in_a_long_message() {
    let message = |queue: &str| format!("nobody takes anything out of {queue} any longer");
    let of = |queues: &[&str]| {
        let messages: Vec<String> = queues.iter().map(|queue| message(queue)).collect();
        are_one(&messages.iter().map(String::as_str).collect::<Vec<_>>())
    };
    assert!(!of(&["users", "events", "messages", "accounts", "logs"]));
    assert!(of(&["users", "events", "messages", "accounts", "logs", "orders"]));
    let short = ["users", "events", "messages", "accounts", "logs", "orders", "services", "jobs"];
    let short = short.map(|queue| format!("no {queue}"));
    assert!(!are_one(&short.each_ref().map(String::as_str)));
    let telling = ["opened", "closed", "refused", "lost", "sent", "read", "failed", "stopped"];
    assert!(!of(&telling));
}

#[test]
fn a_masked_value_weighs_like_a_name() {
    let pair = ["index of copper written to disk", "index of db1.internal written to disk"];
    assert!(are_one(&pair));
    assert!(are_one(&[pair[1], pair[0]]), "whichever came first");
    let apart = ["copper: no more heap left", "db1.internal: no more heap left"];
    assert!(are_one(&apart));
    assert!(!are_one(&["worker ended with 3 today", "worker ended with nothing today"]));
    assert!(!are_one(&["read error 17 on disk", "read error unknown on disk"]));
}

#[test]
fn words_of_the_language_are_values_only_among_names() {
    assert!(!are_one(&["cannot delete the old index today", "cannot delete the new index today"]));
    let path = ["no path from sessions to it", "no path from refunds to it"];
    assert!(!are_one(&path));
    let among_names = [path[0], path[1], "no path from carts to it", "no path from coupons to it"];
    assert!(are_one(&among_names));
}

#[test]
fn what_punctuation_sets_apart_is_a_place_for_values() {
    assert!(are_one(&["refunds: syntax error", "coupons: syntax error"]));
    assert!(!are_one(&["refunds syntax error", "coupons syntax error"]));
    assert!(are_one(&["cache (etcd) is gone", "cache (consul) is gone"]));
    assert!(!are_one(&["upload failed: timeout", "upload failed: forbidden"]));
}

#[test]
fn the_verb_that_failed_is_never_a_value() {
    assert!(!are_one(&["cannot chown the new volume", "cannot fsck the new volume"]));
    assert!(!are_one(&["failed to chown the new volume", "failed to fsck the new volume"]));
    assert!(are_one(&["moved to alpha the new volume", "moved to beta the new volume"]));
}

#[test]
fn what_was_a_value_once_is_one_elsewhere() {
    // One of each pair and a third word differ: too much for one place, and none of them is known.
    let apart = ["no lease for acme since globex went", "no lease for hooli since wayne went"];
    assert!(are_one(&apart));
    let three = ["acme took globex from initech by force", "hooli took stark from wayne by force"];
    assert!(!are_one(&three));
    let tenants = ["acme", "globex", "initech", "hooli", "stark", "wayne"];
    let quotas = tenants.map(|tenant| format!("quota of {tenant} is used up"));
    let messages: Vec<&str> = three.into_iter().chain(quotas.iter().map(String::as_str)).collect();
    assert!(are_one(&messages));
    // Its explanation shows the places, though no family did.
    let why = miner_of(&messages).explain(sign(three[1]).id).expect("known");
    assert_eq!(why.title(), "<*> took <*> from <*> by force");
    assert!(why.template[0].examples.contains(&"hooli".to_owned()), "{:?}", why.template);
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
        "user", "acme", "globex", "hooli", "stark", "wayne", "failed", "closed", "orders", "7",
        "of", "to", "file", "name", "test", "reason=",
    ]);
    prop::collection::vec(word, 1..7).prop_map(|words| words.join(" "))
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
            for Absorbed { group: gone, into } in &placement.absorbed {
                for group in kept.values_mut().filter(|group| *group == gone) {
                    *group = *into;
                }
            }
            for (id, group) in &kept {
                prop_assert_eq!(miner.group_of(*id), Some(*group));
            }
        }
    }
}
