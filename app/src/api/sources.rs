//! Sources: the dead-letter queues that are watched.
#![expect(
    missing_docs,
    reason = "arguments of a server function become fields that have no place for a comment"
)]

use chrono::{DateTime, Utc};
use dlo_domain::source::{Source, SourceMode};
use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;
use serde::{Deserialize, Serialize};

use crate::codec::Json;
use crate::error::ApiError;

/// Every source and when they were read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SourceList {
    /// When they were read.
    pub now: DateTime<Utc>,
    /// The sources.
    pub sources: Vec<Source>,
}

/// Dead-letter queues that nobody takes letters from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundList {
    /// The first of them.
    pub rows: Vec<FoundRow>,
    /// Whether there are more.
    pub is_more: bool,
    /// How many they are and hold, and what could not be looked at; empty where all is watched.
    pub says: String,
}

/// A dead-letter queue that nobody takes letters from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundRow {
    /// Its name.
    pub queue: String,
    /// Its vhost.
    pub vhost: String,
    /// Its broker.
    pub broker: String,
    /// Its page.
    pub href: String,
    /// Why it is taken for one.
    pub why: String,
    /// Messages that wait in it.
    pub ready: String,
}

/// Queues that are offered at once.
#[cfg(feature = "ssr")]
const MOST_FOUND: usize = 10;

/// Where messages name their execution, as it is written in the form; empty where nothing is said.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct NamingFields {
    /// A JSON pointer into the body.
    pub path: String,
    /// A header.
    pub header: String,
    /// The type of the messages.
    pub message_type: String,
    /// Reasons for which the execution goes to another worker, with commas between them.
    pub reschedule_on: String,
}

#[cfg(feature = "ssr")]
fn naming(fields: NamingFields) -> Result<dlo_domain::execution::ExecutionNaming, ApiError> {
    let given = |text: String| (!text.trim().is_empty()).then(|| text.trim().to_owned());
    let words = fields.reschedule_on.split(',').map(str::trim);
    let reasons = words.filter(|word| !word.is_empty()).map(|word| {
        word.parse()
            .map_err(|why: dlo_domain::death::UnknownReason| ApiError::invalid(why.to_string()))
    });
    Ok(dlo_domain::execution::ExecutionNaming {
        path: given(fields.path),
        header: given(fields.header),
        message_type: given(fields.message_type),
        reschedule_on: reasons.collect::<Result<_, _>>()?,
    })
}

/// Every source.
///
/// # Errors
/// A desk that does not answer.
#[server(prefix = "/ui", endpoint = "sources", input = GetUrl, output = Json)]
pub async fn list_sources() -> Result<SourceList, ApiError> {
    Ok(SourceList { sources: crate::desk::desk().sources().await?, now: crate::request::now() })
}

/// Dead-letter queues that are no sources and that nobody consumes, as they were last read.
///
/// # Errors
/// A desk that does not answer.
#[server(prefix = "/ui", endpoint = "sources/discover", input = GetUrl, output = Json)]
pub async fn discover_sources() -> Result<FoundList, ApiError> {
    let everywhere = dlo_domain::topology::Discover::default();
    let discovery = crate::desk::desk().discover(&everywhere).await?;
    let is_whole = discovery.unread.is_empty();
    let mut found = discovery.items;
    // Whoever consumes a queue already would get a part of its letters only.
    found.retain(|one| one.consumers.is_none_or(|consumers| consumers == 0));
    let says = unwatched(&found, is_whole);
    let is_more = found.len() > MOST_FOUND;
    found.truncate(MOST_FOUND);
    let rows = found.into_iter().map(|one| {
        let source = one.source;
        FoundRow {
            href: crate::links::queue(&source.broker, &source.vhost, &source.queue),
            queue: source.queue,
            vhost: source.vhost,
            broker: source.broker,
            why: one.why,
            ready: one.ready.map_or_else(|| "?".to_owned(), crate::wording::count),
        }
    });
    Ok(FoundList { rows: rows.collect(), is_more, says })
}

