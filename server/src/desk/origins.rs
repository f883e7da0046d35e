//! Reads vhosts anew before a plan is made, where letters came from queues that no read has shown yet: a queue
//! that was made a moment ago is no claim of a message.

use std::collections::BTreeSet;

use dlo_domain::topology::Map;
use futures_util::future::join_all;

use super::PgDesk;
use crate::store::origins::{self, UnreadPlace};
use crate::store::topology::Place;
use crate::store::{StoreError, shared_time};
use crate::topology::read_now;

/// Vhosts that are read for the sake of one plan.
const MOST_PLACES: usize = 4;

/// Reads what is to be read. What cannot be read is logged, and read later by the watch over queues.
///
/// # Errors
/// Returns an error if it cannot be told which vhosts these are.
pub(super) async fn refresh(desk: &PgDesk) -> Result<(), StoreError> {
    let mut conn = desk.pool.acquire().await?;
    let now = shared_time(&mut conn, &*desk.clock).await?;
    let unread: BTreeSet<UnreadPlace> = origins::unread_places(&mut conn, now).await?;
    drop(conn);
    let reads = unread.iter().take(MOST_PLACES).map(|place| async move {
        let read = tokio::time::timeout(desk.patience.broker, read_one(desk, place)).await;
        match read {
            Ok(Ok(())) => {}
            Ok(Err(why)) => tracing::debug!(%why, ?place, "origins are read later"),
            Err(_) => tracing::debug!(?place, "origins took too long to read, and are read later"),
        }
    });
    join_all(reads).await;
    Ok(())
}

async fn read_one(desk: &PgDesk, place: &UnreadPlace) -> Result<(), StoreError> {
    let place = Place { broker: &place.broker, vhost: &place.vhost };
    let Some(vhost) = read_now(&desk.brokers, place).await else {
        return Ok(());
    };
    let mut transaction = desk.pool.begin().await?;
    origins::note(&mut transaction, place, &Map::of(&vhost)).await?;
    transaction.commit().await?;
    Ok(())
}
