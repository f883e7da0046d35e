//! A company's own tables, in a database of its own clock, and an office that reads them.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::worker::Condition;
use dlo_server::clock::{Clock as _, ManualClock};
use dlo_server::config::{RegisterConfig, Secret};
use dlo_server::fleet::{Monitor, Part};
use dlo_server::register::Reader;
use dlo_server::store::registers::{self, Standing};
use dlo_server::store::workers;
use sqlx::{ConnectOptions as _, PgPool};

use super::patience;

/// The tables that systems of this kind keep, and a clock that the test sets: a function of the name
/// that is asked for, found before Postgres's own.
const TABLES: &str = "
    create schema company;
    create type company.status as enum ('active', 'busy', 'inactive');
    create table company.worker (id bigint generated always as identity primary key,
        name text not null, status company.status not null default 'active',
        last_heartbeat timestamptz, meta jsonb not null default '{}');
    create table company.execution (id bigint primary key, status text not null,
        worker bigint references company.worker, updated timestamptz not null default now());
    create table company.time (told timestamptz not null);
    create function company.clock_timestamp() returns timestamptz stable language sql
        as 'select told from company.time';";

/// What is asked for workers.
pub const WORKERS: &str = "select name, last_heartbeat,
    case status when 'inactive' then 'stopped' else 'active' end as state,
    meta ->> 'queue' as queue from worker;";

/// What is asked for executions.
pub const EXECUTIONS: &str = "select e.id, lower(e.status) as state, w.name as worker,
    updated as since from execution e left join worker w on w.id = e.worker -- all of them";

/// The office's noon.
pub fn noon() -> DateTime<Utc> {
    "2026-11-21T12:00:00Z".parse().expect("a time")
}

/// A company and the office that reads its register.
pub struct Company {
    pub pool: PgPool,
    pub clock: Arc<ManualClock>,
    pub reader: Reader,
    /// How long the readers that are made from now on wait for an answer.
    pub patience: Duration,
    monitor: Monitor,
}

/// An address of the test's database whose user finds the company's names first.
pub fn address(pool: &PgPool) -> String {
    let mut url = pool.connect_options().to_url_lossy();
    let path = "-c search_path=company,pg_catalog";
    url.query_pairs_mut().append_pair("options", path);
    url.to_string()
}

impl Company {
    /// With these statements, against this address. Its clock is an hour ahead of the office's.
    pub async fn open(pool: &PgPool, workers: Option<&str>, executions: Option<&str>) -> Self {
        sqlx::raw_sql(TABLES).execute(pool).await.expect("tables");
        sqlx::query("insert into company.time values ($1)")
            .bind(noon() + TimeDelta::hours(1))
            .execute(pool)
            .await
            .expect("a clock");
        let clock = Arc::new(ManualClock::at(noon()));
        let monitor =
            Monitor::new(pool.clone(), clock.clone(), Part { hears_http: false, judges: true });
        let reader = reader(pool, &clock, (&address(pool), patience()), (workers, executions));
        Self { pool: pool.clone(), clock, reader, patience: patience(), monitor }
    }

    /// Asks other statements, or another address, from now on.
    pub fn ask(&mut self, address: &str, workers: Option<&str>) {
        self.reader = reader(&self.pool, &self.clock, (address, self.patience), (workers, None));
    }

    /// Another office beside this one.
    pub fn other(&self) -> Reader {
        let asked = (Some(WORKERS), None);
        reader(&self.pool, &self.clock, (&address(&self.pool), self.patience), asked)
    }

    pub async fn run(&self, sql: &'static str) {
        sqlx::raw_sql(sql).execute(&self.pool).await.expect(sql);
    }

    /// These beat now.
    pub async fn beat(&self, names: &[&str]) {
        for name in names {
            let done = sqlx::query(
                "update company.worker set last_heartbeat = (select told from company.time)
                 where name = $1",
            )
            .bind(name)
            .execute(&self.pool)
            .await
            .expect("beaten");
            assert!(done.rows_affected() > 0, "{name}");
        }
    }

    /// Lets time go by in both places, second by second, with somebody looking; these beat each 5 s.
    pub async fn pass(&mut self, seconds: i64, beating: &[&str]) {
        for second in 0..seconds {
            self.clock.advance(TimeDelta::seconds(1));
            self.run("update company.time set told = told + interval '1 s'").await;
            if second % 5 == 0 {
                self.beat(beating).await;
            }
            self.reader.look().await.expect("looked");
            self.monitor.look().await.expect("judged");
        }
    }

    pub async fn condition(&self, name: &str) -> Condition {
        let mut conn = self.pool.acquire().await.expect("a connection");
        let found = workers::one(&mut conn, name, self.clock.now()).await;
        found.expect("read").expect(name).worker.condition
    }

    pub async fn standing(&self) -> Standing {
        let mut conn = self.pool.acquire().await.expect("a connection");
        let standing = registers::standing(&mut conn).await.expect("read");
        standing.expect("somebody looked")
    }

    pub async fn trouble(&self) -> String {
        self.standing().await.trouble.unwrap_or_default()
    }

    pub async fn count(&self, of: &'static str) -> i64 {
        let counted = sqlx::query_scalar(of).fetch_one(&self.pool).await;
        counted.expect("counted")
    }
}

fn reader(
    pool: &PgPool,
    clock: &Arc<ManualClock>,
    (address, patience): (&str, Duration),
    (workers, executions): (Option<&str>, Option<&str>),
) -> Reader {
    Reader::new(
        pool.clone(),
        clock.clone(),
        RegisterConfig {
            url: Secret::new(address),
            workers: workers.map(str::to_owned),
            executions: executions.map(str::to_owned),
            every: Duration::from_secs(5),
        },
        (Duration::from_hours(30 * 24), patience),
    )
}

pub const STAFF: &str = "insert into company.worker (name, last_heartbeat)
    select 'a', told from company.time";

/// One worker, which was heard and beats no more.
pub async fn fallen_silent(pool: &PgPool) -> Company {
    let mut company = Company::open(pool, Some(WORKERS), None).await;
    company.run(STAFF).await;
    company.pass(12, &["a"]).await;
    assert_eq!(company.trouble().await, "");
    company
}
