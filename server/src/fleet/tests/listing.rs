//! The list of workers, page by page.

use dlo_app::desk::FleetDesk as _;
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
        let page = force
            .desk
            .workers(condition, None, after.as_ref(), limit)
            .await;
        let page = page.expect("read");
        assert!(page.items.len() <= limit as usize);
        names.extend(page.items.into_iter().map(|worker| worker.name));
        let Some(next) = page.next_cursor else {
            return names;
        };
        after = Some(next.parse().expect("a cursor"));
    }
}

#[sqlx::test(migrations = "../migrations")]
async fn every_worker_is_on_one_page_what_needs_somebody_first(pool: PgPool) {
    let force = mixed(&pool).await;
    let wanted = [
        "stale-1", "stale-2", "ending-1", "fresh-1", "fresh-2", "ending-2",
    ];
    for limit in 1..=7 {
        assert_eq!(names(&force, None, limit).await, wanted, "{limit} a page");
    }
    assert_eq!(names(&force, Some(Condition::Stale), 1).await, wanted[..2]);
    assert_eq!(
        names(&force, Some(Condition::Stopped), 9).await,
        ["ending-2"]
    );
}

#[sqlx::test(migrations = "../migrations")]
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
    let none = force
        .desk
        .workers(Some(Condition::Fresh), Some("ending-*"), None, 50)
        .await;
    assert_eq!(none.expect("read").estimated_total, 0);
}
