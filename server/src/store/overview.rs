//! The figures of the first page, and the choices of the filter form.

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::ids::ReplayId;
use dlo_domain::overview::{DeathBar, ReplayMark, Span};
use dlo_domain::severity::Severity;
use dlo_domain::state::LetterState;
use sqlx::PgConnection;

use super::StoreError;
use super::decisions::read_state;

/// Letters by state and severity, from the counters.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn standing(
    conn: &mut PgConnection,
) -> Result<Vec<(LetterState, Severity, i64)>, StoreError> {
    let rows = sqlx::query!(
        r#"select state, severity, sum(letters)::bigint as "letters!"
           from letter_counts where state in ('held', 'unknown')
           group by state, severity"#
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|row| Ok((read_state(&row.state)?, read_severity(&row.severity)?, row.letters)))
        .collect()
}

fn read_severity(word: &str) -> Result<Severity, StoreError> {
    word.parse().map_err(|why| StoreError::corrupt("letters", "severity", why))
}

/// Arrivals over the span, one bar after the other, those without any included. The last bar is
/// the one that `now` falls into.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn deaths(
    conn: &mut PgConnection,
    span: Span,
    now: DateTime<Utc>,
) -> Result<Vec<DeathBar>, StoreError> {
    let width = span.bucket_seconds();
    let bars = span.seconds() / width;
    let last = now.timestamp().div_euclid(width) * width;
    let first = last - (bars - 1) * width;
    let begin = DateTime::from_timestamp(first, 0).unwrap_or(now);
    let rows = sqlx::query!(
        r#"select floor(extract(epoch from minute - $1) / $2::bigint)::bigint as "bar!", severity,
                  sum(arrivals)::bigint as "arrivals!"
           from death_counts where minute >= $1
           group by 1, 2"#,
        begin,
        width
    )
    .fetch_all(conn)
    .await?;
    let mut out: Vec<DeathBar> = (0..bars)
        .map(|bar| DeathBar { from: begin + TimeDelta::seconds(bar * width), counts: [0; 4] })
        .collect();
    for row in rows {
        let severity = read_severity(&row.severity)?;
        let place = Severity::ALL.iter().position(|one| *one == severity);
        // A minute after the last bar is one that another office's clock is ahead by.
        let bar = usize::try_from(row.bar.min(bars - 1)).unwrap_or_default();
        if let (Some(bar), Some(place)) = (out.get_mut(bar), place) {
            bar.counts[place] += row.arrivals;
        }
    }
    Ok(out)
}

/// The replays that began since a time, oldest first, the last hundred.
///
/// # Errors
/// When Postgres does not do it.
pub async fn replays(
    conn: &mut PgConnection,
    since: DateTime<Utc>,
) -> Result<Vec<ReplayMark>, StoreError> {
    let rows = sqlx::query!(
        "select id, created_at, total from replays
         where created_at >= $1 and total > 0 order by created_at desc, id desc limit 100",
        since
    )
    .fetch_all(conn)
    .await?;
    let marks = rows.into_iter().rev().map(|row| ReplayMark {
        id: ReplayId(row.id),
        at: row.created_at,
        letters: row.total,
    });
    Ok(marks.collect())
}

/// The names of all sources, those that were removed included.
///
/// # Errors
/// Returns an error if the query fails.
pub async fn sources(conn: &mut PgConnection) -> Result<Vec<String>, StoreError> {
    let sources = sqlx::query_scalar!("select distinct name from sources order by name")
        .fetch_all(conn)
        .await?;
    Ok(sources)
}

/// The queues that letters died in, the first 200 by name. They are found by hopping through their index, whatever the
/// number of letters: that takes longer, the more weeks there are.
///
/// # Errors
/// When Postgres does not do it.
pub async fn queues(conn: &mut PgConnection) -> Result<Vec<String>, StoreError> {
    let queues = sqlx::query_scalar!(
        r#"with recursive hop as (
               (select queue from letters where queue is not null order by queue limit 1)
               union all
               select (select l.queue from letters l where l.queue > hop.queue
                       order by l.queue limit 1)
               from hop where hop.queue is not null
           )
           select queue as "queue!" from hop where queue is not null limit 200"#
    )
    .fetch_all(conn)
    .await?;
    Ok(queues)
}
