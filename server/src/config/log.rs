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
        filter: wanted.unwrap_or(usual.filter),
        format: format.unwrap_or(usual.format),
    }
}

fn filter(text: &str) -> Result<String, String> {
    EnvFilter::try_new(text)
        .map(|_| text.to_owned())
        .map_err(|why| {
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
