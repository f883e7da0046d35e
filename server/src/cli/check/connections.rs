//! Tries everything that the configuration names, with the rights that an office needs.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt;

use dlo_domain::source::SourceMode;

use crate::broker::rights::{self, Wishes};
use crate::broker::{BrokerAddress, ManagementError};
use crate::config::Config;
use crate::store;

/// Something that was tried, and what stands against it.
pub(super) struct Tried {
    what: String,
    /// Sentences; none when it is well.
    pub(super) obstacles: Vec<String>,
}

impl fmt::Display for Tried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.obstacles.as_slice() {
            [] => write!(f, "{}: answers", self.what),
            [one] => write!(f, "{}: {one}", self.what),
            many => {
                write!(f, "{}:", self.what)?;
                many.iter().try_for_each(|one| write!(f, "\n  - {one}"))
            }
        }
    }
}

impl Tried {
    fn of<E: Error + 'static>(what: impl Into<String>, tried: Result<Vec<String>, E>) -> Self {
        Self { what: what.into(), obstacles: tried.unwrap_or_else(|why| vec![in_words(&why)]) }
    }
}

/// Tries the database, the register, and each broker with its management API.
pub(super) async fn try_all(config: &Config) -> Vec<Tried> {
    let database = store::fitness::obstacles(config.database.url.expose()).await;
    let mut tried = vec![Tried::of("the database", database)];
    if let Some(register) = &config.register {
        let reached = store::reach(register.url.expose()).await;
        tried.push(Tried::of("the register", reached.map(|()| Vec::new())));
    }
    for (name, address) in &config.brokers.0 {
        for (vhost, wishes) in wishes(config, name) {
            let asked = rights::obstacles(&config.brokers, name, &vhost, &wishes).await;
            let what = format!("the broker `{name}`, vhost `{vhost}`");
            tried.push(Tried::of(what, asked));
        }
        if address.management.is_some() {
            let asked = management(address).await.map(|()| Vec::new());
            tried.push(Tried::of(format!("the management of `{name}`"), asked));
        }
    }
    tried
}

/// What an office wants of each vhost of a broker: of those that sources are in, and of the one that its
/// address names, where heartbeats are heard.
fn wishes(config: &Config, broker: &str) -> BTreeMap<String, Wishes> {
    let heartbeats = config.fleet.heartbeats;
    let sources = config.sources.iter();
    let sources: Vec<_> = sources.filter(|one| one.broker_name() == broker).collect();
    let mut vhosts: BTreeSet<String> = sources.iter().map(|one| one.vhost.clone()).collect();
    if vhosts.is_empty() || heartbeats {
        // It was read once already.
        vhosts.extend(config.brokers.vhost(broker).ok());
    }
    let wishes_of = |vhost: String| {
        let here = sources.iter().filter(|one| one.vhost == vhost);
        let mirrors = here.clone().any(|one| one.mode == SourceMode::Mirror);
        let takes = config.intake.enabled && here.clone().next().is_some();
        let declares = match (heartbeats, mirrors, takes) {
            (true, ..) => Some("heartbeats as messages (DLO_FLEET_HEARTBEATS)"),
            (false, true, _) => Some("sources that are mirrored"),
            (false, false, true) => {
                Some("receipts, or a crash stores letters twice that were being acknowledged")
            }
            (false, false, false) => None,
        };
        let wishes = Wishes {
            reads: here.map(|one| one.queue.clone()).collect(),
            publishes: config.replay.enabled,
            declares,
        };
        (vhost, wishes)
    };
    vhosts.into_iter().map(wishes_of).collect()
}

async fn management(address: &BrokerAddress) -> Result<(), ManagementError> {
    address.management()?.ping().await
}

/// What happened, with its last cause: a failure of TLS lies below one of the connection.
fn in_words(why: &(dyn Error + 'static)) -> String {
    let mut words = why.to_string();
    let mut cause = why;
    while let Some(next) = cause.source() {
        cause = next;
    }
    let last = cause.to_string();
    if !words.contains(&last) {
        words = format!("{words} ({last})");
    }
    if words.contains("certificate") {
        words.push_str(
            "; an authority of your own is named with SSL_CERT_FILE, or for Postgres with \
             sslrootcert in its address",
        );
    }
    words
}
