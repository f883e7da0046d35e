//! A vhost that is read for somebody who needs it now. Nothing of it is kept.

use dlo_domain::topology::{self, Vhost};

use crate::broker::{Brokers, ManagementError};
use crate::store::topology::Place;

/// The vhost as it is now; `None` if no management API is configured, or it does not answer.
pub(crate) async fn read_now(brokers: &Brokers, place: Place<'_>) -> Option<Vhost> {
    let reading = async {
        let management = brokers.management(place.broker)?;
        let overview = management.overview().await?;
        management.survey(place.vhost, &overview).await
    };
    let unknown = |why: &ManagementError| tracing::debug!(%why, ?place, "a vhost was not read");
    Some(topology::read_now(&reading.await.inspect_err(unknown).ok()?))
}
