//! The list of workers, page by page.

use dlo_app::desk::{CauseDesk as _, DeskError, ExecutionDesk as _, FleetDesk as _};
use dlo_domain::audit::Actor;
use dlo_domain::execution::ExecutionQuery;
use dlo_domain::timeline::{About, Reach};
use dlo_domain::worker::{Condition, KindSummary, WorkerCursor, WorkerState};
use sqlx::PgPool;

use super::workforce::{Workforce, alive, saying};

/// Two of each condition, of two kinds.
async fn mixed(pool: &PgPool) -> Workforce {
    let mut force = Workforce::open(pool).await;
    force.beat("stale-1", alive()).await;
    force.beat("stale-2", alive()).await;
    force.pass(31).await;
    for (name, state) in [
        ("fresh-1", WorkerState::Active),
        ("fresh-2", WorkerState::Active),
        ("ending-1", WorkerState::Draining),
        ("ending-2", WorkerState::Stopped),
    ] {
        force.beat(name, saying(state)).await;
    }
    force
}

async fn names(force: &Workforce, condition: Option<Condition>, limit: u32) -> Vec<String> {
    let (mut names, mut after): (Vec<String>, Option<WorkerCursor>) = (Vec::new(), None);
    loop {
        let page = force.desk.workers(condition, None, after.as_ref(), limit).await;
        let page = page.expect("read");
        assert!(page.items.len() <= limit as usize);
        names.extend(page.items.into_iter().map(|worker| worker.name));
        let Some(next) = page.next_cursor else {
            return names;
        };
        after = Some(next.parse().expect("a cursor"));
    }
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn every_worker_is_on_one_page_what_needs_somebody_first(pool: PgPool) {
    let force = mixed(&pool).await;
    let wanted = ["stale-1", "stale-2", "ending-1", "fresh-1", "fresh-2", "ending-2"];
    for limit in 1..=7 {
        assert_eq!(names(&force, None, limit).await, wanted, "{limit} a page");
    }
    assert_eq!(names(&force, Some(Condition::Stale), 1).await, wanted[..2]);
    assert_eq!(names(&force, Some(Condition::Stopped), 9).await, ["ending-2"]);
}

/// Postgres has no text that holds one: that is nobody's fault of ours.
#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_nul_names_nobody(pool: PgPool) {
    let force = mixed(&pool).await;
    let desk = &force.desk;
    assert!(matches!(desk.worker("\0").await, Err(DeskError::NotFound(_))));
    let anna = Actor("anna".to_owned());
    let drained = desk.drain_worker(&anna, "a\0", true).await;
    assert!(matches!(drained, Err(DeskError::NotFound(_))));
    assert!(matches!(desk.execution("\0").await, Err(DeskError::NotFound(_))));
    let asked = desk.workers(None, Some("\0"), None, 9).await;
    assert!(matches!(asked, Err(DeskError::Invalid(_))));
    let cursor = WorkerCursor { condition: Condition::Fresh, name: "\0".to_owned() };
    let asked = desk.workers(None, None, Some(&cursor), 9).await;
    assert!(matches!(asked, Err(DeskError::Invalid(_))));
    let query = ExecutionQuery { worker: Some("\0".to_owned()), ..ExecutionQuery::default() };
    let asked = desk.executions(&query, None, 9).await;
    assert!(matches!(asked, Err(DeskError::Invalid(_))));
    for about in [About::Worker("\0".to_owned()), About::Queue("\0".to_owned())] {
        let asked = desk.timeline(&about, Reach::default()).await;
        assert!(matches!(asked, Err(DeskError::Invalid(_))), "{about:?}");
    }
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn kinds_are_counted_and_told_apart(pool: PgPool) {
    let force = mixed(&pool).await;
    let kinds = force.desk.worker_kinds().await.expect("read");
    let wanted = |kind: &str, [fresh, stale, draining, stopped]: [i64; 4]| KindSummary {
        kind: kind.to_owned(),
        fresh,
        stale,
        draining,
        stopped,
    };
    assert_eq!(
        kinds,
        [
            wanted("stale-*", [0, 2, 0, 0]),
            wanted("ending-*", [0, 0, 1, 1]),
            wanted("fresh-*", [2, 0, 0, 0]),
        ]
    );
    let page = force.desk.workers(None, Some("ending-*"), None, 50).await;
    let page = page.expect("read");
    assert_eq!((page.items.len(), page.estimated_total), (2, 2));
    let none = force.desk.workers(Some(Condition::Fresh), Some("ending-*"), None, 50).await;
    assert_eq!(none.expect("read").estimated_total, 0);
}
