//! What stands in the form of an edit.

use dlo_domain::changing::{NewDraft, UnknownShape};
use dlo_domain::ids::LetterId;
use dlo_domain::replay::NewReplay;
use dlo_domain::selection::Selection;
use serde::{Deserialize, Serialize};

use crate::error::ApiError;
use crate::pages::new_replay::ReplayFields;
use crate::query::Query;
use crate::request::now;

/// Everything that the form of an edit holds.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct EditForm {
    /// The draft whose changes are shown; empty where none is.
    pub draft: String,
    /// How the body is written: `json`, `text` or `hex`.
    pub shape: String,
    /// The body.
    pub text: String,
    /// Its content type.
    pub content_type: String,
    /// The queue it goes to; empty for the one that the letter died in.
    pub queue: String,
    /// Headers to leave out, `-name`, and to set, `name=value`, with commas between them.
    pub headers: String,
    /// Anything: another person has to approve it.
    pub needs_approval: String,
    /// The plan on the button that was pressed.
    pub plan: String,
}

impl EditForm {
    /// What an address asks for.
    pub(super) fn read(query: &Query) -> Self {
        let of = |name: &str| query.get(name).unwrap_or_default();
        Self {
            shape: of("as"),
            draft: of("draft"),
            queue: of("queue"),
            headers: of("headers"),
            needs_approval: of("needs_approval"),
            ..Self::default()
        }
    }

    /// The body that was written.
    pub(super) fn written(&self) -> Result<NewDraft, ApiError> {
        let shape = self.shape.parse();
        Ok(NewDraft {
            shape: shape.map_err(|fault: UnknownShape| ApiError::invalid(fault.to_string()))?,
            text: self.text.clone(),
            content_type: self.content_type.clone(),
        })
    }

    /// The replay of a letter, to the queue that it died in or to another.
    pub(super) fn replay_of(&self, id: LetterId) -> Result<NewReplay, ApiError> {
        let fields = ReplayFields {
            queue: self.queue.clone(),
            headers: self.headers.clone(),
            needs_approval: self.needs_approval.clone(),
            ..ReplayFields::default()
        };
        fields.ask(Selection::of_ids(vec![id]), now())
    }
}
