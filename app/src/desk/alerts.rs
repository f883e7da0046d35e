//! What is asked about alerts.

use async_trait::async_trait;
use dlo_domain::alert::{
    Alert, AlertDetail, AlertPreview, AlertRule, Firing, NewAlertRule, NewMute, NewSilence, Silence,
};
use dlo_domain::audit::Actor;
use dlo_domain::ids::{AlertId, AlertRuleId, SilenceId};
use dlo_domain::page::{Cursor, Page};

use super::DeskError;

/// The part of the port that is about alerts.
#[async_trait]
pub trait AlertDesk {
    /// How many alerts fire.
    async fn firing(&self) -> Result<Firing, DeskError>;

    /// What is open, pending alerts among it: the worst first, at most 500.
    async fn open_alerts(&self) -> Result<Page<Alert>, DeskError>;

    /// A page of what is over, the last that ended first. `limit` is 1 to 500.
    async fn past_alerts(
        &self,
        after: Option<Cursor>,
        limit: u32,
    ) -> Result<Page<Alert>, DeskError>;

    /// One alert with its course.
    async fn alert(&self, id: AlertId) -> Result<AlertDetail, DeskError>;

    /// Has nobody told of an alert for a time, or until it is so much worse. A conflict where the latter cannot be
    /// said of it.
    async fn mute_alert(&self, actor: &Actor, id: AlertId, mute: &NewMute)
    -> Result<(), DeskError>;

    /// Says that somebody looks into an alert. One that is not firing is a conflict.
    async fn acknowledge_alert(&self, actor: &Actor, id: AlertId) -> Result<(), DeskError>;

    /// Every alert rule.
    async fn alert_rules(&self) -> Result<Vec<AlertRule>, DeskError>;

    /// Adds a rule of one's own. More than there can be is a conflict.
    async fn add_alert_rule(
        &self,
        actor: &Actor,
        rule: &NewAlertRule,
    ) -> Result<AlertRule, DeskError>;

    /// Puts another in the place of a rule. One that every office comes with keeps its signal's kind.
    async fn change_alert_rule(
        &self,
        actor: &Actor,
        id: AlertRuleId,
        rule: &NewAlertRule,
    ) -> Result<AlertRule, DeskError>;

    /// Takes a rule of one's own away. One that every office comes with is a conflict.
    async fn remove_alert_rule(&self, actor: &Actor, id: AlertRuleId) -> Result<(), DeskError>;

    /// What a rule would have told of the last seven days; of one that is kept, also how often it did.
    async fn preview_alert_rule(
        &self,
        rule: &NewAlertRule,
        kept: Option<AlertRuleId>,
    ) -> Result<AlertPreview, DeskError>;

    /// The silences that hold, those that end first in front.
    async fn silences(&self) -> Result<Vec<Silence>, DeskError>;

    /// Silences some alerts for a time.
    async fn add_silence(&self, actor: &Actor, silence: &NewSilence) -> Result<Silence, DeskError>;

    /// Ends a silence now.
    async fn end_silence(&self, actor: &Actor, id: SilenceId) -> Result<(), DeskError>;
}
