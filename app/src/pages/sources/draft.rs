//! A source as the fields of its form hold it, and as an address does.

use dlo_domain::execution::ExecutionNaming;
use dlo_domain::failure::HeaderMap;
use dlo_domain::globs::GlobFault;
use dlo_domain::source::{NewSource, SourceMode};
use serde::{Deserialize, Serialize};

use crate::error::ApiError;
use crate::links;
use crate::query::Query;

/// A source that is being written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct SourceDraft {
    /// The vhost.
    pub(super) vhost: String,
    /// The queue.
    pub(super) queue: String,
    /// Whether letters leave it.
    pub(super) mode: SourceMode,
    /// What it is called; empty to call it as its queue.
    pub(super) name: String,
    /// The broker's name in the configuration; empty for `main`.
    pub(super) broker: String,
    /// Queues that its messages may name, with commas between them.
    pub(super) origins: String,
    /// Where its messages name executions.
    pub(super) executions: NamingFields,
}

/// Where messages name their execution, as it is written in the form; empty where nothing is said.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct NamingFields {
    /// A JSON pointer into the body.
    pub(super) path: String,
    /// A header.
    pub(super) header: String,
    /// The type of the messages.
    pub(super) message_type: String,
    /// Reasons for which the execution goes to another worker, with commas between them.
    pub(super) reschedule_on: String,
}

impl SourceDraft {
    /// The draft that an address holds.
    pub(super) fn of(query: &Query) -> Self {
        let text = |name| query.get(name).unwrap_or_default();
        Self {
            vhost: text("vhost"),
            queue: text("queue"),
            mode: match &*text("mode") {
                "mirror" => SourceMode::Mirror,
                _ => SourceMode::Take,
            },
            name: text("name"),
            broker: text("broker"),
            origins: text("origins"),
            executions: NamingFields {
                path: text("executions[path]"),
                header: text("executions[header]"),
                message_type: text("executions[message_type]"),
                reschedule_on: text("executions[reschedule_on]"),
            },
        }
    }

    /// The page of the sources with this in its form.
    pub(super) fn address(&self) -> String {
        let NamingFields { path, header, message_type, reschedule_on } = &self.executions;
        let pairs = [
            ("vhost", &*self.vhost),
            ("queue", &self.queue),
            ("mode", self.mode.as_str()),
            ("name", &self.name),
            ("broker", &self.broker),
            ("origins", &self.origins),
            ("executions[path]", path),
            ("executions[header]", header),
            ("executions[message_type]", message_type),
            ("executions[reschedule_on]", reschedule_on),
        ];
        links::with_query(links::SOURCES, pairs)
    }

    /// The source that is asked for.
    ///
    /// # Errors
    /// What cannot be read, and names that cannot be, all of them at once.
    pub(super) fn read(&self) -> Result<NewSource, ApiError> {
        let source = NewSource {
            vhost: self.vhost.trim().to_owned(),
            queue: self.queue.trim().to_owned(),
            mode: self.mode,
            name: given(&self.name),
            broker: given(&self.broker),
            headers: HeaderMap::default(),
            executions: self.executions.read()?,
            origins: self
                .origins
                .parse()
                .map_err(|why: GlobFault| ApiError::invalid(format!("Queues: {why}.")))?,
        };
        source.check().map_err(|faults| {
            let texts: Vec<String> = faults.iter().map(ToString::to_string).collect();
            ApiError::invalid(texts.join("; "))
        })?;
        Ok(source)
    }
}

impl NamingFields {
    fn read(&self) -> Result<ExecutionNaming, ApiError> {
        let words = self.reschedule_on.split(',').map(str::trim);
        let reasons = words.filter(|word| !word.is_empty()).map(|word| {
            word.parse()
                .map_err(|why: dlo_domain::death::UnknownReason| ApiError::invalid(why.to_string()))
        });
        Ok(ExecutionNaming {
            path: given(&self.path),
            header: given(&self.header),
            message_type: given(&self.message_type),
            reschedule_on: reasons.collect::<Result<_, _>>()?,
        })
    }
}

fn given(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_comes_back_with_the_reason_it_could_not_be_done_for() {
        let draft = SourceDraft {
            vhost: "/".to_owned(),
            queue: "a&b #%41".to_owned(),
            mode: SourceMode::Mirror,
            origins: "orders.*, billing".to_owned(),
            executions: NamingFields {
                reschedule_on: "soon".to_owned(),
                ..NamingFields::default()
            },
            ..SourceDraft::default()
        };
        assert_eq!(
            draft.address(),
            "/sources?vhost=%2F&queue=a%26b+%23%2541&mode=mirror&origins=orders.*%2C+billing\
             &executions[reschedule_on]=soon"
        );
        assert!(
            matches!(draft.read(), Err(ApiError::Invalid { reason }) if reason.contains("soon"))
        );
    }
}
