//! From the store's failures to what people are told. Faults of ours are logged here, once.

use dlo_app::desk::DeskError;

use crate::store::StoreError;
use crate::transform::offload::Busy;

const AWAY: &str = "The database does not answer. Nothing was changed; try again in a few seconds.";

const TOO_LATE: &str = "The query took too long and was cancelled; nothing was changed. Try again \
    in a few seconds, or narrow the filter, such as with age:<1d, queue:name or state:held.";

impl From<StoreError> for DeskError {
    fn from(why: StoreError) -> Self {
        if why.is_too_late() {
            tracing::debug!(%why, "a statement was given up");
            return Self::Unavailable(TOO_LATE.to_owned());
        }
        if why.is_outage() {
            tracing::debug!(%why, "a request found the database away");
            return Self::Unavailable(AWAY.to_owned());
        }
        if is_rolled_back(&why) {
            tracing::debug!(%why, "somebody else's transaction came in between");
        } else {
            tracing::error!(%why, "a request failed");
        }
        Self::Internal(Box::new(why))
    }
}

/// A failure of what may take long, whose answer says something of its own when it took too long.
pub(super) fn in_time(why: StoreError, too_late: impl Into<String>) -> DeskError {
    if why.is_too_late() { DeskError::Unavailable(too_late.into()) } else { why.into() }
}

/// A failure of the preview of a rule or policy.
pub(super) fn no_preview(why: StoreError, of: &str) -> DeskError {
    let too_late = format!(
        "Counting took too long, so there is no preview of this {of}. It can still be saved."
    );
    in_time(why, too_late)
}

impl From<Busy> for DeskError {
    fn from(why: Busy) -> Self {
        Self::Unavailable(why.to_string())
    }
}

/// A failure of the commit itself: its answer may be all that was lost.
pub(super) fn of_commit(why: sqlx::Error) -> DeskError {
    let why = StoreError::from(why);
    if why.is_outage() {
        return DeskError::Unavailable(
            "The database stopped answering at the last step: the change was made in full or not \
             at all. Reload to see which."
                .to_owned(),
        );
    }
    why.into()
}

/// Whether Postgres gave the transaction up because of somebody else's.
pub(super) fn is_conflict(why: &DeskError) -> bool {
    let DeskError::Internal(cause) = why else {
        return false;
    };
    cause.downcast_ref().is_some_and(is_rolled_back)
}

/// Class 40: a deadlock, or a serialization failure.
fn is_rolled_back(why: &StoreError) -> bool {
    match why {
        StoreError::Database(sqlx::Error::Database(refusal)) => {
            refusal.code().is_some_and(|code| code.starts_with("40"))
        }
        _ => false,
    }
}
