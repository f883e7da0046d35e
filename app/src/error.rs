//! The only error that crosses the wire. What went wrong inside stays in the log, under a
//! reference that both sides name.

use leptos::prelude::*;
use leptos::server_fn::codec::JsonEncoding;
use leptos::server_fn::error::ServerFnErrorErr;
use serde::{Deserialize, Serialize};

use crate::request::answer_with;

/// Why a page or an action did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum ApiError {
    /// There is no such thing.
    #[error("{reason}")]
    NotFound {
        /// What was looked for.
        reason: String,
    },
    /// It is in no state that allows this.
    #[error("{reason}")]
    Conflict {
        /// How it stands.
        reason: String,
    },
    /// What was asked cannot be read or makes no sense.
    #[error("{reason}")]
    Invalid {
        /// How to mend it.
        reason: String,
    },
    /// Something outside does not answer; nothing was changed.
    #[error("{reason}")]
    Unavailable {
        /// What, and what is safe all the same.
        reason: String,
    },
    /// A fault of ours.
    #[error(
        "Something went wrong on our side. Nothing was lost. See the log under the reference \
         {reference}."
    )]
    Internal {
        /// The same in the log.
        reference: String,
    },
    /// The answer did not arrive or could not be read.
    #[error("The server could not be reached: {0}. Try again; nothing was lost.")]
    Transport(String),
}

impl ApiError {
    /// What was asked makes no sense.
    pub fn invalid(reason: impl Into<String>) -> Self {
        answer_with(400);
        Self::Invalid { reason: reason.into() }
    }

    /// It cannot be done as things are.
    pub fn conflict(reason: impl Into<String>) -> Self {
        answer_with(409);
        Self::Conflict { reason: reason.into() }
    }

    /// There is no such thing.
    pub fn not_found(reason: impl Into<String>) -> Self {
        answer_with(404);
        Self::NotFound { reason: reason.into() }
    }

    /// What a page is called that can only show this.
    #[must_use]
    pub fn heading(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => "There is nothing here.",
            Self::Conflict { .. } => "That is not possible any more.",
            Self::Invalid { .. } => "The request is not valid.",
            Self::Unavailable { .. } => "Part of the system does not answer.",
            Self::Internal { .. } => "Something went wrong on our side.",
            Self::Transport(_) => "The server could not be reached.",
        }
    }
}

impl FromServerFnError for ApiError {
    type Encoder = JsonEncoding;

    fn from_server_fn_error(value: ServerFnErrorErr) -> Self {
        match value {
            ServerFnErrorErr::Args(why)
            | ServerFnErrorErr::MissingArg(why)
            | ServerFnErrorErr::Deserialization(why) => {
                Self::invalid(format!("The form was not understood: {why}."))
            }
            other => Self::Transport(other.to_string()),
        }
    }
}
