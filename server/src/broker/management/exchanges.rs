//! One exchange, as it is now.

use dlo_domain::topology::pattern_of;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use serde_json::Value;

use super::{Management, ManagementError, answer};

const ALTERNATE: &str = "alternate-exchange";

/// An exchange.
#[derive(Debug, Clone, Deserialize)]
pub struct ExchangeNow {
    name: String,
    /// `direct`, `topic`, `fanout`, `headers` or a plugin's.
    #[serde(rename = "type")]
    pub kind: String,
    /// Whether only exchanges hand messages to it: who publishes to it is refused.
    #[serde(default)]
    pub internal: bool,
    #[serde(default)]
    arguments: Value,
    #[serde(default)]
    policy: Option<String>,
}

impl Management {
    /// An exchange.
    ///
    /// # Errors
    /// When there is none, or it does not answer.
    pub async fn exchange(
        &self,
        vhost: &str,
        exchange: &str,
    ) -> Result<ExchangeNow, ManagementError> {
        #[derive(Deserialize)]
        struct Found {
            items: Vec<ExchangeNow>,
        }
        // From the list: a broker that keeps no figures answers 500 when asked for one
        // (`rabbit_mgmt_wm_exchange` of 3.10).
        let pattern = pattern_of(exchange);
        let pattern = utf8_percent_encode(&pattern, NON_ALPHANUMERIC);
        let list = self.vhost_url("exchanges", vhost);
        let url =
            format!("{list}?page=1&page_size=100&disable_stats=true&use_regex=true&name={pattern}");
        let found: Found = answer(self.client.get(url).timeout(self.within)).await?;
        // The pattern passes over case.
        let mut found = found.items.into_iter();
        let exact = found.find(|found| found.name == exchange);
        exact.ok_or(ManagementError::Missing)
    }

    /// Where messages go that no binding of an exchange takes; nothing where they are lost.
    ///
    /// # Errors
    /// When it does not answer, or this user may not read the policy that may say so.
    pub async fn alternate_of(
        &self,
        vhost: &str,
        exchange: &ExchangeNow,
    ) -> Result<Option<String>, ManagementError> {
        let named = |settings: &Value| {
            let name = settings.get(ALTERNATE)?.as_str()?;
            Some(name.to_owned())
        };
        if let Some(name) = named(&exchange.arguments) {
            return Ok(Some(name));
        }
        let Some(policy) = exchange.policy.as_deref().filter(|name| !name.is_empty()) else {
            return Ok(None);
        };
        let url = self.url("policies", vhost, policy);
        let policy: Value = answer(self.client.get(url).timeout(self.within)).await?;
        Ok(policy.get("definition").and_then(named))
    }
}
