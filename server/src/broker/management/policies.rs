//! Sets policies and takes them away: the only thing that the management API is told to change at a
//! broker's queues.

use dlo_domain::topology::Policy;
use serde_json::json;

use super::survey::accepted;
use super::{Management, ManagementError};

impl Management {
    /// Sets a policy, in the place of the one of its name.
    ///
    /// # Errors
    /// When it does not answer, or the user may not.
    pub async fn put_policy(&self, vhost: &str, policy: &Policy) -> Result<(), ManagementError> {
        let body = json!({
            "pattern": policy.pattern, "apply-to": policy.apply_to, "priority": policy.priority,
            "definition": policy.definition,
        });
        let url = self.url("policies", vhost, &policy.name);
        let request = self.client.put(url).json(&body);
        let sent = request.send().await;
        accepted(sent.map_err(reqwest::Error::without_url)?).map(|_| ())
    }

    /// Takes a policy away. One that is not there is as good as taken away.
    ///
    /// # Errors
    /// When it does not answer, or the user may not.
    pub async fn delete_policy(&self, vhost: &str, name: &str) -> Result<(), ManagementError> {
        let request = self.client.delete(self.url("policies", vhost, name));
        let sent = request.send().await;
        match accepted(sent.map_err(reqwest::Error::without_url)?) {
            Ok(_) | Err(ManagementError::Missing) => Ok(()),
            Err(why) => Err(why),
        }
    }
}
