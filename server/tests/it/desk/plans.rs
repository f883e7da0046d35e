//! Plans: frozen, claimed once, and without a trace when they are only tried.

use dlo_app::desk::{DeskError, TriageDesk as _};
use dlo_domain::audit::Actor;
use dlo_domain::page::Cursor;
use dlo_domain::replay::{Makers, NewReplay, Outcome, Replay, ReplayState, Target};
use dlo_domain::selection::Selection;
use dlo_domain::state::LetterState;
use dlo_domain::wire::{FieldTable, FieldValue, Properties};
use sqlx::PgPool;

use crate::support::desk::{Bench, at_work};

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_dry_run_tells_the_same_as_the_plan_and_leaves_nothing_behind(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let actor = Actor("jonas".into());
    let letters = [
        bench.letter("work", b"1").await,
        bench.letter("", b"2").await,
        bench.letter("work", b"3").await,
    ];
    let put_away = Selection::of_ids(vec![letters[2]]);
    bench.desk.discard(&actor, &put_away, "not this one").await.expect("discarded");
    let mut new = NewReplay {
        selection: Selection { all: true, ..Selection::default() },
        target: Target::OriginQueue,
        dry_run: true,
        ..NewReplay::default()
    };
    let dry = bench.desk.plan_replay(&actor, &new).await.expect("tried");
    assert_eq!((dry.id, dry.total), (None, 1));
    assert_eq!(dry.state, ReplayState::DryRun);
    let [only] = &dry.destinations[..] else {
        panic!("one queue, and not {:?}", dry.destinations);
    };
    assert_eq!((only.queue.as_deref(), only.letters), (Some("work"), 1));
    assert_eq!(only.exists, None, "no broker answers");
    assert_eq!(bench.state(letters[0]).await, LetterState::Held);
    assert_eq!(bench.desk.replays(Makers::All, None, 10).await.expect("a page").items, []);
    assert!(bench.audit(letters[0]).await.is_empty());

    new.dry_run = false;
    let real = bench.desk.plan_replay(&actor, &new).await.expect("planned");
    assert_eq!((real.total, &real.left_out), (dry.total, &dry.left_out));
    assert_eq!(real.destinations, dry.destinations);
    let reasons: Vec<_> = real.left_out.iter().map(|one| one.reason.as_str()).collect();
    assert_eq!(
        reasons,
        ["is discarded", "it is not known which queue it died in: name a target queue"]
    );
    let stored = bench.replay(real.id.expect("an id")).await;
    let planned = Replay {
        destinations: Vec::new(),
        replayed_before: None,
        perhaps_delivered: None,
        made_persistent: 0,
        ..real.clone()
    };
    assert_eq!(stored, planned);
    assert_eq!(bench.state(letters[0]).await, LetterState::Claimed);

    // Later letters never join, and a claimed letter is nobody else's.
    bench.letter("work", b"4").await;
    assert_eq!(bench.items(real.id.expect("an id")).await.len(), 1);
    let second = bench.desk.plan_replay(&actor, &new).await.expect("planned");
    assert_eq!(second.total, 1);
    assert!(second.left_out.iter().any(|one| one.reason == "owned by another replay"));
    let claimed = Selection::of_ids(vec![letters[0]]);
    let kept = bench.desk.discard(&actor, &claimed, "why").await.expect("answered");
    assert_eq!((kept.changed, kept.left_out[0].reason.as_str()), (0, "owned by a replay"));
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_plan_of_more_letters_than_were_looked_at_is_not_made(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let actor = Actor("jonas".into());
    let letters = bench.letters(2).await;
    let mut new = NewReplay {
        selection: Selection {
            filter: Some("queue:work state:held".into()),
            ..Selection::default()
        },
        dry_run: true,
        ..NewReplay::default()
    };
    let dry = bench.desk.plan_replay(&actor, &new).await.expect("tried");
    assert_eq!(dry.total, 2);
    let late = bench.letter("work", b"late").await;
    new.expected_letters = Some(2);
    let dry = bench.desk.plan_replay(&actor, &new).await.expect("tried");
    assert_eq!(dry.total, 3, "a dry run tells how many there are");

    new.dry_run = false;
    let refused = bench.desk.plan_replay(&actor, &new).await;
    let Err(DeskError::Conflict(why)) = refused else {
        panic!("{refused:?}");
    };
    assert!(why.starts_with("1 more letter would be"), "{why}");
    for letter in [letters[0], letters[1], late] {
        assert_eq!(bench.state(letter).await, LetterState::Held);
        assert!(bench.audit(letter).await.is_empty());
    }
    let made = bench.desk.replays(Makers::All, None, 10).await;
    assert_eq!(made.expect("a page").items, []);

    // Fewer than were looked at may always go.
    let put_away = Selection::of_ids(vec![late]);
    bench.desk.discard(&actor, &put_away, "not this one").await.expect("discarded");
    new.expected_letters = Some(3);
    let made = bench.desk.plan_replay(&actor, &new).await.expect("planned");
    assert_eq!(made.total, 2);
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_replay_of_nothing_is_finished_at_once(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let letter = bench.letter("", b"{}").await;
    let replay = bench.plan(&[letter], Target::OriginQueue).await;
    assert_eq!(replay.state, ReplayState::Finished);
    let stored = bench.replay(replay.id.expect("an id")).await;
    assert_eq!((stored.state, stored.finished_at), (ReplayState::Finished, replay.finished_at));
    assert_eq!(bench.state(letter).await, LetterState::Held);
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_target_that_no_frame_can_name_is_refused(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let letter = bench.letter("work", b"{}").await;
    for queue in ["", "a\0b", &"x".repeat(256)] {
        let new = NewReplay {
            selection: Selection::of_ids(vec![letter]),
            target: Target::Queue { queue: queue.into() },
            ..NewReplay::default()
        };
        let refused = bench.desk.plan_replay(&Actor("jonas".into()), &new).await;
        assert!(matches!(refused, Err(DeskError::Invalid(_))), "{refused:?}");
    }
    assert_eq!(bench.state(letter).await, LetterState::Held);
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn replays_and_their_letters_are_paged_without_gap_or_double(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let mut letters = Vec::new();
    for n in 0..7 {
        letters.push(bench.letter("work", &[n]).await);
    }
    let id = bench.plan(&letters, Target::OriginQueue).await.id.expect("an id");
    let mut seen = Vec::new();
    let mut after: Option<Cursor> = None;
    loop {
        let page = bench.desk.replay_items(id, Some(Outcome::Pending), after, 3).await;
        let page = page.expect("a page");
        assert_eq!(page.estimated_total, 7);
        seen.extend(page.items.iter().map(|item| item.letter_id));
        after = page.next_cursor;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(seen, letters);
    let none = bench.desk.replay_items(id, Some(Outcome::Confirmed), None, 3).await;
    assert_eq!(none.expect("a page").items, []);

    for _ in 0..2 {
        bench.plan(&letters, Target::OriginQueue).await;
    }
    let first = bench.desk.replays(Makers::All, None, 2).await.expect("a page");
    let second = bench.desk.replays(Makers::All, first.next_cursor, 2).await.expect("a page");
    assert_eq!((first.items.len(), second.items.len()), (2, 1));
    assert_eq!(second.items[0].id, Some(id));
    assert_eq!((second.next_cursor, second.estimated_total), (None, 3));
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_dry_run_tells_which_queues_are_missing_and_what_is_left_off(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let mut headers = FieldTable::default();
    headers.set("CC", FieldValue::Array(Vec::new()));
    let hasty = Properties { expiration: Some("5000".into()), ..Properties::default() };
    let (none, plain) = (FieldTable::default(), Properties::default());
    let letters = vec![
        bench.letter_of("work", &hasty, &headers, b"1").await,
        bench.letter_of("work", &hasty, &none, b"2").await,
        bench.letter_of("gone", &plain, &none, b"3").await,
    ];
    let new = NewReplay {
        selection: Selection::of_ids(letters),
        target: Target::OriginQueue,
        dry_run: true,
        ..NewReplay::default()
    };
    let actor = Actor("jonas".into());
    let dry = bench.desk.plan_replay(&actor, &new).await.expect("tried");
    let queues = dry.destinations.iter();
    let queues: Vec<_> =
        queues.map(|one| (one.queue.as_deref().unwrap_or(""), one.exists)).collect();
    assert_eq!(queues, [("work", Some(true)), ("gone", Some(false))]);
    let names = dry.stripped.iter();
    let names: Vec<_> = names.map(|one| (one.name.as_str(), one.letters)).collect();
    assert_eq!(names, [("expiration", 2), ("CC", 1)]);
    vhost.delete().await;
}
