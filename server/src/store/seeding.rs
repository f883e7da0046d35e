//! Letters by the million for benchmarks, made after a few thousand that went the usual way. Each
//! week is filled beside the tables and joined to them when it is full, so that indexes are built
//! once and no trigger runs; counters are computed from the letters at the end.

use chrono::{DateTime, Utc};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

use super::StoreError;
use super::groups::totals;
use super::weeks::{TABLES, Week, first_id, options};

/// Which letters: numbers from 0, spread evenly over a time.
#[derive(Debug, Clone, Copy)]
pub struct Span {
    /// How many.
    pub letters: i64,
    /// The time of the first.
    pub from: DateTime<Utc>,
    /// The end of the time of the last.
    pub until: DateTime<Utc>,
    /// How many patterns there are.
    pub patterns: i64,
    /// Leave out what lists, groups and text searches do not read: arrivals with their bodies, and
    /// the JSON of extracts. It is half of the disk.
    pub without_bodies: bool,
    /// What stands for the letter's own number in the patterns.
    pub marker: &'static str,
}

impl Span {
    /// The weeks that it touches.
    #[must_use]
    pub fn weeks(&self) -> Vec<Week> {
        let last = Week::of(self.until);
        std::iter::successors(Some(Week::of(self.from)), |week| Some(week.next()))
            .take_while(|week| *week <= last)
            .collect()
    }

    /// The numbers of the letters of a week: the first, and the first of later weeks.
    fn numbers(&self, week: Week) -> (i64, i64) {
        let span = self.until - self.from;
        let number_at = |time: DateTime<Utc>| {
            let share = i128::from((time - self.from).num_milliseconds());
            let number = share * i128::from(self.letters) / i128::from(span.num_milliseconds());
            // Rounded up, so that no letter is older than its week.
            i64::try_from(number + 1).map_or(self.letters, |n| n.clamp(0, self.letters))
        };
        let first = if week.begin() <= self.from { 0 } else { number_at(week.begin()) };
        let end = if week.end() >= self.until { self.letters } else { number_at(week.end()) };
        (first, end)
    }
}

