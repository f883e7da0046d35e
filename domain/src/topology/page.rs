//! A page of queues, and where the next one begins.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

use super::model::MOST_NAME_BYTES;
use super::report::QueueReport;
use crate::page::BadCursor;

/// A page of queues: by broker, vhost and name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct QueuePage {
    /// The queues.
    pub items: Vec<QueueReport>,
    /// Ask for the next page with this; absent on the last page.
    pub next_cursor: Option<String>,
    /// How many there are in all.
    pub estimated_total: i64,
}

/// The place after a queue in the list. Opaque to callers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct QueueCursor {
    /// Its broker.
    pub broker: String,
    /// Its vhost.
    pub vhost: String,
    /// Its name.
    pub name: String,
}

impl QueueCursor {
    /// The place after this queue.
    #[must_use]
    pub fn after(queue: &QueueReport) -> Self {
        Self { broker: queue.broker.clone(), vhost: queue.vhost.clone(), name: queue.name.clone() }
    }

    /// Whether a queue lies behind it.
    #[must_use]
    pub fn is_before(&self, (broker, vhost, name): (&str, &str, &str)) -> bool {
        (&*self.broker, &*self.vhost, &*self.name) < (broker, vhost, name)
    }
}

/// No name has a NUL: it parts them.
const BETWEEN: char = '\0';

impl fmt::Display for QueueCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { broker, vhost, name } = self;
        let text = format!("{broker}{BETWEEN}{vhost}{BETWEEN}{name}");
        f.write_str(&URL_SAFE_NO_PAD.encode(text))
    }
}

impl FromStr for QueueCursor {
    type Err = BadCursor;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| BadCursor)?;
        let text = str::from_utf8(&bytes).map_err(|_| BadCursor)?;
        let mut parts = text.split(BETWEEN);
        let mut next = || {
            let part = parts.next().ok_or(BadCursor)?;
            (part.len() <= MOST_NAME_BYTES).then(|| part.to_owned()).ok_or(BadCursor)
        };
        let cursor = Self { broker: next()?, vhost: next()?, name: next()? };
        parts.next().is_none().then_some(cursor).ok_or(BadCursor)
    }
}
