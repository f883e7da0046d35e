//! Vhosts that cannot be read: what is said of them, and for how long what was read of them stays.

use chrono::{DateTime, TimeDelta, Utc};

use super::{Fault, Surveyor};
use crate::broker::{Management, ManagementError};
use crate::store::topology::{self as kept, Place};
use crate::store::{StoreError, shared_time};

/// How long a vhost is kept of which the broker does not tell whether it was deleted or is hidden from us.
const MISSED_FOR: TimeDelta = TimeDelta::days(1);

/// Vhosts that may fail to answer before the broker itself is given up for this time.
const MOST_FAILURES: usize = 3;

/// The vhosts that are not listed and may be there all the same: this user may not see them any more. What is
/// known of them stays.
pub(super) async fn hidden(
    (surveyor, management): (&Surveyor, &Management),
    broker: &str,
    unseen: Vec<(String, Option<DateTime<Utc>>)>,
    now: DateTime<Utc>,
) -> Result<Vec<String>, Fault> {
    let mut hidden = Vec::new();
    for (vhost, since) in unseen {
        let found = management.find_vhost(&vhost).await;
        if matches!(found, Err(ManagementError::Missing))
            && (since.is_some_and(|since| since < now - MISSED_FOR)
                || management.sees_every_vhost().await?)
        {
            continue;
        }
        let place = Place { broker, vhost: &vhost };
        cannot_read(surveyor, place, found.err()).await?;
        hidden.push(vhost);
    }
    Ok(hidden)
}

/// Writes down why a vhost was not read, so that the others are; unless it is the broker's fault, or ours.
/// `failures` counts those that did not answer.
pub(super) async fn excuse(
    (surveyor, management): (&Surveyor, &Management),
    place: Place<'_>,
    why: Fault,
    failures: &mut usize,
) -> Result<(), Fault> {
    match why {
        Fault::Management(why @ ManagementError::Missing) => {
            // Else it was deleted while we looked.
            if management.vhosts().await?.iter().any(|one| one == place.vhost) {
                cannot_read(surveyor, place, Some(why)).await?;
            }
            Ok(())
        }
        Fault::Management(why @ ManagementError::Refused(_)) => {
            cannot_read(surveyor, place, Some(why)).await
        }
        // One that is too large or too slow keeps none of the others from being read.
        why @ (Fault::Management(_) | Fault::Slow) if *failures < MOST_FAILURES => {
            *failures += 1;
            let told = format!("{why}; what was read before is kept, and it is read again");
            set_trouble(surveyor, place, &told).await
        }
        why => Err(why),
    }
}

/// Writes down that a vhost is there and cannot be read. A broker that does not answer is told of
/// otherwise.
async fn cannot_read(
    surveyor: &Surveyor,
    place: Place<'_>,
    why: Option<ManagementError>,
) -> Result<(), Fault> {
    let why = match why {
        Some(ManagementError::Refused(status)) => format!("the management API refuses ({status})"),
        Some(ManagementError::Missing) => {
            "the management API answers that it is not there, as it does of vhosts that its user may not \
             read; if it was not deleted"
                .to_owned()
        }
        Some(why) => return Err(why.into()),
        None => "the management API does not list it".to_owned(),
    };
    let trouble = format!(
        "{why}: give the user of the management API a permission on this vhost, as \
         `rabbitmqctl set_permissions` does"
    );
    set_trouble(surveyor, place, &trouble).await
}

async fn set_trouble(surveyor: &Surveyor, place: Place<'_>, trouble: &str) -> Result<(), Fault> {
    let mut conn = surveyor.pool.acquire().await.map_err(StoreError::from)?;
    let now = shared_time(&mut conn, &*surveyor.clock).await?;
    kept::set_vhost_trouble(&mut conn, place, trouble, now).await?;
    Ok(())
}
