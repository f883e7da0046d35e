//! The bare loop: a table of what is due, taken in batches.

use std::time::Instant;

use sqlx::PgPool;

use crate::{AT_ONCE, Outcome};

/// Makes the table, and ids that grow with the time, as the product's do.
pub async fn prepare(pool: &PgPool) -> Outcome<()> {
    sqlx::raw_sql(
        "create schema floor;
         create function floor.new_id() returns uuid language sql as $$
             select (lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0')
                 || '7' || substr(md5(random()::text), 1, 3)
                 || 'a' || substr(md5(random()::text), 1, 15))::uuid
         $$;
         create table floor.due (
             id uuid primary key, state text not null, due_at timestamptz not null,
             taken_at timestamptz);
         create index on floor.due (due_at) where state = 'waiting';",
    )
    .execute(pool)
    .await?;
    Ok(())
}

/// Adds so many rows that are due, and takes all of them; how many a second.
pub async fn round(pool: &PgPool, rows: i64) -> Outcome<f64> {
    sqlx::query(
        "insert into floor.due (id, state, due_at)
         select floor.new_id(), 'waiting', now() from generate_series(1, $1)",
    )
    .bind(rows)
    .execute(pool)
    .await?;
    let began = Instant::now();
    let mut taken = 0;
    loop {
        let batch = sqlx::query(
            "with batch as (
                 select id from floor.due where state = 'waiting' and due_at <= now()
                 order by due_at limit $1 for update skip locked)
             update floor.due set state = 'taken', taken_at = now()
             from batch where due.id = batch.id",
        )
        .bind(AT_ONCE)
        .execute(pool)
        .await?
        .rows_affected();
        if batch == 0 {
            break;
        }
        taken += batch;
    }
    #[expect(clippy::cast_precision_loss, reason = "a count of rows")]
    Ok(taken as f64 / began.elapsed().as_secs_f64())
}
