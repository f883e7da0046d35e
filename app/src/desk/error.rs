//! Why a desk says no.

/// Why the desk did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum DeskError {
    /// There is no such thing.
    #[error("{0}")]
    NotFound(String),
    /// What was asked is well formed, and cannot be carried out as it is.
    #[error("{why}")]
    Unfit {
        /// What is wrong, and how to mend it.
        why: String,
        /// Of a program: where what is wrong begins, and how much of it, in characters.
        place: Option<(usize, usize)>,
    },
    /// It is no longer (or never was) in a state that allows this.
    #[error("{0}")]
    Conflict(String),
    /// What was asked cannot be read or makes no sense; the text says how to mend it.
    #[error("{0}")]
    Invalid(String),
    /// Something outside does not answer; nothing was changed and it can be asked again.
    #[error("{0}")]
    Unavailable(String),
    /// A fault of ours, logged where it happened.
    #[error("something went wrong on our side")]
    Internal(#[source] Box<dyn std::error::Error + Send + Sync>),
}