/// What keeps the sources from being all that there is.
#[cfg(feature = "ssr")]
fn unwatched(found: &[dlo_domain::topology::FoundQueue], is_whole: bool) -> String {
    let number = i64::try_from(found.len()).unwrap_or(i64::MAX);
    let wait: i64 = found.iter().filter_map(|one| one.ready).sum();
    let (are, them) = if number == 1 { ("is", "it") } else { ("are", "them") };
    let mut says = String::new();
    if number > 0 {
        let queues = crate::wording::counted(number, "more dead-letter queue");
        says = format!("{queues} {are} not");
        if wait > 0 {
            let messages = crate::wording::counted(wait, "message");
            let verb = if wait == 1 { "waits" } else { "wait" };
            says = format!("{says}, and {messages} {verb} in {them}");
        }
        says.push('.');
    }
    if !is_whole {
        let space = if says.is_empty() { "" } else { " " };
        says = format!("{says}{space}Not all queues could be read: there may be others.");
    }
    says
}

/// Watches one more queue.
///
/// # Errors
/// A name that no queue can have, a queue that is watched already, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "sources/add", output = Json)]
pub async fn add_source(
    vhost: String,
    queue: String,
    #[server(default)] mode: SourceMode,
    #[server(default)] name: String,
    #[server(default)] broker: String,
    #[server(default)] origins: String,
    #[server(default)] executions: NamingFields,
) -> Result<Source, ApiError> {
    let given = |text: String| (!text.trim().is_empty()).then(|| text.trim().to_owned());
    let source = dlo_domain::source::NewSource {
        vhost: vhost.trim().to_owned(),
        queue: queue.trim().to_owned(),
        mode,
        name: given(name),
        broker: given(broker),
        headers: dlo_domain::failure::HeaderMap::default(),
        executions: naming(executions)?,
        origins: origins.parse().map_err(|why: dlo_domain::globs::GlobFault| {
            ApiError::invalid(format!("Queues: {why}."))
        })?,
    };
    source.check().map_err(|faults| {
        let texts: Vec<String> = faults.iter().map(ToString::to_string).collect();
        ApiError::invalid(texts.join("; "))
    })?;
    let source = crate::desk::desk()
        .add_source(&dlo_domain::audit::Actor::local_operator(), &source)
        .await?;
    crate::request::go_on_to("/sources?notice=added");
    Ok(source)
}

/// Stops watching a queue; its letters stay.
///
/// # Errors
/// No such source, one that the configuration names, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "sources/remove", output = Json)]
pub async fn remove_source(id: String) -> Result<(), ApiError> {
    let id: dlo_domain::ids::SourceId = super::id(&id, "source")?;
    crate::desk::desk().remove_source(&dlo_domain::audit::Actor::local_operator(), id).await?;
    crate::request::go_on_to("/sources?notice=removed");
    Ok(())
}

/// Accepts that so many letters of a source can be lost, at the limit that was shown; empty where none was.
///
/// # Errors
/// No such source, a number that cannot be, another limit by now, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "sources/accept-loss", output = Json)]
pub async fn accept_loss(
    id: String,
    letters: String,
    #[server(default)] delivery_limit: String,
) -> Result<(), ApiError> {
    let id: dlo_domain::ids::SourceId = super::id(&id, "source")?;
    let number = |text: &str| {
        ApiError::invalid(format!("`{text}` is not a number of letters: write one as `1`."))
    };
    let limit = Some(delivery_limit.trim()).filter(|text| !text.is_empty());
    let limit = limit.map(|text| text.parse().map_err(|_| number(text)));
    let loss = dlo_domain::delivery_limit::NewAcceptedLoss {
        letters: letters.trim().parse().map_err(|_| number(&letters))?,
        delivery_limit: limit.transpose()?,
    };
    loss.check().map_err(ApiError::invalid)?;
    crate::desk::desk().accept_loss(&dlo_domain::audit::Actor::local_operator(), id, &loss).await?;
    crate::request::go_on_to("/sources?notice=loss-accepted");
    Ok(())
}

/// Takes that back: nothing more is taken while the queue drops letters.
///
/// # Errors
/// No such source, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "sources/withdraw-loss", output = Json)]
pub async fn withdraw_loss(id: String) -> Result<(), ApiError> {
    let id: dlo_domain::ids::SourceId = super::id(&id, "source")?;
    crate::desk::desk().withdraw_loss(&dlo_domain::audit::Actor::local_operator(), id).await?;
    crate::request::go_on_to("/sources?notice=loss-withdrawn");
    Ok(())
}
