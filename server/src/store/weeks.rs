//! The weeks that letters, arrivals, extracts and texts are cut into: their tables are made ahead of time and
//! dropped whole. Must not know why a week is dropped; that is `retention`.

use chrono::{DateTime, Datelike, Days, NaiveDate, Utc};
use sqlx::{AssertSqlSafe, Connection, PgConnection, Row as _};
use uuid::Uuid;

use super::StoreError;

/// Which tables are cut.
pub(super) const TABLES: [&str; 4] = ["letters", "arrivals", "extracts", "texts"];
/// How many weeks are made ahead. An office that runs makes one every week; one that stood still
/// for longer makes up for it when it starts.
const AHEAD: u64 = 3;

/// One week from Monday, 00:00 UTC, as the tables are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Week {
    monday: NaiveDate,
}

impl Week {
    /// The week of a time.
    #[must_use]
    pub fn of(time: DateTime<Utc>) -> Self {
        let day = time.date_naive();
        let since_monday = u64::from(day.weekday().num_days_from_monday());
        Self { monday: day.checked_sub_days(Days::new(since_monday)).unwrap_or(day) }
    }

    /// The week after it.
    #[must_use]
    pub fn next(self) -> Self {
        let next = self.monday.checked_add_days(Days::new(7));
        Self { monday: next.unwrap_or(self.monday) }
    }

    /// When it ends, which is when the next one begins.
    #[must_use]
    pub fn end(self) -> DateTime<Utc> {
        self.next().begin()
    }

    /// When it begins.
    pub(super) fn begin(self) -> DateTime<Utc> {
        self.monday.and_time(chrono::NaiveTime::MIN).and_utc()
    }

    /// The week's part of a table.
    pub(super) fn part_of(self, table: &str) -> String {
        format!("{table}_{}", self.monday.format("%Y%m%d"))
    }

    fn of_part(name: &str) -> Option<Self> {
        let date = name.strip_prefix("letters_")?;
        let monday = NaiveDate::parse_from_str(date, "%Y%m%d").ok()?;
        let week = Self { monday };
        (week.part_of("letters") == name).then_some(week)
    }
}

/// The smallest id that can be made at this time: UUIDs of version 7 begin with milliseconds.
pub(super) fn first_id(time: DateTime<Utc>) -> Uuid {
    let millis = u128::try_from(time.timestamp_millis()).unwrap_or_default();
    Uuid::from_u128(millis << 80)
}

/// How the parts of a table are stored. A letter changes its state several times, each time beside
/// itself where its page has room.
pub(super) fn options(table: &str) -> &'static str {
    match table {
        "letters" => "with (fillfactor = 60)",
        _ => "",
    }
}

/// The smallest and the greatest of these ids. `id = any(…)` alone looks into every week, as long as
/// Postgres plans for any ids; with `id between` beside it, only into those between.
pub(super) fn span(ids: &[Uuid]) -> (Uuid, Uuid) {
    let first = ids.iter().min().copied().unwrap_or_default();
    let last = ids.iter().max().copied().unwrap_or_default();
    (first, last)
}

/// Makes the weeks from this time until some weeks after `now`. What is there already stays. A
/// week whose letters stand in `letters_elsewhen` already is left out: they are found there.
///
/// # Errors
/// When Postgres does not do it.
pub async fn make(
    conn: &mut PgConnection,
    from: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let last = (0..AHEAD).fold(Week::of(now), |week, _| week.next());
    let mut week = Week::of(from);
    while week <= last {
        if !exists(conn, week).await? {
            make_one(conn, week).await?;
        }
        week = week.next();
    }
    Ok(())
}

async fn exists(conn: &mut PgConnection, week: Week) -> Result<bool, StoreError> {
    let found = sqlx::query_scalar!(
        r#"select to_regclass($1) is not null as "found!""#,
        week.part_of("letters")
    )
    .fetch_one(conn)
    .await?;
    Ok(found)
}

async fn make_one(conn: &mut PgConnection, week: Week) -> Result<(), StoreError> {
    let mut transaction = conn.begin().await?;
    // Another office may be at it.
    sqlx::query!("select pg_advisory_xact_lock(hashtextextended('make weeks', 0))")
        .fetch_one(&mut *transaction)
        .await?;
    let (first, end) = (first_id(week.begin()), first_id(week.end()));
    for table in TABLES {
        // Names and bounds are ours, down to the last character.
        let statement = format!(
            "create table if not exists {} partition of {table} \
             for values from ('{first}') to ('{end}') {}",
            week.part_of(table),
            options(table)
        );
        let made = sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut *transaction).await;
        match made.map_err(StoreError::from) {
            Ok(_) => {}
            Err(error) if error.is_violation() => {
                let part = week.part_of(table);
                tracing::warn!(%part, "letters of this week lie in the table for all others, and stay there");
                return Ok(transaction.rollback().await?);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(transaction.commit().await?)
}

/// The weeks that have tables, oldest first.
///
/// # Errors
/// When Postgres does not do it.
pub async fn all(conn: &mut PgConnection) -> Result<Vec<Week>, StoreError> {
    let rows = sqlx::query(
        "select part.relname from pg_inherits
         join pg_class part on part.oid = inhrelid
         where inhparent = 'letters'::regclass order by part.relname",
    )
    .fetch_all(conn)
    .await?;
    let names = rows.iter().map(|row| row.get::<String, _>(0));
    Ok(names.filter_map(|name| Week::of_part(&name)).collect())
}

/// Takes a week away from everybody until the transaction ends; false when others use it now.
/// Call within a transaction that has a lock timeout.
///
/// # Errors
/// When Postgres does not do it.
pub(super) async fn seize(conn: &mut PgConnection, week: Week) -> Result<bool, StoreError> {
    let mut attempt = conn.begin().await?;
    for table in TABLES {
        // The whole table, since dropping a part needs it.
        let statement =
            format!("lock table {table}, {} in access exclusive mode", week.part_of(table));
        let locked = sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut *attempt).await;
        match locked.map_err(StoreError::from) {
            Ok(_) => {}
            Err(error) if error.is_lock_timeout() => {
                attempt.rollback().await?;
                return Ok(false);
            }
            Err(error) => return Err(error),
        }
    }
    attempt.commit().await?;
    Ok(true)
}

/// Drops a week that was seized.
///
/// # Errors
/// When Postgres does not do it.
pub(super) async fn drop_seized(conn: &mut PgConnection, week: Week) -> Result<(), StoreError> {
    for table in TABLES {
        let statement = format!("drop table {}", week.part_of(table));
        sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut *conn).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
