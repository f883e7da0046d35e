//! Dead-letter queues that are no sources yet, in what was last read of the brokers. No broker is asked.

use std::collections::BTreeSet;

use dlo_app::desk::{DeskError, TopologyDesk as _};
use dlo_domain::topology::{Discover, Discovery, Map, VhostTopology};

use super::place_of;
use crate::desk::PgDesk;
use crate::store::sources;
use crate::store::topology::{self as kept, depths};

pub(super) async fn discover(desk: &PgDesk, asked: &Discover) -> Result<Discovery, DeskError> {
    if let Some(broker) = &asked.broker {
        let known = desk.brokers.get(broker);
        known.map_err(|why| DeskError::Invalid(why.to_string()))?;
    }
    let mut brokers = desk.brokers().await?;
    // Queues of a broker that only another office names cannot be watched from here.
    brokers
        .retain(|one| desk.brokers.0.contains_key(&one.broker) && asked.means_broker(&one.broker));
    let mut discovery = Discovery::begin(asked, &brokers);
    let mut vhosts: Vec<VhostTopology> = Vec::new();
    for broker in brokers {
        vhosts.extend(broker.vhosts);
    }
    vhosts.retain(|one| asked.means_vhost(&one.vhost));
    let mut conn = desk.connection().await?;
    let watched = sources::watched(&mut conn).await?;
    let worked = depths::of_workers(&mut conn).await?.named;
    for place in &vhosts {
        let Some(read) = kept::one(&mut conn, place_of(place)).await? else {
            continue;
        };
        let here: BTreeSet<&str> = watched
            .iter()
            .filter(|one| one.broker == place.broker && one.vhost == place.vhost)
            .map(|one| one.queue.as_str())
            .collect();
        let map = Map::with_workers(&read.vhost, &worked);
        discovery.look(&map, (&place.broker, &place.vhost), |queue| here.contains(queue));
    }
    Ok(discovery)
}
