//! The values that letters have, for the completion of filters.

use dlo_domain::filter::{Field, KnownValues, MOST_LOOKED_AT, ValueTally};
use sqlx::PgConnection;

use super::{StoreError, overview};

/// Workers that are told.
const MOST_WORKERS: i64 = 200;

/// The values: as counters have them, else those of the newest letters. Queues that letters died in before, and
/// workers, are known without letters, too.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn read(conn: &mut PgConnection) -> Result<KnownValues, StoreError> {
    let counted = counted(conn).await?.into_fields(None);
    let (newest, mut tally) = of_newest(conn).await?;
    for queue in overview::queues(conn).await? {
        tally.add(Field::Queue, Some(&queue), 0);
        tally.add(Field::DeathQueue, Some(&queue), 0);
    }
    let workers =
        sqlx::query!("select name, queue from workers order by name limit $1", MOST_WORKERS)
            .fetch_all(conn)
            .await?;
    for worker in workers {
        let letters = worker.queue.map_or(0, |queue| tally.letters(Field::Queue, &queue));
        tally.add(Field::Worker, Some(&worker.name), letters);
    }
    let of_newest = tally.into_fields((newest == MOST_LOOKED_AT).then_some(newest));
    Ok(KnownValues(counted.into_iter().chain(of_newest).collect()))
}

async fn counted(conn: &mut PgConnection) -> Result<ValueTally, StoreError> {
    let rows = sqlx::query!(
        r#"select s.name, c.state, c.severity, sum(c.letters)::bigint as "letters!"
           from letter_counts c join sources s on s.id = c.source_id
           group by s.name, c.state, c.severity"#
    )
    .fetch_all(conn)
    .await?;
    let mut tally = ValueTally::default();
    for row in rows {
        tally.add(Field::Source, Some(&row.name), row.letters);
        tally.add(Field::State, Some(&row.state), row.letters);
        tally.add(Field::Severity, Some(&row.severity), row.letters);
    }
    Ok(tally)
}

/// How many letters were looked at, and their values.
async fn of_newest(conn: &mut PgConnection) -> Result<(i64, ValueTally), StoreError> {
    let rows = sqlx::query!(
        r#"select l.reason, l.queue, l.exchange, l.routing_key, l.error_class, l.message_type,
               o.id as "group?", left(o.title, 200) as title
           from (select reason, queue, exchange, routing_key, error_class, message_type, signature
                 from letters order by last_arrived_at desc, id desc limit $1) as l
           left join signatures g on g.id = l.signature
           left join groups o on o.id = g.group_id"#,
        MOST_LOOKED_AT
    )
    .fetch_all(conn)
    .await?;
    let mut tally = ValueTally::default();
    for row in &rows {
        for (field, value) in [
            (Field::Reason, row.reason.as_ref()),
            (Field::Queue, row.queue.as_ref()),
            (Field::Exchange, row.exchange.as_ref()),
            (Field::RoutingKey, row.routing_key.as_ref()),
            (Field::ErrorClass, row.error_class.as_ref()),
            (Field::MessageType, row.message_type.as_ref()),
        ] {
            tally.add(field, value.map(String::as_str), 1);
        }
        let group = row.group.map(|id| id.to_string());
        tally.add_named(
            Field::Group,
            group.as_deref(),
            row.title.as_deref().unwrap_or_default(),
            1,
        );
    }
    Ok((i64::try_from(rows.len()).unwrap_or(i64::MAX), tally))
}
