//! Alerts: what is watched, from when on it is told, and when it is over.
//!
//! Everything here is arithmetic: the time and what was seen are arguments, so that a week of alerts can
//! be played through in a test. What is kept and who is told is the server's.

mod inhibition;
mod life;
mod mute;
mod preview;
mod report;
mod rule;
mod signal;
mod silence;
mod subject;
mod wording;

pub use inhibition::follows_from_broker;
pub use life::{AlertChange, AlertState, Life, Sighting, Step, next_step};
pub use mute::{Mute, MuteFault, NewMute};
pub use preview::{AlertPeriod, AlertPreview, by_hours, of_arrivals, of_waiting, would_have_fired};
pub use report::{Alert, AlertDetail, AlertEvent, AlertEventKind, AlertFact, AlertTold, Firing};
pub use rule::{
    AlertRule, AlertRuleFault, BuiltIn, MOST_ALERT_RULES, MOST_NAME_CHARS, NewAlertRule,
    UnknownBuiltIn, condition,
};
pub use signal::{Arrivals, LEAST_OF_RATIO, Limit, MOST_WINDOW_MINUTES, Measure, Signal, Unit};
pub use silence::{MOST_REASON_CHARS, NewSilence, Silence, SilenceFault, SilenceScope};
pub use subject::AlertSubject;
pub use wording::{asks, lasting, says};

#[cfg(test)]
mod tests;
