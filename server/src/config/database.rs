//! Postgres.

use std::fmt;

use sqlx::postgres::PgConnectOptions;

use super::fault::Place;
use super::file::Reader;
use super::value::number;

/// A text that never shows in logs.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself, for the one who needs it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// The section `[database]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseConfig {
    /// `postgres://user:password@host:5432/name`; there is no default.
    pub url: Secret,
    /// At most this many connections.
    pub connections: u32,
}

/// How the connections are shared out, so that a crowd before the pages takes none from intake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shares {
    /// For pages and API.
    pub pages: u32,
    /// For taking letters.
    pub intake: u32,
    /// For publishing them again.
    pub replay: u32,
    /// For everything else.
    pub services: u32,
}

/// Each share needs two, and replays and services one more that hears what others change.
const LEAST_CONNECTIONS: u32 = 12;

impl DatabaseConfig {
    /// The shares, which are all of it together.
    #[must_use]
    pub fn shares(&self) -> Shares {
        let all = self.connections.max(LEAST_CONNECTIONS);
        let (pages, intake, replay) = (all / 3, (all / 5).max(2), all / 4);
        Shares { pages, intake, replay, services: all - pages - intake - replay }
    }
}

impl Default for DatabaseConfig {
    fn default() -> Self {
        Self { url: Secret::new(""), connections: 30 }
    }
}

pub(super) fn read(reader: &mut Reader<'_>) -> DatabaseConfig {
    let usual = DatabaseConfig::default();
    let mut table = reader.table("database");
    let named = table.names("url") || reader.has("DLO_DATABASE_URL");
    let url = reader.setting(&mut table, "url", Some("DLO_DATABASE_URL"), url);
    let connections = reader.setting(
        &mut table,
        "connections",
        Some("DLO_DATABASE_CONNECTIONS"),
        number(LEAST_CONNECTIONS, 1_000),
    );
    reader.close(table);
    if !named {
        let why = "no database is named: set DLO_DATABASE_URL, or url in [database], to \
                   postgres://user:password@host:5432/name";
        reader.fault(Place::Whole, why);
    }
    DatabaseConfig {
        url: url.unwrap_or(usual.url),
        connections: connections.unwrap_or(usual.connections),
    }
}

pub(super) fn url(text: &str) -> Result<Secret, String> {
    let help = "write it as postgres://user:password@host:5432/name";
    if !(text.starts_with("postgres://") || text.starts_with("postgresql://")) {
        // The text itself may hold a password, so it is not repeated.
        return Err(format!("this is not an address of a Postgres: {help}"));
    }
    text.parse::<PgConnectOptions>()
        .map(|_| Secret::new(text))
        .map_err(|why| format!("this address cannot be read ({why}): {help}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_are_all_connections_and_none_is_too_small() {
        for connections in LEAST_CONNECTIONS..=1_000 {
            let config = DatabaseConfig { connections, ..DatabaseConfig::default() };
            let Shares { pages, intake, replay, services } = config.shares();
            assert_eq!(pages + intake + replay + services, connections);
            assert!(pages >= 2 && intake >= 2, "{connections}");
            assert!(replay >= 3 && services >= 3, "one of them listens: {connections}");
        }
    }
}
