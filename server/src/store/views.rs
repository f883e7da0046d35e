//! Saved views.

use chrono::{DateTime, Utc};
use dlo_domain::ids::ViewId;
use dlo_domain::view::{NewView, View};
use sqlx::PgConnection;
use uuid::Uuid;

use super::StoreError;

/// The views that this owner sees: their own and the shared ones, by name.
///
/// # Errors
/// When Postgres does not answer.
pub async fn seen_by(conn: &mut PgConnection, owner: &str) -> Result<Vec<View>, StoreError> {
    let rows = sqlx::query!(
        "select id, owner, name, filter, shared, created_at from views
         where shared or owner = $1
         order by lower(name), owner",
        owner
    )
    .fetch_all(conn)
    .await?;
    let views = rows.into_iter().map(|row| View {
        id: ViewId(row.id),
        name: row.name,
        filter: row.filter,
        owner: row.owner,
        shared: row.shared,
        created_at: row.created_at,
    });
    Ok(views.collect())
}

/// How many views an owner has.
///
/// # Errors
/// When Postgres does not answer.
pub async fn count_of(conn: &mut PgConnection, owner: &str) -> Result<i64, StoreError> {
    let count =
        sqlx::query_scalar!(r#"select count(*) as "count!" from views where owner = $1"#, owner)
            .fetch_one(conn)
            .await?;
    Ok(count)
}

/// Saves a view, in the place of the owner's own one of that name, whose id stays.
///
/// # Errors
/// When Postgres does not do it.
pub async fn put(
    conn: &mut PgConnection,
    id: Uuid,
    owner: &str,
    view: &NewView,
    now: DateTime<Utc>,
) -> Result<View, StoreError> {
    let row = sqlx::query!(
        "insert into views (id, owner, name, filter, shared, created_at)
         values ($1, $2, $3, $4, $5, $6)
         on conflict (owner, name) do update
         set filter = excluded.filter, shared = excluded.shared
         returning id, created_at",
        id,
        owner,
        view.name,
        view.filter,
        view.shared,
        now
    )
    .fetch_one(conn)
    .await?;
    Ok(View {
        id: ViewId(row.id),
        name: view.name.clone(),
        filter: view.filter.clone(),
        owner: owner.to_owned(),
        shared: view.shared,
        created_at: row.created_at,
    })
}

/// Removes an owner's view; `false` when they have none of that id.
///
/// # Errors
/// When Postgres does not do it.
pub async fn remove(conn: &mut PgConnection, id: ViewId, owner: &str) -> Result<bool, StoreError> {
    let done = sqlx::query!("delete from views where id = $1 and owner = $2", id.0, owner)
        .execute(conn)
        .await?;
    Ok(done.rows_affected() == 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlx::PgPool;

    fn view(name: &str, filter: &str, shared: bool) -> NewView {
        NewView { name: name.into(), filter: filter.into(), shared }
    }

    #[sqlx::test(migrator = "crate::store::MIGRATOR")]
    async fn views_are_their_owners_or_everybodys(pool: PgPool) {
        let mut conn = pool.acquire().await.expect("a connection");
        let now = DateTime::UNIX_EPOCH;
        let saved = [
            (1, "ann", view("b", "state:held", false)),
            (2, "ann", view("a", "", true)),
            (3, "bob", view("b", "queue:x", false)),
            (4, "ann", view("b", "state:unknown", false)),
        ];
        for (id, owner, new) in &saved {
            let id = Uuid::from_u128(*id);
            put(&mut conn, id, owner, new, now).await.expect("saved");
        }
        let seen = |views: Vec<View>| -> Vec<String> {
            views.into_iter().map(|view| view.filter).collect()
        };
        let ann = seen_by(&mut conn, "ann").await.expect("views");
        assert_eq!(ann[1].id, ViewId(Uuid::from_u128(1)), "its id stays");
        assert_eq!(seen(ann), ["", "state:unknown"]);
        assert_eq!(seen(seen_by(&mut conn, "bob").await.expect("views")), ["", "queue:x"]);
        let shared = ViewId(Uuid::from_u128(2));
        assert!(!remove(&mut conn, shared, "bob").await.expect("asked"));
        assert!(remove(&mut conn, shared, "ann").await.expect("removed"));
        assert_eq!(count_of(&mut conn, "ann").await.expect("counted"), 1);
    }
}
