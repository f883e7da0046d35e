//! Groups: letters find theirs, and what people do with a group.

use std::sync::Arc;

use dlo_app::desk::{DeskError, TriageDesk as _};
use dlo_domain::arrival::Delivered;
use dlo_domain::audit::Actor;
use dlo_domain::decoding::MessageTypes;
use dlo_domain::failure::HeaderMap;
use dlo_domain::filter::LetterFilter;
use dlo_domain::group::{GroupEdit, GroupState, GroupSummary, MergeGroups, Mute, SplitGroup};
use dlo_domain::grouping::Masker;
use dlo_domain::ids::{GroupId, LetterId};
use dlo_domain::judge::Judge;
use dlo_domain::letter::LetterSummary;
use dlo_domain::reading;
use dlo_domain::selection::Selection;
use dlo_server::clock::{Clock as _, SystemClock, new_id};
use dlo_server::grouping::Grouper;
use dlo_server::store::groups::{signatures, totals};
use dlo_server::store::letters::{Court, Incoming, insert_new};
use sqlx::PgPool;
use uuid::Uuid;

use crate::support::desk::Bench;

fn actor() -> Actor {
    Actor("jonas".into())
}

/// Stores letters that died with these messages, and groups them.
pub async fn receive(bench: &Bench, messages: &[&str]) {
    let mut masker = Masker::new();
    let incoming: Vec<Incoming> = messages
        .iter()
        .map(|message| {
            let delivered = Delivered::default();
            let mut read =
                reading::read(&delivered, &HeaderMap::default(), &MessageTypes::default());
            read.failure.error_message = Some((*message).to_owned());
            let id = LetterId(new_id(&SystemClock));
            let court = Court { judge: &Judge::default(), source: "main" };
            let now = SystemClock.now();
            Incoming::new(id, now, delivered, read, court, &mut masker)
        })
        .collect();
    let all: Vec<&Incoming> = incoming.iter().collect();
    let mut transaction = bench.pool.begin().await.expect("a transaction");
    signatures::remember(&mut transaction, &all).await.expect("remembered");
    insert_new(&mut transaction, bench.source, &all).await.expect("stored");
    transaction.commit().await.expect("committed");
    Grouper::new(bench.pool.clone(), Arc::new(SystemClock)).catch_up().await.expect("grouped");
    let mut transaction = bench.pool.begin().await.expect("a transaction");
    let folded = totals::fold(&mut transaction, SystemClock.now()).await;
    folded.expect("folded");
    transaction.commit().await.expect("committed");
}

async fn groups(bench: &Bench, state: Option<GroupState>) -> Vec<GroupSummary> {
    bench.desk.groups(state, None, 50).await.expect("a page").items
}

