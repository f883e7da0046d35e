//! What the management API says of a whole vhost, for `dlo_domain::topology` to read. Every answer is
//! bounded: a broker may say whatever it likes.

use std::time::Duration;

use dlo_domain::topology::{Answers, Gap, MOST_NAME_BYTES};
use reqwest::{RequestBuilder, Response, StatusCode};
use serde::Deserialize;
use serde_json::Value;

use super::{Management, ManagementError};
use crate::broker::RECEIPTS;

/// The longest answer that is read, in bytes.
const MOST_BYTES: usize = 32 << 20;
/// Items of a page: as many as the API allows.
const PAGE: usize = 500;
/// Pages of queues, and of exchanges, that are read.
const MOST_PAGES: usize = 20;
/// Vhosts that are read.
const MOST_VHOSTS: usize = 200;
/// Bindings, and policies, that are kept.
const MOST_BINDINGS: usize = 50_000;
const MOST_POLICIES: usize = 1_000;
/// How long one answer may take.
const PATIENCE: Duration = Duration::from_secs(15);

/// What of a queue is asked for. Since 3.13 the list tells figures only where columns are named
/// (`rabbit_mgmt_wm_queues.erl`).
const COLUMNS: &str = "name,type,durable,auto_delete,exclusive,owner_pid_details,arguments,policy,\
    operator_policy,effective_policy_definition,delivery_limit,messages,messages_ready,\
    messages_unacknowledged,messages_dlx,messages_delayed,consumers,message_stats.publish_details.rate,message_stats.deliver_get_details.rate";

/// What a broker says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct BrokerOverview {
    /// Its version.
    #[serde(default)]
    pub rabbitmq_version: Option<String>,
    /// Whether it keeps no figures.
    #[serde(default)]
    pub disable_stats: bool,
}

/// One page of a list.
#[derive(Deserialize)]
struct Page {
    items: Vec<Value>,
    #[serde(default)]
    page_count: usize,
}

impl Management {
    /// What the broker says of itself.
    ///
    /// # Errors
    /// When it does not answer.
    pub async fn overview(&self) -> Result<BrokerOverview, ManagementError> {
        let request = self.client.get(format!("{}/api/overview", self.base));
        bounded(request.timeout(PATIENCE)).await
    }

    /// The vhosts that may be seen, the first 200.
    ///
    /// # Errors
    /// When it does not answer.
    pub async fn vhosts(&self) -> Result<Vec<String>, ManagementError> {
        #[derive(Deserialize)]
        struct Vhost {
            name: String,
        }
        let request = self.client.get(format!("{}/api/vhosts?columns=name", self.base));
        let vhosts: Vec<Vhost> = bounded(request.timeout(PATIENCE)).await?;
        let names = vhosts.into_iter().map(|vhost| vhost.name);
        let fit = names.filter(|name| name.len() <= MOST_NAME_BYTES && !name.contains('\0'));
        Ok(fit.take(MOST_VHOSTS).collect())
    }

    /// Whether our user is shown every vhost, so that one that is not listed is not there: monitoring users
    /// and administrators are (`rabbit_mgmt_util:list_visible_vhosts`).
    ///
    /// # Errors
    /// When the broker does not answer.
    pub async fn sees_every_vhost(&self) -> Result<bool, ManagementError> {
        let request = self.client.get(format!("{}/api/whoami", self.base));
        let told: Value = bounded(request.timeout(PATIENCE)).await?;
        let sees = |tag: &str| matches!(tag.trim(), "administrator" | "monitoring");
        Ok(match &told["tags"] {
            Value::Array(tags) => tags.iter().filter_map(Value::as_str).any(sees),
            // Until 3.8 they are one text.
            tags => tags.as_str().unwrap_or_default().split(',').any(sees),
        })
    }

    /// Whether a vhost is there, and may be seen.
    ///
    /// # Errors
    /// When it is not there, may not be seen, or the broker does not answer. RabbitMQ 4.3 says of one that
    /// may not be seen that it is missing, where 3.10 refuses (found by asking both).
    pub async fn find_vhost(&self, vhost: &str) -> Result<(), ManagementError> {
        // `/api/vhosts/…` is refused to many who may see what is in it.
        let url = self.vhost_url("exchanges", vhost);
        let url = format!("{url}?page=1&page_size=1&disable_stats=true");
        let request = self.client.get(url).timeout(PATIENCE);
        bounded::<Value>(request).await.map(drop)
    }

    /// The consumers of a vhost, each with its queue and its tag; nothing where the broker does not
    /// tell, or there are too many.
    ///
    /// # Errors
    /// When it does not answer.
    pub async fn consumers(&self, vhost: &str) -> Result<Option<Vec<Value>>, ManagementError> {
        let url = self.vhost_url("consumers", vhost);
        let url = format!("{url}?columns=queue.name,consumer_tag");
        match bounded(self.client.get(url).timeout(PATIENCE)).await {
            Ok(consumers) => Ok(Some(consumers)),
            Err(
                ManagementError::Refused(_) | ManagementError::Missing | ManagementError::TooLarge,
            ) => Ok(None),
            Err(why) => Err(why),
        }
    }

