//! What is logged, and how.

use tracing_subscriber::EnvFilter;

use super::fault::Faults;
use super::file::Reader;

/// The section `[log]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogConfig {
    /// Which events: a level, or levels by module.
    pub filter: String,
    /// How they look.
    pub format: LogFormat,
}

/// How a log line looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// For programs, one JSON object a line.
    Json,
}

impl Default for LogConfig {
    fn default() -> Self {
        Self {
            // lapin and sqlx tell at these levels what we handle and tell ourselves
            filter: "info,lapin=off,sqlx=warn".to_owned(),
            format: LogFormat::default(),
        }
    }
}

impl LogConfig {
    /// Reads the variables alone, for commands that have no configuration.
    ///
    /// # Errors
    /// Every fault found.
    pub fn of_variables(lookup: &dyn Fn(&str) -> Option<String>) -> Result<Self, Faults> {
        let mut reader = Reader::new(lookup, None);
        let config = read(&mut reader);
        reader.finish()?;
        Ok(config)
    }
}

pub(super) fn read(reader: &mut Reader<'_>) -> LogConfig {
    let usual = LogConfig::default();
    let mut table = reader.table("log");
    let wanted = reader.setting(&mut table, "filter", Some("DLO_LOG"), filter);
    let format = reader.setting(&mut table, "format", Some("DLO_LOG_FORMAT"), format);
    reader.close(table);
    LogConfig {
        filter: wanted.map_or(usual.filter, without_messages),
        format: format.unwrap_or(usual.format),
    }
}

/// lapin logs messages that come back to it, with their bodies: it stays off unless it is named.
fn without_messages(filter: String) -> String {
    let names_lapin = |directive: &str| directive.trim_start().starts_with("lapin");
    if filter.split(',').any(names_lapin) { filter } else { format!("{filter},lapin=off") }
}

fn filter(text: &str) -> Result<String, String> {
    EnvFilter::try_new(text).map(|_| text.to_owned()).map_err(|why| {
        format!("`{text}` selects no log lines ({why}): write info, or info,dlo_server=debug")
    })
}

fn format(text: &str) -> Result<LogFormat, String> {
    match text {
        "text" => Ok(LogFormat::Text),
        "json" => Ok(LogFormat::Json),
        _ => Err(format!("`{text}` is neither text nor json")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lapin_logs_nothing_unless_it_is_named() {
        let of = |text: &str| {
            let lookup = |name: &str| (name == "DLO_LOG").then(|| text.to_owned());
            LogConfig::of_variables(&lookup).expect("good").filter
        };
        assert_eq!(of("info"), "info,lapin=off");
        assert_eq!(of("warn,dlo_server=debug"), "warn,dlo_server=debug,lapin=off");
        for named in ["info,lapin=off,sqlx=warn", "lapin::channel=trace"] {
            assert_eq!(of(named), named);
        }
    }
}
