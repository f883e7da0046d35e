//! What is printed when something is ready: a line for programs, or some for people.

use std::io::Write as _;

use dlo_sandbox::Endpoints;
use serde::Serialize;

/// Where everything answers; what does not run is `null`.
#[derive(Debug, Default, Serialize)]
pub(super) struct Ready {
    /// Pages and API.
    pub(super) http: Option<String>,
    /// The broker, with its password.
    pub(super) amqp: Option<String>,
    /// The broker's management API, with its password.
    pub(super) management: Option<String>,
    /// Postgres, with its password.
    pub(super) database: Option<String>,
    /// A token for the API.
    pub(super) token: Option<String>,
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
        let text = if as_json {
            serde_json::to_string(self)?
        } else {
            self.for_people()
        };
        let mut out = std::io::stdout().lock();
        // A reader that went away is no reason to stop serving.
        let _ = writeln!(out, "{text}").and_then(|()| out.flush());
        Ok(())
    }

    fn for_people(&self) -> String {
        let lines = [
            ("Pages and API", &self.http),
            ("API token", &self.token),
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