    /// Everything about a vhost. What may not be read is a gap, not an error.
    ///
    /// # Errors
    /// When it does not answer, or not even the queues may be read.
    pub async fn survey(
        &self,
        vhost: &str,
        overview: &BrokerOverview,
    ) -> Result<Answers, ManagementError> {
        let mut answers =
            Answers { version: overview.rabbitmq_version.clone(), ..Answers::default() };
        let columns = if overview.disable_stats {
            "disable_stats=true&enable_queue_totals=true".to_owned()
        } else {
            format!("columns={COLUMNS}")
        };
        if overview.disable_stats {
            answers.gaps.push(Gap::Figures);
        }
        let queues = self.paged("queues", vhost, &columns).await?;
        // A queue of each of our sessions is nothing that people wired.
        let is_receipt =
            |queue: &Value| queue["name"].as_str().is_some_and(|name| name.starts_with(RECEIPTS));
        answers.queues = queues.items;
        answers.queues.retain(|queue| !is_receipt(queue));
        if queues.is_cut {
            answers.gaps.push(Gap::Queues);
        }
        let exchanges = self.paged("exchanges", vhost, "disable_stats=true").await?;
        answers.exchanges = exchanges.items;
        let bindings = self.listed("bindings", vhost).await;
        let (bindings, is_cut) = match bindings {
            Ok(bindings) => cut(bindings, MOST_BINDINGS),
            Err(ManagementError::TooLarge) => (Vec::new(), true),
            Err(why) => return Err(why),
        };
        answers.bindings = bindings;
        if exchanges.is_cut || is_cut {
            answers.gaps.push(Gap::Wiring);
        }
        answers.policies = readable(self.listed("policies", vhost).await)?;
        answers.operator_policies = readable(self.listed("operator-policies", vhost).await)?;
        Ok(answers)
    }

    pub(super) async fn listed(
        &self,
        kind: &str,
        vhost: &str,
    ) -> Result<Vec<Value>, ManagementError> {
        let request = self.client.get(self.vhost_url(kind, vhost));
        bounded(request.timeout(PATIENCE)).await
    }

    async fn paged(&self, kind: &str, vhost: &str, query: &str) -> Result<Listed, ManagementError> {
        let address = self.vhost_url(kind, vhost);
        let mut listed = Listed::default();
        for number in 1..=MOST_PAGES {
            let url = format!("{address}?page={number}&page_size={PAGE}&{query}");
            let page: Page = match bounded(self.client.get(url).timeout(PATIENCE)).await {
                Ok(page) => page,
                // A list that became shorter has no such page any more.
                Err(ManagementError::Refused(_)) if number > 1 => break,
                Err(why) => return Err(why),
            };
            listed.items.extend(page.items.into_iter().take(PAGE));
            listed.is_cut = page.page_count > number;
            if !listed.is_cut {
                break;
            }
        }
        Ok(listed)
    }
}

#[derive(Default)]
struct Listed {
    items: Vec<Value>,
    is_cut: bool,
}

fn cut(mut items: Vec<Value>, most: usize) -> (Vec<Value>, bool) {
    let is_cut = items.len() > most;
    items.truncate(most);
    (items, is_cut)
}

/// Nothing where it may not be read, or there is too much of it.
pub(super) fn readable(
    answered: Result<Vec<Value>, ManagementError>,
) -> Result<Option<Vec<Value>>, ManagementError> {
    match answered {
        Ok(items) if items.len() > MOST_POLICIES => Ok(None),
        Ok(items) => Ok(Some(items)),
        Err(ManagementError::Refused(_) | ManagementError::Missing | ManagementError::TooLarge) => {
            Ok(None)
        }
        Err(why) => Err(why),
    }
}

/// Reads an answer of bounded size.
pub(super) async fn bounded<T: serde::de::DeserializeOwned>(
    request: RequestBuilder,
) -> Result<T, ManagementError> {
    let response = request.send().await.map_err(reqwest::Error::without_url)?;
    let response = accepted(response)?;
    let bytes = body(response).await?;
    serde_json::from_slice(&bytes).map_err(|why| ManagementError::Unexpected(why.to_string()))
}

/// Says of an answer that is none what it means.
pub(super) fn accepted(response: Response) -> Result<Response, ManagementError> {
    match response.status() {
        StatusCode::NOT_FOUND => Err(ManagementError::Missing),
        status if status.is_client_error() => Err(ManagementError::Refused(status.as_u16())),
        _ => Ok(response.error_for_status().map_err(reqwest::Error::without_url)?),
    }
}

async fn body(mut response: Response) -> Result<Vec<u8>, ManagementError> {
    let mut bytes = Vec::new();
    let sealed = reqwest::Error::without_url;
    while let Some(chunk) = response.chunk().await.map_err(sealed)? {
        if bytes.len() + chunk.len() > MOST_BYTES {
            return Err(ManagementError::TooLarge);
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}
