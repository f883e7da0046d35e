//! The pages about alerts.

mod acting;
mod detail;
mod open;
mod parts;
mod past;
mod preview;
mod rule;
mod rule_form;
mod rules;
mod silences;

pub(super) use detail::AlertPage;
pub(super) use open::AlertsPage;
pub(super) use parts::Tabs;
pub(super) use past::PastAlertsPage;
pub(super) use rule::AlertRulePage;
pub(super) use rules::AlertRulesPage;
pub(super) use silences::SilencesPage;
