//! What a rule would do.

use chrono::TimeDelta;
use dlo_domain::severity::Severity;
use sqlx::PgPool;

use super::{Office, critical, key, many};

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_preview_counts_the_last_days_and_changes_nothing(pool: PgPool) {
    let office = Office::open(&pool).await;
    office.receive(many(3, "no stock in spring")).await;
    office.clock.advance(TimeDelta::days(8));
    office.receive(many(12, "no stock in berlin")).await;
    office.receive(many(6, "no stock in lisbon, and never was any")).await;
    office.receive(many(4, "the ledger is closed")).await;
    office.set("update letters set severity = 'low' where error_message like '%lisbon%'").await;
    office.set("update letters set state = 'discarded' where id in (select id from letters where error_message like '%berlin' limit 2)").await;
    office.group().await;
    let preview = office.preview("error:\"no stock\"", critical()).await;
    assert_eq!((preview.days, preview.matched, preview.is_capped), (7, 18, false));
    let now: Vec<_> = preview.now.iter().map(|one| (one.severity, one.letters)).collect();
    assert_eq!(now, [(Severity::Normal, 10), (Severity::Low, 6)]);
    assert_eq!(preview.samples.len(), 5);
    assert_eq!((preview.read, preview.groups_now), (0, 0));
    let preview = office.preview("error:\"no stock\"", key("stock")).await;
    assert_eq!((preview.read, preview.now.len()), (18, 0));
    assert_eq!((preview.groups_now, preview.groups_then), (2, 1));
    let apart = office.preview("", key("{error_message}")).await;
    assert_eq!((apart.groups_now, apart.groups_then), (3, 3));
    let nothing = office.preview("queue:nowhere", critical()).await;
    assert_eq!((nothing.matched, nothing.samples.len()), (0, 0));
    assert_eq!(office.progress().await, None, "nothing was changed");
}
