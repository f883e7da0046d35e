//! Users, policies and deletions, through the management API.

use lapin::options::{BasicConsumeOptions, ExchangeDeleteOptions};
use lapin::types::FieldTable;
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use super::Vhost;

impl Vhost {
    /// Adds a user with a tag who may do everything in this vhost and sees no other; its name, and
    /// the address of the management API in its name.
    pub async fn add_manager(&self, tag: &str) -> (String, String) {
        let name = format!("manager-{}", Uuid::new_v4());
        let user = json!({"password": "known", "tags": tag});
        self.manage(Method::PUT, &format!("users/{name}"), &user).await;
        self.grant(&name).await;
        let address = format!("http://{name}:known@{}", self.management_host());
        (name, address)
    }

    /// Adds a user that may read everything here, and write to what `write` matches.
    pub async fn add_user(&self, name: &str, password: &str, write: &str) {
        let user = serde_json::json!({"password": password, "tags": ""});
        let rights = serde_json::json!({"configure": "^$", "write": write, "read": ".*"});
        for (path, body) in
            [(format!("users/{name}"), user), (format!("permissions/{}/{name}", self.name), rights)]
        {
            let response = reqwest::Client::new()
                .put(format!("{}/api/{path}", self.management))
                .json(&body)
                .send()
                .await
                .expect("the management API answers");
            assert!(response.status().is_success(), "{path}: {}", response.status());
        }
    }

    /// Lets a user do everything in this vhost.
    pub async fn grant(&self, user: &str) {
        let rights = json!({"configure": ".*", "write": ".*", "read": ".*"});
        let path = format!("permissions/{}/{user}", self.name);
        self.manage(Method::PUT, &path, &rights).await;
    }

    /// Lets a user do in this vhost what a pattern matches, of every kind.
    pub async fn permit(&self, user: &str, names: &str) {
        let rights = json!({"configure": names, "write": names, "read": names});
        let path = format!("permissions/{}/{user}", self.name);
        self.manage(Method::PUT, &path, &rights).await;
    }

    /// Lets a user do nothing more in this vhost.
    pub async fn withdraw(&self, user: &str) {
        let path = format!("permissions/{}/{user}", self.name);
        self.manage(Method::DELETE, &path, &Value::Null).await;
    }

    /// Removes a user.
    pub async fn remove_user(&self, name: &str) {
        let _ = reqwest::Client::new()
            .delete(format!("{}/api/users/{name}", self.management))
            .send()
            .await;
    }

    /// Host and port of the management API.
    pub fn management_host(&self) -> &str {
        let address = self.management.rsplit('@').next();
        address.and_then(|rest| rest.rsplit('/').next()).expect("an address")
    }

    /// Sets a policy for queues.
    pub async fn policy(&self, name: &str, pattern: &str, priority: i64, definition: Value) {
        let policy = json!({
            "pattern": pattern, "apply-to": "queues", "priority": priority,
            "definition": definition,
        });
        let path = format!("policies/{}/{name}", self.name);
        self.manage(Method::PUT, &path, &policy).await;
    }

    /// Removes a policy.
    pub async fn delete_policy(&self, name: &str) {
        let path = format!("policies/{}/{name}", self.name);
        self.manage(Method::DELETE, &path, &Value::Null).await;
    }

    /// Sets a policy for exchanges.
    pub async fn exchange_policy(&self, name: &str, pattern: &str, definition: Value) {
        let policy = json!({
            "pattern": pattern, "apply-to": "exchanges", "priority": 0, "definition": definition,
        });
        let path = format!("policies/{}/{name}", self.name);
        self.manage(Method::PUT, &path, &policy).await;
    }

    /// Sets a policy for queues in the name of whoever runs the broker.
    pub async fn operator_policy(&self, name: &str, pattern: &str, definition: Value) {
        let policy = json!({
            "pattern": pattern, "apply-to": "queues", "priority": 0, "definition": definition,
        });
        let path = format!("operator-policies/{}/{name}", self.name);
        self.manage(Method::PUT, &path, &policy).await;
    }

    /// Deletes it, and leaves the connection to find out.
    pub async fn delete_now(&self) {
        let path = format!("vhosts/{}", self.name);
        self.manage(Method::DELETE, &path, &Value::Null).await;
    }

    /// Consumes a queue on the vhost's own channel, until what it gives is dropped.
    pub async fn consume(&self, queue: &str, tag: &str) -> lapin::Consumer {
        let (options, none) = (BasicConsumeOptions::default(), FieldTable::default());
        self.channel.basic_consume(queue.into(), tag.into(), options, none).await.expect("consumed")
    }

    /// Deletes an exchange.
    pub async fn delete_exchange(&self, name: &str) {
        let options = ExchangeDeleteOptions::default();
        let deleted = self.channel.exchange_delete(name.into(), options).await;
        deleted.expect("deleted");
    }

    async fn manage(&self, method: Method, path: &str, body: &Value) {
        let response = reqwest::Client::new()
            .request(method, format!("{}/api/{path}", self.management))
            .json(body)
            .send()
            .await
            .expect("the management API answers");
        assert!(response.status().is_success(), "{path}: {}", response.status());
    }
}
