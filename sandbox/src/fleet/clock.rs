//! The one place where the fleet reads the clock: when messages are stamped and failures noted.
//! The script never does.

use chrono::{DateTime, Utc};

#[expect(
    clippy::disallowed_methods,
    reason = "the fleet plays other people's programs, which stamp their messages by the system's clock"
)]
pub(super) fn now() -> DateTime<Utc> {
    Utc::now()
}
