//! Workers and executions that another database keeps.

use std::time::Duration;

use super::database::{Secret, url};
use super::file::Reader;
use super::value::seconds;

/// The longest statement, in bytes.
const MOST_SQL: usize = 64 * 1024;

/// The section `[register]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisterConfig {
    /// Where it is; its user should be one that may only read.
    pub url: Secret,
    /// What gives the workers.
    pub workers: Option<String>,
    /// What gives the executions.
    pub executions: Option<String>,
    /// How often it is read.
    pub every: Duration,
}

pub(super) fn read(reader: &mut Reader<'_>) -> Option<RegisterConfig> {
    let mut table = reader.table("register");
    let address = reader.setting(&mut table, "url", Some("DLO_REGISTER_URL"), url);
    let mut asked = |key, variable| reader.setting(&mut table, key, Some(variable), sql);
    let workers = asked("workers", "DLO_REGISTER_WORKERS");
    let executions = asked("executions", "DLO_REGISTER_EXECUTIONS");
    let every =
        reader.setting(&mut table, "every_secs", Some("DLO_REGISTER_EVERY_SECS"), seconds(1, 300));
    let place = reader.place_of(&table);
    reader.close(table);
    let has_sql = workers.is_some() || executions.is_some();
    if address.is_some() != has_sql {
        let why = "[register] needs its url, and the SQL for workers, for executions, or both \
                   (DLO_REGISTER_URL, DLO_REGISTER_WORKERS, DLO_REGISTER_EXECUTIONS)";
        reader.fault(place, why);
        return None;
    }
    Some(RegisterConfig {
        url: address?,
        workers,
        executions,
        every: every.unwrap_or(Duration::from_secs(10)),
    })
}

fn sql(text: &str) -> Result<String, String> {
    if text.trim().is_empty() || text.len() > MOST_SQL || text.contains('\0') {
        return Err(format!("a statement has 1 to {MOST_SQL} bytes, and no NUL character"));
    }
    Ok(text.to_owned())
}
