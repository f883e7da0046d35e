//! A small seeding: what it makes is what intake would have made, and every counter is right.

use std::sync::Arc;

use sqlx::Row as _;

use super::*;
use crate::clock::SystemClock;

/// Rows that one query has and the other has not, of queries that should give the same.
async fn differences(pool: &PgPool, kept: &'static str, recount: &'static str) -> Vec<String> {
    let sql = format!(
        "with kept as ({kept}), recount as ({recount}),
         wrong as ((table kept except table recount) union all (table recount except table kept))
         select to_jsonb(wrong)::text from wrong"
    );
    let rows = sqlx::query(sqlx::AssertSqlSafe(sql)).fetch_all(pool).await.expect("compared");
    rows.iter().map(|row| row.get(0)).collect()
}

async fn number(pool: &PgPool, sql: &'static str) -> i64 {
    sqlx::query_scalar(sql).fetch_one(pool).await.expect("a number")
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn counters_equal_a_recount(pool: PgPool) {
    let clock: SharedClock = Arc::new(SystemClock);
    seed(&pool, &clock, Wanted { letters: 2_000, ..Wanted::default() }, &|_| {})
        .await
        .expect("seeded");
    assert_eq!(number(&pool, "select count(*) from letters").await, 2_000);
    assert_eq!(number(&pool, "select count(*) from letters_elsewhen").await, 0);
    for (kept, recount) in [
        (
            "select source_id, state, severity, letters from letter_counts",
            "select source_id, state, severity, count(*) from letters group by 1, 2, 3",
        ),
        (
            "select signature, state, severity, letters, arrivals, last_arrived_at
             from signature_totals",
            "select signature, state, severity, count(*), sum(arrivals)::bigint,
             max(last_arrived_at) from letters group by 1, 2, 3",
        ),
        (
            "select group_id, letters, waiting, arrivals from group_totals",
            "select g.id, count(l.id), count(l.id) filter (where l.state in ('held', 'unknown')),
                 coalesce(sum(l.arrivals), 0)::bigint
             from groups g left join signatures s on s.group_id = g.id
             left join letters l on l.signature = s.id group by 1",
        ),
        ("select sum(arrivals)::bigint from signature_hours", "select count(*) from arrivals"),
        ("select sum(arrivals)::bigint from death_counts", "select count(*) from arrivals"),
        (
            "select letter_id, count(*), max(arrived_at) from arrivals group by 1",
            "select id, arrivals::bigint, last_arrived_at from letters",
        ),
        (
            "select letter_id, text, is_whole from texts",
            "select l.id, piece.text, piece.is_whole from letters l
             join extracts x on x.letter_id = l.id
             join arrivals a on a.letter_id = l.id and a.ordinal = l.arrivals
             cross join lateral indexed_text(
                 x.headers, x.text, l.error_message, a.body, x.excerpt_bytes, true, 1024) as piece",
        ),
        (
            "select letter_id from extracts where body_is_json and body is null",
            "select letter_id from arrivals where ordinal = 1 and json_of(body) is not null",
        ),
    ] {
        assert_eq!(differences(&pool, kept, recount).await, Vec::<String>::new(), "{kept}");
    }
    let small = Wanted { letters: 100, ..Wanted::default() };
    let refused = seed(&pool, &clock, small, &|_| {}).await;
    assert!(matches!(refused, Err(SeedError::NotEmpty)), "{refused:?}");
    seed(&pool, &clock, Wanted { replace: true, ..small }, &|_| {}).await.expect("seeded again");
    assert_eq!(number(&pool, "select count(*) from letters").await, 100);
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn letters_of_different_signatures_make_different_groups(pool: PgPool) {
    let clock: SharedClock = Arc::new(SystemClock);
    insert_patterns(&pool, &clock, 60 * VARIANTS, clock.now()).await.expect("patterns");
    Grouper::new(pool.clone(), clock).catch_up().await.expect("grouped");
    assert_eq!(number(&pool, "select count(*) from signatures").await, 60);
    assert_eq!(number(&pool, "select count(*) from groups where merged_into is null").await, 60);
}