/// Whether any letter is there.
///
/// # Errors
/// When Postgres does not do it.
pub async fn has_letters(conn: &mut PgConnection) -> Result<bool, StoreError> {
    let found = sqlx::query_scalar!(r#"select exists (select from letters) as "found!""#)
        .fetch_one(conn)
        .await?;
    Ok(found)
}

/// Removes every source, letter, group and replay.
///
/// # Errors
/// When Postgres does not do it.
pub async fn remove_everything(conn: &mut PgConnection) -> Result<(), StoreError> {
    run(
        conn,
        "truncate sources, letters, arrivals, extracts, texts, unindexed_letters, letter_counts, death_counts,
         signature_totals, signature_changes, signature_hours, signature_slots,
         queue_deaths, groups, signatures, alert_arrivals, alert_waiting,
         replays, replay_items, audit cascade",
    )
    .await
}

/// Takes the letters that are there as patterns, and removes them.
///
/// # Errors
/// When Postgres does not do it.
pub async fn take_patterns(conn: &mut PgConnection) -> Result<i64, StoreError> {
    run(conn, PATTERNS).await?;
    let patterns: i64 =
        sqlx::query_scalar("select count(*) from seed_patterns").fetch_one(conn).await?;
    Ok(patterns)
}

// A group's severity is a matter of rules; here every pattern has one of its own.
const PATTERNS: &str = "
    drop table if exists seed_patterns;
    create unlogged table seed_patterns as
    select row_number() over (order by l.id) - 1 as n, l.source_id, l.queue, l.exchange,
        l.routing_key, l.reason, l.told_by, l.error_class, l.error_message, l.message_type,
        l.signature, a.exchange as dead_exchange, a.routing_key as dead_key, a.properties,
        a.headers, a.deaths, convert_from(a.body, 'UTF8') as body,
        x.text, x.excerpt_bytes, piece.text as indexed, piece.is_whole, x.headers as plain, x.body as document, x.body_is_json,
        case hashint8(('x' || left(encode(l.signature, 'hex'), 8))::bit(32)::bigint) & 63
            when 0 then 'critical' when 1 then 'critical'
            when 2 then 'low' when 3 then 'low' when 4 then 'low' when 5 then 'low'
            when 6 then 'high' when 7 then 'high' when 8 then 'high' when 9 then 'high'
            when 10 then 'high' when 11 then 'high' when 12 then 'high' when 13 then 'high'
            else 'normal' end as severity
    from letters l
    join arrivals a on a.letter_id = l.id
    join extracts x on x.letter_id = l.id
    cross join lateral indexed_text(
        x.headers, x.text, l.error_message, a.body, x.excerpt_bytes, true, 1024) as piece;
    analyze seed_patterns;
    truncate letters, arrivals, extracts, texts, unindexed_letters, letter_counts, death_counts, signature_changes,
        signature_totals, signature_hours, signature_slots, queue_deaths";

/// What each letter is, by its number alone: run again, the same letters come out.
const MADE_UP: &str = "
    select m.id, m.g, m.at, m.again,
        case when m.again then least(m.at + (hashint8(m.g) & 262143) * interval '1 s', '{until}')
             else m.at end as last_at,
        case when m.fate < 560 then 'held' when m.fate < 820 then 'resolved'
             when m.fate < 1020 then 'discarded' else 'unknown' end as state,
        m.own, t.*
    from (
        select g, to_timestamp(ms / 1000.0::float8) as at,
            (lpad(to_hex(ms), 12, '0') || '7' || substr(hash, 14, 3) || '8' || substr(hash, 18))::uuid
                as id,
            hashint8extended(g, 2) & 31 = 0 as again,
            hashint8extended(g, 3) & 1023 as fate,
            (100000000 + g)::text as own,
            -- few patterns are frequent, most are rare
            floor({patterns} * power((hashint8extended(g, 1) & 4294967295) / 4294967296.0::float8, 3))
                ::bigint as pattern
        from (
            select g, {from_ms} + g * {span_ms} / {letters} as ms, md5(g::text) as hash
            from generate_series({first}::bigint, {end}::bigint - 1) as g offset 0) as numbered
        offset 0) as m
    join seed_patterns t on t.n = m.pattern";

const LETTERS: &str = "
    insert into {letters_part}
        (id, source_id, state, severity, queue, exchange, routing_key, reason, told_by, error_class,
         error_message, message_type, message_id, size_bytes, arrivals, replays, first_arrived_at,
         last_arrived_at, discard_reason, state_since, signature)
    select id, source_id, state, severity, queue, exchange, routing_key, reason, told_by, error_class,
        replace(error_message, '{marker}', own), message_type, null, octet_length(body),
        1 + again::int, again::int, at, last_at,
        case when state = 'discarded' then 'made up' end,
        least(last_at + (hashint8(g) & 65535) * interval '1 s', '{until}'), signature
    from ({made_up}) as made_up";

const ARRIVALS: &str = "
    insert into {arrivals_part}
        (letter_id, ordinal, arrived_at, source_id, exchange, routing_key, properties, headers,
         deaths, body, body_sha256)
    select id, ordinal, case ordinal when 1 then at else last_at end, source_id, dead_exchange,
        dead_key, properties, headers, deaths, own_body, sha256(own_body)
    from (
        select *, convert_to(replace(body, '{marker}', own), 'UTF8') as own_body
        from ({made_up}) as made_up offset 0) as with_body
    cross join lateral (select 1 as ordinal union all select 2 where again) as ordinals";

const EXTRACTS: &str = "
    insert into {extracts_part} (letter_id, text, headers, body, body_is_json, excerpt_bytes)
    select id, replace(text, '{marker}', own), {headers},
        {body}, {is_json}, excerpt_bytes
    from ({made_up}) as made_up";

const TEXTS: &str = "
    insert into {texts_part} (letter_id, text, is_whole)
    select id, replace(indexed, '{marker}', own), is_whole from ({made_up}) as made_up";

/// Makes a week's letters, arrivals, extracts and texts, in tables that belong to nothing yet. Tells how
/// many letters.
///
/// # Errors
/// When Postgres does not do it.
pub async fn fill(conn: &mut PgConnection, span: &Span, week: Week) -> Result<i64, StoreError> {
    let (first, end) = span.numbers(week);
    let from_ms = span.from.timestamp_millis();
    let span_ms = span.until.timestamp_millis() - from_ms;
    // Texts and numbers of our own, down to the last character.
    let made_up = [
        ("{until}", span.until.to_rfc3339()),
        ("{patterns}", span.patterns.to_string()),
        ("{from_ms}", from_ms.to_string()),
        ("{span_ms}", span_ms.to_string()),
        ("{letters}", span.letters.to_string()),
        ("{first}", first.to_string()),
        ("{end}", end.to_string()),
    ]
    .into_iter()
    .fold(MADE_UP.to_owned(), |sql, (name, value)| sql.replace(name, &value));
    // Tables that are made in the same transaction can do without the log, if the server is set so.
    let mut transaction = conn.begin().await?;
    run(
        &mut transaction,
        "set local work_mem = '128MB'; set local max_parallel_workers_per_gather = 0",
    )
    .await?;
    for (table, filling) in TABLES.into_iter().zip([LETTERS, ARRIVALS, EXTRACTS, TEXTS]) {
        let part = week.part_of(table);
        run(
            &mut transaction,
            &format!(
                "drop table if exists {part};
                 create table {part} (like {table} including defaults including constraints
                     including generated including storage including compression) {}",
                options(table)
            ),
        )
        .await?;
        if span.without_bodies && table == "arrivals" {
            continue;
        }
        let (headers, body, is_json) = if span.without_bodies {
            ("'{}'::jsonb", "null::jsonb", "false")
        } else {
            (
                "replace(plain::text, '{marker}', own)::jsonb",
                "jsonb_set(document, array['order'], own::jsonb)",
                "body_is_json",
            )
        };
        let filling = filling
            .replace("{headers}", headers)
            .replace("{body}", body)
            .replace("{is_json}", is_json)
            .replace("{made_up}", &made_up)
            .replace(&format!("{{{table}_part}}"), &part)
            .replace("{until}", &span.until.to_rfc3339())
            .replace("{marker}", span.marker);
        run(&mut transaction, &filling).await?;
    }
    transaction.commit().await?;
    Ok(end - first)
}

/// Builds the indexes of a table on a week's part, before it is joined to the table: several weeks
/// can be at it at once.
///
/// # Errors
/// When Postgres does not do it.
pub async fn index(conn: &mut PgConnection, table: &str, week: Week) -> Result<(), StoreError> {
    let indexing = INDEXING.replace("{table}", table).replace("{part}", &week.part_of(table));
    run(conn, &indexing).await
}

const INDEXING: &str = r"
    set maintenance_work_mem = '512MB';
    do $$
    declare
        statement text;
    begin
        for statement in
            select regexp_replace(pg_get_indexdef(indexrelid), ' INDEX \S+ ON ONLY \S+ ',
                ' INDEX ON {part} ')
            from pg_index where indrelid = '{table}'::regclass and not indisprimary
            union all
            select 'alter table {part} add ' || pg_get_constraintdef(oid)
            from pg_constraint where conrelid = '{table}'::regclass and contype = 'p'
        loop
            execute statement;
        end loop;
    end
    $$";

/// Joins a week's part to its table.
///
/// # Errors
/// When Postgres does not do it.
pub async fn attach(conn: &mut PgConnection, table: &str, week: Week) -> Result<(), StoreError> {
    let part = week.part_of(table);
    let (first, end) = (first_id(week.begin()), first_id(week.end()));
    let attach = format!(
        "alter table {table} attach partition {part} for values from ('{first}') to ('{end}')"
    );
    run(conn, &attach).await
}

/// The tables that are cut into weeks; the last one has the dear index.
#[must_use]
pub fn tables() -> [&'static str; 4] {
    TABLES
}

/// Computes every counter from the letters, and gives the signatures a letter to show.
///
/// # Errors
/// When Postgres does not do it.
pub async fn count_again(conn: &mut PgConnection) -> Result<(), StoreError> {
    run(conn, COUNTERS).await?;
    let groups = sqlx::query_scalar!("select id from groups").fetch_all(&mut *conn).await?;
    totals::sum_up(conn, &groups).await
}

const COUNTERS: &str = "
    set work_mem = '256MB';
    truncate letter_counts, death_counts, signature_changes, signature_totals, signature_hours,
        signature_slots, queue_deaths;
    insert into signature_totals (signature, state, severity, letters, arrivals, last_arrived_at)
    select signature, state, severity, count(*), sum(arrivals), max(last_arrived_at)
    from letters group by signature, state, severity;
    insert into letter_counts (source_id, state, severity, letters)
    select source_id, state, severity, count(*) from letters group by source_id, state, severity;
    create temp table seed_arrivals as
    select l.signature, date_trunc('minute', a.at, 'UTC') as minute, l.severity, count(*) as arrivals
    from letters l
    cross join lateral (
        select l.first_arrived_at as at union all
        select l.last_arrived_at where l.arrivals = 2) as a
    group by 1, 2, 3;
    insert into death_counts (minute, severity, arrivals)
    select minute, severity, sum(arrivals) from seed_arrivals group by minute, severity;
    insert into signature_hours (signature, hour, arrivals)
    select signature, date_trunc('hour', minute, 'UTC'), sum(arrivals)
    from seed_arrivals group by 1, 2;
    drop table seed_arrivals;
    update signatures s
    set sample_letter_id = l.id, first_seen_at = f.at
    from (select signature, max(last_arrived_at) as newest, min(first_arrived_at) as at
          from letters group by signature) as f
    join letters l on l.signature = f.signature and l.last_arrived_at = f.newest
    where s.id = f.signature;
    update sources s
    set last_arrived_at = (select max(last_arrived_at) from letters l where l.source_id = s.id);
    drop table seed_patterns";

/// Lets Postgres know what is in the tables, as its autovacuum would in time.
///
/// # Errors
/// When Postgres does not do it.
pub async fn tidy(conn: &mut PgConnection) -> Result<(), StoreError> {
    for table in TABLES.into_iter().chain([
        "letter_counts",
        "death_counts",
        "signatures",
        "signature_totals",
        "signature_hours",
        "groups",
        "group_totals",
    ]) {
        // Nothing else may stand beside it.
        run(conn, &format!("vacuum analyze {table}")).await?;
    }
    Ok(())
}

/// A table and its indexes, with their sizes in bytes, the parts of all weeks together.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct Size {
    /// The table or index.
    pub name: String,
    /// Whether it is an index.
    pub is_index: bool,
    /// Its size.
    pub bytes: i64,
}

impl std::fmt::Display for Size {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = if self.is_index { "index" } else { "table" };
        write!(f, "{:>8} MB  {kind} {}", self.bytes / 1_000_000, self.name)
    }
}

/// What the letters take up on disk.
///
/// # Errors
/// When Postgres does not do it.
pub async fn sizes(conn: &mut PgConnection) -> Result<Vec<Size>, StoreError> {
    let sizes = sqlx::query_as(
        "select c.relname::text as name, c.relkind = 'I' as is_index,
             (select sum(pg_table_size(part.relid))::bigint
              from pg_partition_tree(c.oid) as part where part.isleaf) as bytes
         from pg_class c
         where c.relkind in ('p', 'I')
         order by 2, 3 desc",
    )
    .fetch_all(conn)
    .await?;
    Ok(sizes)
}

async fn run(conn: &mut PgConnection, sql: &str) -> Result<(), StoreError> {
    sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(conn).await?;
    Ok(())
}
