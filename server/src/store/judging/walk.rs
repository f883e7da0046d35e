//! The letters of the walk, newest first, and what it changes of them.

use dlo_domain::grouping::SignatureId;
use dlo_domain::ids::LetterId;
use dlo_domain::severity::Severity;
use sqlx::PgConnection;
use uuid::Uuid;

use super::Walk;
use crate::store::StoreError;

/// Letters that the walk comes to next.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Window {
    /// Those that are to be judged.
    pub letters: Vec<LetterId>,
    /// The last one that was looked at; none when there are no more.
    pub cursor: Option<LetterId>,
    /// How many were looked at.
    pub looked_at: i64,
}

/// At most `most` letters after the cursor, fewer when their bodies together have more than
/// `most_bytes`. A letter's id begins with the time of its first arrival, so the newest come first
/// and none moves.
///
/// # Errors
/// When Postgres does not do it.
pub async fn window(
    conn: &mut PgConnection,
    walk: Walk,
    most: i64,
    most_bytes: i64,
) -> Result<Window, StoreError> {
    let rows = sqlx::query!(
        r#"select id, size_bytes,
               state not in ('resolved', 'discarded') as "is_open!"
           from letters where id < $1 order by id desc limit $2"#,
        walk.cursor.map_or(Uuid::max(), |id| id.0),
        most,
    )
    .fetch_all(conn)
    .await?;
    let mut window = Window::default();
    let mut bytes = 0;
    for row in rows {
        let is_judged = walk.due.signature || row.is_open;
        if is_judged {
            bytes += row.size_bytes;
            if bytes > most_bytes && !window.letters.is_empty() {
                break;
            }
            window.letters.push(LetterId(row.id));
        }
        window.cursor = Some(LetterId(row.id));
        window.looked_at += 1;
    }
    Ok(window)
}

/// What a letter is now held to be.
#[derive(Debug, Clone, Copy)]
pub struct Ruling {
    /// The letter.
    pub letter: LetterId,
    /// How often it had arrived when it was judged.
    pub arrivals: i32,
    /// How bad it is.
    pub severity: Severity,
    /// Its signature; none leaves what it has.
    pub signature: Option<SignatureId>,
}

/// Writes rulings down, and returns the letters that were changed. A letter that died again since
/// was judged again then, and stays; one that is resolved or discarded keeps its severity.
///
/// Whoever changes letters goes first: when one is not to be had soon, this gives up.
///
/// # Errors
/// When Postgres does not do it: then the transaction must be given up.
pub async fn rejudge(
    conn: &mut PgConnection,
    rulings: &[Ruling],
) -> Result<Vec<LetterId>, StoreError> {
    if rulings.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<Uuid> = rulings.iter().map(|one| one.letter.0).collect();
    let arrivals: Vec<i32> = rulings.iter().map(|one| one.arrivals).collect();
    let severities: Vec<String> = rulings.iter().map(|one| one.severity.to_string()).collect();
    let signatures: Vec<Option<&[u8]>> =
        rulings.iter().map(|one| one.signature.as_ref().map(|id| &id.0[..])).collect();
    sqlx::query!("select id from letters where id = any($1) order by id for update", &ids)
        .fetch_all(&mut *conn)
        .await?;
    let changed = sqlx::query_scalar!(
        "update letters as l
         set severity = case when l.state in ('resolved', 'discarded') then l.severity
                 else ruling.severity end,
             signature = coalesce(ruling.signature, l.signature)
         from unnest($1::uuid[], $2::integer[], $3::text[], $4::bytea[])
             as ruling (id, arrivals, severity, signature)
         where l.id = any($1) and l.id = ruling.id and l.arrivals = ruling.arrivals
             and (l.severity <> ruling.severity and l.state not in ('resolved', 'discarded')
                  or ruling.signature is distinct from l.signature
                     and ruling.signature is not null)
         returning l.id",
        &ids,
        &arrivals,
        &severities,
        &signatures as &[Option<&[u8]>],
    )
    .fetch_all(conn)
    .await?;
    Ok(changed.into_iter().map(LetterId).collect())
}

/// Has the statements of this transaction wait for nobody for long.
///
/// # Errors
/// When Postgres does not do it.
pub async fn give_way(conn: &mut PgConnection) -> Result<(), StoreError> {
    // Shorter than the time after which Postgres looks for a ring of waits.
    sqlx::query!("select set_config('lock_timeout', '250ms', true)").fetch_one(conn).await?;
    Ok(())
}