const REFUSED: &str = "the payment gateway refused the connection";
const CLOSED: &str = "ledger of the month is closed";

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_group_is_taken_muted_and_resolved_and_its_timeline_tells(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    receive(&bench, &[REFUSED, REFUSED]).await;
    let id = groups(&bench, None).await[0].id;
    let edits = [
        GroupEdit {
            state: Some(GroupState::Investigating),
            note: Some("the gateway's certificate ran out".to_owned()),
            tags: Some(vec!["payments".to_owned()]),
            ..GroupEdit::default()
        },
        GroupEdit {
            state: Some(GroupState::Muted),
            mute: Some(Mute { arrivals: Some(100), ..Mute::default() }),
            ..GroupEdit::default()
        },
        GroupEdit {
            state: Some(GroupState::Resolved),
            owner: Some(None),
            ticket_url: Some(Some("https://tickets.example/7".to_owned())),
            ..GroupEdit::default()
        },
    ];
    let mut group = bench.desk.group(id).await.expect("a group");
    for edit in &edits {
        group = bench.desk.edit_group(&actor(), id, edit).await.expect("changed");
        assert_eq!(Some(group.summary.state), edit.state);
        assert_eq!(group.mute, edit.mute);
    }
    assert_eq!(group.summary.owner, None, "he who took it gave it back");
    assert_eq!(group.summary.tags, ["payments"]);
    let lines: Vec<_> = group
        .timeline
        .iter()
        .rev()
        .map(|line| (line.actor.as_str(), line.action.as_str(), line.detail.as_deref()))
        .collect();
    assert_eq!(
        lines,
        [
            ("jonas", "investigating", None),
            ("jonas", "owned by", Some("jonas")),
            ("jonas", "tagged", Some("payments")),
            ("jonas", "note", Some("the gateway's certificate ran out")),
            ("jonas", "muted", Some("until 100 more letters arrive")),
            ("jonas", "resolved", None),
            ("jonas", "owned by nobody", None),
            ("jonas", "ticket", Some("https://tickets.example/7")),
        ]
    );
    assert!(groups(&bench, Some(GroupState::Open)).await.is_empty());
    assert_eq!(groups(&bench, Some(GroupState::Resolved)).await.len(), 1);
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn groups_are_merged_and_split_and_wrong_wishes_change_nothing(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    receive(&bench, &[REFUSED, REFUSED, CLOSED]).await;
    let [first, second] = &groups(&bench, None).await[..] else { panic!("two groups") };
    let merge = |from: GroupId, into: GroupId| MergeGroups { groups: vec![from], into };
    let nobody = GroupId(Uuid::from_u128(7));
    let desk = &bench.desk;
    for (wish, kind) in [
        (merge(first.id, first.id), "invalid"),
        (merge(nobody, first.id), "not found"),
        (merge(first.id, nobody), "not found"),
    ] {
        let refusal = desk.merge_groups(&actor(), &wish).await.expect_err("refused");
        let is_kind = match refusal {
            DeskError::Invalid(_) => kind == "invalid",
            DeskError::NotFound(_) => kind == "not found",
            _ => false,
        };
        assert!(is_kind, "{wish:?}: {refusal}");
    }
    assert_eq!(groups(&bench, None).await.len(), 2);

    let wish = merge(second.id, first.id);
    let whole = desk.merge_groups(&actor(), &wish).await.expect("merged");
    assert_eq!((whole.summary.id, whole.summary.letters), (first.id, 3));
    let again = desk.merge_groups(&actor(), &wish).await;
    assert!(matches!(again, Err(DeskError::NotFound(_))), "it is merged already");

    let closed = whole.signatures.iter().find(|one| one.template.contains("ledger"));
    let signature = closed.expect("it is there").id.clone().try_into().expect("an id");
    let wish = SplitGroup { group: first.id, signatures: vec![signature] };
    let split_off = desk.split_group(&actor(), &wish).await.expect("split off");
    let again = desk.split_group(&actor(), &wish).await;
    assert!(matches!(again, Err(DeskError::Conflict(_))), "it is gone from there");
    let all = SplitGroup { group: split_off, signatures: vec![signature] };
    let all = desk.split_group(&actor(), &all).await;
    assert!(matches!(all, Err(DeskError::Invalid(_))), "nothing would be left");
    let letters = |id| {
        let groups = groups(&bench, None);
        async move { groups.await.into_iter().find(|group| group.id == id).map(|g| g.letters) }
    };
    assert_eq!((letters(first.id).await, letters(split_off).await), (Some(2), Some(1)));
}

async fn found(bench: &Bench, filter: &LetterFilter) -> Vec<LetterSummary> {
    let page = bench.desk.letters(filter, None, 50).await;
    page.expect("a page").items
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn the_letters_of_a_group_are_found_and_chosen_also_after_a_merge(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    receive(&bench, &[REFUSED, REFUSED, CLOSED]).await;
    let [refused, closed] = &groups(&bench, None).await[..] else {
        panic!("two groups");
    };
    let letters = found(&bench, &LetterFilter::of_group(refused.id)).await;
    assert_eq!(letters.len(), 2);
    for letter in &letters {
        assert_eq!(letter.group_id, Some(refused.id));
        assert_eq!(letter.error_message.as_deref(), Some(REFUSED));
        let whole = bench.desk.letter(letter.id).await.expect("a letter");
        assert_eq!(whole.summary.group_id, Some(refused.id));
    }
    let merge = MergeGroups { groups: vec![closed.id], into: refused.id };
    let merged = bench.desk.merge_groups(&actor(), &merge).await;
    merged.expect("merged");
    // The old address means what it became part of.
    for id in [refused.id, closed.id] {
        assert_eq!(found(&bench, &LetterFilter::of_group(id)).await.len(), 3);
    }
    let all = Selection { group: Some(closed.id), ..Selection::default() };
    let changed = bench.desk.discard(&actor(), &all, "known").await;
    assert_eq!(changed.expect("discarded").changed, 3);
    let nowhere = Selection { group: Some(GroupId(Uuid::nil())), ..Selection::default() };
    let refusal = bench.desk.discard(&actor(), &nowhere, "known").await;
    assert!(matches!(refusal, Err(DeskError::NotFound(_))), "{refusal:?}");
}
