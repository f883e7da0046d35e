//! After a publish that was cut off, and with clocks that are wrong.

use std::sync::Arc;
use std::time::Duration;

use dlo_app::desk::{DeskError, TriageDesk as _};
use dlo_domain::audit::Actor;
use dlo_domain::replay::Outcome;
use dlo_domain::state::LetterState;
use dlo_server::clock::{Clock, SystemClock};
use dlo_server::config::Patience;
use sqlx::PgPool;

use crate::harness::proxy::at_work_behind_proxy;
use crate::support::desk::{at_work, patient, replayed, settle_after};

/// It is done before the broker's confirm is written down.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_receivers_report_waits_for_the_confirm_that_it_overtook(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let letter = bench.letter("work", b"{}").await;
    let id = bench.replay_home(&[letter]).await;
    assert_eq!(bench.state(letter).await, LetterState::Claimed);
    let receiver = Actor("billing".into());
    let (reported, engine) = tokio::join!(bench.desk.processed(&receiver, letter), async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        bench.engine().await
    });
    reported.expect("reported");
    assert_eq!(bench.state(letter).await, LetterState::Resolved);
    assert_eq!(bench.replay(id).await.outcomes.processed, 1);
    engine.stop().await;
    let patience = Patience { confirm: Duration::from_secs(1), ..patient() };
    let bench = bench.with_desk(|desk| desk.with_patience(patience));
    let never = bench.letter("work", b"{}").await;
    bench.replay_home(&[never]).await;
    let refused = bench.desk.processed(&receiver, never).await;
    assert!(matches!(refused, Err(DeskError::Conflict(_))), "{refused:?}");
    vhost.delete().await;
}

/// Whoever processed it has seen it: its publish happened.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_receivers_report_tells_what_became_of_an_unknown_publish(pool: PgPool) {
    let (vhost, proxy, bench) = at_work_behind_proxy(&pool).await;
    let engine = bench.engine().await;
    proxy.cut_after(0);
    let (letter, id) = replayed(&bench).await;
    assert_eq!(bench.state(letter).await, LetterState::Unknown);
    let receiver = Actor("billing".into());
    let told = bench.desk.processed(&receiver, letter).await;
    told.expect("reported");
    assert_eq!(bench.state(letter).await, LetterState::Resolved);
    let outcomes = bench.replay(id).await.outcomes;
    assert_eq!((outcomes.processed, outcomes.unknown), (1, 0));
    engine.stop().await;
    vhost.delete().await;
}

/// Postgres wrote down since when letters are replayed.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn an_office_whose_clock_is_ahead_settles_nothing_early(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let hour = chrono::TimeDelta::hours(1);
    let engine = bench.engine_by(Arc::new(Ahead(hour)), settle_after(Duration::from_mins(1))).await;
    let (letter, _) = replayed(&bench).await;
    tokio::time::sleep(Duration::from_secs(7)).await;
    assert_eq!(bench.state(letter).await, LetterState::Replayed);
    engine.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_person_decides_what_became_of_an_unknown_publish(pool: PgPool) {
    let (vhost, proxy, bench) = at_work_behind_proxy(&pool).await;
    let engine = bench.engine().await;
    let person = Actor("jonas".into());
    for (was_published, state, outcome) in [
        (true, LetterState::Replayed, Outcome::Unknown),
        (false, LetterState::Held, Outcome::Refused),
    ] {
        proxy.cut_after(0);
        let (letter, id) = replayed(&bench).await;
        assert_eq!(bench.state(letter).await, LetterState::Unknown);
        bench.desk.decide_unknown(&person, letter, was_published).await.expect("decided");
        assert_eq!(bench.state(letter).await, state);
        let item = bench.items(id).await.remove(0);
        assert_eq!(item.outcome, outcome);
        assert!(item.detail.expect("a word").contains("jonas"));
        assert_eq!(bench.replay(id).await.outcomes.of(outcome), 1);
        let again = bench.desk.decide_unknown(&person, letter, true).await;
        assert!(matches!(again, Err(DeskError::Conflict(_))), "{again:?}");
    }
    engine.stop().await;
    vhost.delete().await;
}

/// The clock of an office that is ahead of all others.
#[derive(Debug)]
struct Ahead(chrono::TimeDelta);

impl Clock for Ahead {
    fn now(&self) -> chrono::DateTime<chrono::Utc> {
        SystemClock.now() + self.0
    }
}
