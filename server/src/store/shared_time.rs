//! The clock that all offices share: Postgres's. Whatever several offices compare with each other is
//! told by it, since their own may differ by hours.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use super::StoreError;
use crate::clock::Clock;

/// What it says now, not when the transaction began. A test's clock speaks for it.
///
/// # Errors
/// When Postgres does not do it.
pub async fn shared_time(
    conn: &mut PgConnection,
    clock: &dyn Clock,
) -> Result<DateTime<Utc>, StoreError> {
    if let Some(time) = clock.shared() {
        return Ok(time);
    }
    let time =
        sqlx::query_scalar!(r#"select clock_timestamp() as "time!""#).fetch_one(conn).await?;
    Ok(time)
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use sqlx::PgPool;

    use super::*;
    use crate::clock::ManualClock;

    /// An office's clock that was set to another century.
    #[derive(Debug)]
    struct Wrong;

    impl Clock for Wrong {
        fn now(&self) -> DateTime<Utc> {
            DateTime::from_timestamp(4_000_000_000, 0).expect("a time")
        }
    }

    #[sqlx::test(migrations = false)]
    async fn postgres_tells_it_and_goes_on_within_a_transaction(pool: PgPool) {
        let mut transaction = pool.begin().await.expect("begun");
        let began: DateTime<Utc> =
            sqlx::query_scalar("select now()").fetch_one(&mut *transaction).await.expect("asked");
        let one = shared_time(&mut transaction, &Wrong).await.expect("told");
        let two = shared_time(&mut transaction, &Wrong).await.expect("told");
        assert!(began < one && one < two, "{began} {one} {two}");
        assert!(two - began < TimeDelta::minutes(1));
    }

    #[sqlx::test(migrations = false)]
    async fn a_tests_clock_speaks_for_it(pool: PgPool) {
        let mut conn = pool.acquire().await.expect("a connection");
        let clock = ManualClock::at(Wrong.now());
        let told = shared_time(&mut conn, &clock).await.expect("told");
        assert_eq!(told, Wrong.now());
    }
}
