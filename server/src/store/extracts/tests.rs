//! Texts come into the trigram index a few at a time, and once.

use sqlx::PgPool;

use super::*;

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn texts_are_indexed_a_few_at_a_time(pool: PgPool) {
    let mut conn = pool.acquire().await.expect("a connection");
    sqlx::query(
        "insert into extracts (letter_id, text, headers)
         select gen_random_uuid(), 'no stock ' || n, '{}' from generate_series(1, 7) as n",
    )
    .execute(&mut *conn)
    .await
    .expect("extracts");
    for wanted in [4, 3, 0] {
        let indexed = index_some(&mut conn, 4).await.expect("indexed");
        assert_eq!(indexed, wanted);
    }
    let left = "select count(*) from extracts where not is_indexed";
    let left: i64 = sqlx::query_scalar(left).fetch_one(&mut *conn).await.expect("counted");
    assert_eq!(left, 0);
}
