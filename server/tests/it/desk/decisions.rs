//! Discards and restores: what changes, what is left out, and who is named for it.

use dlo_app::desk::{DeskError, TriageDesk as _};
use dlo_domain::audit::Actor;
use dlo_domain::ids::LetterId;
use dlo_domain::selection::{Changed, Selection};
use dlo_domain::state::LetterState;
use sqlx::PgPool;
use uuid::Uuid;

use crate::support::desk::Bench;

fn actor() -> Actor {
    Actor("jonas".into())
}

fn matching(filter: &str) -> Selection {
    Selection { filter: Some(filter.into()), ..Selection::default() }
}

fn reasons(changed: &Changed) -> Vec<(&str, i64)> {
    let left_out = changed.left_out.iter();
    left_out.map(|left_out| (left_out.reason.as_str(), left_out.letters)).collect()
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn discarding_twice_leaves_the_letter_out_and_restoring_takes_it_back(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let letter = bench.letter("work", b"{}").await;
    let missing = LetterId(Uuid::from_u128(7));
    let selection = Selection::of_ids(vec![letter, letter, missing]);
    let desk = &bench.desk;
    let first = desk.discard(&actor(), &selection, " known bug ").await.expect("discarded");
    assert_eq!(first.changed, 1);
    assert_eq!(reasons(&first), [("there is no such letter", 1)]);
    assert_eq!(first.left_out[0].examples, [missing]);
    let again = desk.discard(&actor(), &selection, "again").await.expect("answered");
    assert_eq!(again.changed, 0);
    assert_eq!(reasons(&again), [("is discarded", 1), ("there is no such letter", 1)]);

    let whole = desk.letter(letter).await.expect("a letter");
    assert_eq!(whole.summary.state, LetterState::Discarded);
    let line = &whole.audit[0];
    assert_eq!((line.actor.as_str(), line.action.as_str()), ("jonas", "letter.discard"));
    assert_eq!(line.detail.as_deref(), Some("known bug"));
    assert_eq!(whole.audit.len(), 1, "what was left out leaves no line");

    let back = desk.restore(&actor(), &Selection::of_ids(vec![letter])).await.expect("restored");
    assert_eq!((back.changed, back.left_out.len()), (1, 0));
    assert_eq!(bench.state(letter).await, LetterState::Held);
    let idle = desk.restore(&actor(), &Selection::of_ids(vec![letter])).await.expect("answered");
    assert_eq!((idle.changed, reasons(&idle)), (0, vec![("is held", 1)]));
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_filter_means_the_letters_that_match_now(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let chosen = [bench.letter("a.1", b"1").await, bench.letter("a.2", b"2").await];
    let other = bench.letter("b", b"3").await;
    let done = bench.desk.discard(&actor(), &matching("queue:a.*"), "done").await;
    assert_eq!(done.expect("discarded").changed, 2);
    for letter in chosen {
        assert_eq!(bench.state(letter).await, LetterState::Discarded);
    }
    let later = bench.letter("a.3", b"4").await;
    assert_eq!(bench.state(later).await, LetterState::Held);
    assert_eq!(bench.state(other).await, LetterState::Held);
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_makes_no_sense_is_refused_with_how_to_mend_it(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let letter = bench.letter("work", b"{}").await;
    let ids = Selection::of_ids(vec![letter]);
    for (selection, reason, told) in [
        (&ids, "  ", "needs a reason"),
        (&ids, "a\0b", "NUL"),
        (&ids, &*"x".repeat(501), "500"),
        (&matching("colour:red"), "why", "there is no field `colour`"),
        (&matching(""), "why", "\"all\": true"),
        (&Selection::default(), "why", "the selection is empty"),
    ] {
        match bench.desk.discard(&actor(), selection, reason).await {
            Err(DeskError::Invalid(text)) => assert!(text.contains(told), "{text}"),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(bench.state(letter).await, LetterState::Held);
    let missing = bench.desk.processed(&actor(), LetterId(Uuid::from_u128(1))).await;
    assert!(matches!(missing, Err(DeskError::NotFound(_))), "{missing:?}");
    match bench.desk.decide_unknown(&actor(), letter, true).await {
        Err(DeskError::Conflict(text)) => {
            assert_eq!(text, "a letter that is held cannot be declared published");
        }
        other => panic!("{other:?}"),
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn of_two_who_discard_at_once_each_letter_has_one(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let mut letters = Vec::new();
    for n in 0..40 {
        letters.push(bench.letter("work", &[n]).await);
    }
    let forth = Selection::of_ids(letters.clone());
    let back = Selection::of_ids(letters.iter().rev().copied().collect());
    let (jonas, mia) = (actor(), Actor("mia".into()));
    let (one, two) = tokio::join!(
        bench.desk.discard(&jonas, &forth, "one"),
        bench.desk.discard(&mia, &back, "two")
    );
    assert_eq!(one.expect("done").changed + two.expect("done").changed, 40);
    for letter in letters {
        assert_eq!(bench.audit(letter).await.len(), 1);
    }
}
