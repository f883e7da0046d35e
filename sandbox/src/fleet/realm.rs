//! The vhosts that the company works in. Most of it shares one; the sales department, which came
//! with an acquisition, has its own. Must not know what is in them.

use super::topology;
use super::{FleetError, FleetSource};
use crate::http_client::http_client;
use lapin::uri::AMQPUri;
use std::time::Duration;

/// The vhost of the sales department.
const SALES_VHOST: &str = "sales";
const ANSWER_WITHIN: Duration = Duration::from_secs(10);

/// One vhost of the company.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Realm {
    /// The vhost that the fleet was started on.
    Company,
    Sales,
}

impl Realm {
    pub(super) const ALL: [Self; 2] = [Self::Company, Self::Sales];

    /// Its address, given that of the company.
    pub(super) fn address(self, company: &AMQPUri) -> AMQPUri {
        let mut address = company.clone();
        if self == Self::Sales {
            SALES_VHOST.clone_into(&mut address.vhost);
        }
        address
    }

    fn sources(self, company: &str) -> impl Iterator<Item = FleetSource> {
        let vhost = match self {
            Self::Company => company.to_owned(),
            Self::Sales => SALES_VHOST.to_owned(),
        };
        let sources = topology::of(self).sources.iter();
        sources.map(move |source| FleetSource {
            vhost: vhost.clone(),
            queue: source.queue.to_owned(),
            name: source.name.to_owned(),
            execution_path: (source.queue == topology::DEAD_EXECUTIONS)
                .then(|| topology::EXECUTION_PATH.to_owned()),
            origins: source.origins.iter().map(ToString::to_string).collect(),
        })
    }
}

/// All dead-letter queues of the company, whose own vhost is this one.
pub(super) fn sources(company: &str) -> Vec<FleetSource> {
    let realms = Realm::ALL.iter();
    realms.flat_map(|realm| realm.sources(company)).collect()
}

/// Creates the vhosts beside the company's own, with all rights for the user. What is there
/// already stays as it is.
pub(super) async fn create(management: &str, user: &str) -> Result<(), FleetError> {
    let client = http_client().timeout(ANSWER_WITHIN).build().map_err(FleetError::management)?;
    let rights = serde_json::json!({"configure": ".*", "write": ".*", "read": ".*"});
    let vhost = format!("vhosts/{SALES_VHOST}");
    let permissions = format!("permissions/{SALES_VHOST}/{user}");
    for (path, body) in [(vhost, serde_json::json!({})), (permissions, rights)] {
        let url = format!("{}/api/{path}", management.trim_end_matches('/'));
        let answer = client.put(url).json(&body).send().await;
        answer.and_then(reqwest::Response::error_for_status).map_err(FleetError::management)?;
    }
    Ok(())
}
