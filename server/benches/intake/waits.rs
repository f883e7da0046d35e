//! What the connections to Postgres do while letters are stored, looked at many times.

use std::collections::BTreeMap;

use sqlx::{PgPool, Row as _};

/// Lines that are printed.
const MOST_LINES: usize = 8;

/// What was seen.
#[derive(Default)]
pub struct Waits {
    looks: usize,
    idle: usize,
    seen: BTreeMap<String, usize>,
}

// A statement is known by its beginning; a connection within a transaction that waits for its client waits for us.
const ACTIVITY: &str = r"
    select case
        when state = 'idle in transaction' then 'waits for the office within a transaction'
        when wait_event is null then 'works: ' || left(regexp_replace(query, '\s+', ' ', 'g'), 40)
        else 'waits: ' || wait_event_type || ' ' || wait_event end as doing
    from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
        and backend_type = 'client backend' and state <> 'idle'";

impl Waits {
    /// Looks once.
    pub async fn look(&mut self, pool: &PgPool) -> Result<(), sqlx::Error> {
        let rows = sqlx::query(ACTIVITY).fetch_all(pool).await?;
        self.looks += 1;
        self.idle += usize::from(rows.is_empty());
        for row in rows {
            *self.seen.entry(row.get("doing")).or_default() += 1;
        }
        Ok(())
    }

    /// Prints what was seen most often.
    pub fn print(&self) {
        let percent = |count: usize| count * 100 / self.looks.max(1);
        println!(
            "         Postgres, {} looks: nothing to do in {} %",
            self.looks,
            percent(self.idle)
        );
        let mut seen: Vec<_> = self.seen.iter().collect();
        seen.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        for (doing, count) in seen.into_iter().take(MOST_LINES) {
            println!("         {:>3} %  {doing}", percent(*count));
        }
    }
}
