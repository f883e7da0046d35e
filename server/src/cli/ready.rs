//! What is printed when something is ready: a line for programs, or some for people.

use std::io::Write as _;

use dlo_sandbox::Endpoints;
use serde::Serialize;

/// Where everything answers; what does not run is `null`. Private servers are named with their passwords,
/// which were made for them and which nobody else knows; the servers of others without.
#[derive(Debug, Default, Serialize)]
pub(super) struct Ready {
    /// Pages and API.
    pub(super) http: Option<String>,
    /// The broker.
    pub(super) amqp: Option<String>,
    /// The broker's management API.
    pub(super) management: Option<String>,
    /// Postgres.
    pub(super) database: Option<String>,
    /// A token for the API.
    pub(super) token: Option<String>,
    /// What Slack would show of alerts.
    pub(super) slack: Option<String>,
}

/// An address without what may be secret in it: its password, and its parameters, which may hold one.
pub(super) fn without_password(address: &str) -> Option<String> {
    let mut url = reqwest::Url::parse(address).ok()?;
    // Fails where there is no host, which then has no password either.
    let _ = url.set_password(None);
    url.set_query(None);
    Some(url.into())
}

impl Ready {
    pub(super) fn of_servers(endpoints: &Endpoints) -> Self {
        let some = |address: &str| (!address.is_empty()).then(|| address.to_owned());
        Self {
            amqp: some(&endpoints.amqp),
            management: some(&endpoints.management),
            database: some(&endpoints.database),
            ..Self::default()
        }
    }

    /// Prints it.
    pub(super) fn print(&self, as_json: bool) -> anyhow::Result<()> {
        let text = if as_json { serde_json::to_string(self)? } else { self.for_people() };
        let mut out = std::io::stdout().lock();
        // A reader that went away is no reason to stop serving.
        let _ = writeln!(out, "{text}").and_then(|()| out.flush());
        Ok(())
    }

    fn for_people(&self) -> String {
        let lines = [
            ("Pages and API", &self.http),
            ("API token", &self.token),
            ("Alerts", &self.slack),
            ("RabbitMQ", &self.amqp),
            ("its management", &self.management),
            ("Postgres", &self.database),
        ];
        let told: Vec<_> = lines
            .iter()
            .filter_map(|(name, value)| Some(format!("  {name:<15} {}", value.as_ref()?)))
            .collect();
        format!("\nReady.\n{}\n\nCtrl-C ends it.", told.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_password_is_left_in_an_address() {
        for (address, shown) in [
            ("postgres://dlo:geheim@db:5432/dlo", "postgres://dlo@db:5432/dlo"),
            ("postgres://dlo@db/dlo?password=geheim&sslmode=require", "postgres://dlo@db/dlo"),
            ("amqps://guest:geheim@broker:5671/%2f", "amqps://guest@broker:5671/%2f"),
            ("http://a:geheim@broker:15672", "http://a@broker:15672/"),
        ] {
            assert_eq!(without_password(address).as_deref(), Some(shown));
        }
        assert_eq!(without_password("no address: geheim@"), None);
    }
}
