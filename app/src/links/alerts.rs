//! Addresses of the pages about alerts and channels, which only the server makes.

use dlo_domain::alert::Signal;
use dlo_domain::ids::{AlertId, AlertRuleId, ChannelId};

use super::{ALERTS, letters_within, with_query};

/// The alerts that are over.
pub(crate) const PAST_ALERTS: &str = "/alerts/history";

/// The alert rules.
pub(crate) const ALERT_RULES: &str = "/alerts/rules";

/// The silences.
pub(crate) const SILENCES: &str = "/alerts/silences";

/// The channels.
pub const CHANNELS: &str = "/alerts/channels";

/// One alert.
#[must_use]
pub fn alert(id: AlertId) -> String {
    format!("{ALERTS}/{id}")
}

/// The page that asks once whether to `acknowledge` or `mute` an alert.
#[must_use]
pub fn asked_of_alert(id: AlertId, what: &str) -> String {
    with_query(&alert(id), [("do", what)])
}

/// The letters that a signal is about, as the list shows them.
#[must_use]
pub fn letters_of_signal(signal: &Signal) -> String {
    let scope = if matches!(signal, Signal::OldestLetter { .. }) { "state:held" } else { "" };
    letters_within(scope, signal.filter().unwrap_or_default())
}

/// The form of a new alert rule.
pub(crate) const NEW_ALERT_RULE: &str = "/alerts/rules/new";

/// The form of an alert rule.
pub(crate) fn alert_rule(id: AlertRuleId) -> String {
    format!("{ALERT_RULES}/{id}")
}

/// The form of a channel.
pub(crate) fn channel(id: ChannelId) -> String {
    format!("{CHANNELS}/{id}")
}
