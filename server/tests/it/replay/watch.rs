//! After the publish: reports of success, a person's word, and the end of the watch.

use std::time::Duration;

use dlo_app::desk::{DeskError, TriageDesk as _};
use dlo_domain::audit::Actor;
use dlo_domain::state::LetterState;
use sqlx::PgPool;

use crate::support::desk::{at_work, replayed, settle_after};
use crate::support::until;

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_replayed_letter_is_resolved_by_its_receivers_report_once(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let engine = bench.engine().await;
    let (letter, id) = replayed(&bench).await;
    let receiver = Actor("billing".into());
    bench.desk.processed(&receiver, letter).await.expect("reported");
    assert_eq!(bench.state(letter).await, LetterState::Resolved);
    let outcomes = bench.replay(id).await.outcomes;
    assert_eq!((outcomes.processed, outcomes.confirmed), (1, 0));
    let again = bench.desk.processed(&receiver, letter).await;
    assert!(matches!(again, Err(DeskError::Conflict(_))), "{again:?}");
    engine.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_letter_that_does_not_come_back_settles(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let engine = bench.engine_with(settle_after(Duration::from_secs(1))).await;
    let (letter, id) = replayed(&bench).await;
    until("it settles", || async { bench.state(letter).await == LetterState::Resolved }).await;
    let outcomes = bench.replay(id).await.outcomes;
    assert_eq!((outcomes.settled, outcomes.total()), (1, 1));
    assert_eq!(bench.audit(letter).await[0].0, "letter.settle");
    engine.stop().await;
    vhost.delete().await;
}
