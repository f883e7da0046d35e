//! What people do with alerts, rules and silences: one form each. What cannot be done leads back to the page, with
//! the reason.

use dlo_domain::alert::{BuiltIn, NewMute, NewSilence, SilenceScope};
use dlo_domain::audit::Actor;
use dlo_domain::ids::{AlertId, AlertRuleId, SilenceId};
use leptos::prelude::*;

use super::rule_form::AlertRuleForm;
use crate::api;
use crate::desk::desk;
use crate::error::ApiError;
use crate::links;
use crate::pages::reading::{chosen, length, number};
use crate::request::{go_on_to, lead_back, now};

/// Says that somebody looks into an alert.
///
/// # Errors
/// No such alert, one that does not fire, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "alerts/acknowledge")]
pub(crate) async fn acknowledge_alert(id: String) -> Result<(), ApiError> {
    let alert: AlertId = api::id(&id, "alert")?;
    desk().acknowledge_alert(&Actor::local_operator(), alert).await?;
    go_on_to(&links::told(&links::alert(alert), "acknowledged"));
    Ok(())
}

/// Mutes an alert for a time such as `4h`, or until its figure is so much above what it is now.
///
/// # Errors
/// A time or a number that will not do, no such alert, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "alerts/mute")]
pub(crate) async fn mute_alert(
    id: String,
    #[server(default)] time: String,
    #[server(default)] more: String,
) -> Result<(), ApiError> {
    let alert: AlertId = api::id(&id, "alert")?;
    let seconds = chosen(&time).map(length).transpose()?;
    let until_more = chosen(&more).map(number).transpose()?;
    let mute = NewMute { seconds, until_more };
    desk().mute_alert(&Actor::local_operator(), alert, &mute).await?;
    go_on_to(&links::told(&links::alert(alert), "muted"));
    Ok(())
}

/// Silences all alerts, those of a rule, or those about a source, for a time such as `4h`.
///
/// # Errors
/// A silence that will not do, one of what is not there, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "alerts/silence")]
pub(crate) async fn add_silence(
    #[server(default)] rule: String,
    #[server(default)] source: String,
    time: String,
    #[server(default)] reason: String,
) -> Result<(), ApiError> {
    let rule = chosen(&rule).map(|rule| api::id(rule, "rule")).transpose()?;
    let source = chosen(&source).map(|source| api::id(source, "source")).transpose()?;
    let scope = SilenceScope { rule, source, ..SilenceScope::default() };
    let until = now() + chrono::TimeDelta::seconds(i64::from(length(&time)?));
    let silence = NewSilence { scope, until, reason };
    desk().add_silence(&Actor::local_operator(), &silence).await?;
    go_on_to(&links::told(links::SILENCES, "silenced"));
    Ok(())
}

/// Ends a silence now.
///
/// # Errors
/// No such silence that holds, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "alerts/silence/end")]
pub(crate) async fn end_silence(id: String) -> Result<(), ApiError> {
    let silence: SilenceId = api::id(&id, "silence")?;
    desk().end_silence(&Actor::local_operator(), silence).await?;
    go_on_to(&links::told(links::SILENCES, "silence-ended"));
    Ok(())
}

/// Has a rule evaluated, or evaluated no more.
///
/// # Errors
/// No such rule, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "alerts/rule/enable")]
pub(crate) async fn enable_alert_rule(id: String, enabled: bool) -> Result<(), ApiError> {
    let rule: AlertRuleId = api::id(&id, "rule")?;
    let mut kept = super::rule::find(rule).await?;
    kept.rule.enabled = enabled;
    desk().change_alert_rule(&Actor::local_operator(), rule, &kept.rule).await?;
    go_on_to(&links::told(links::ALERT_RULES, "rule"));
    Ok(())
}

/// Removes a rule of one's own.
///
/// # Errors
/// No such rule, one that every office has, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "alerts/rule/remove")]
pub(crate) async fn remove_alert_rule(id: String) -> Result<(), ApiError> {
    let rule: AlertRuleId = api::id(&id, "rule")?;
    desk().remove_alert_rule(&Actor::local_operator(), rule).await?;
    go_on_to(&links::told(links::ALERT_RULES, "rule-removed"));
    Ok(())
}

/// Keeps what was written: as a new rule, or in the place of the one of this id.
///
/// # Errors
/// A rule that will not do, no such rule, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "alerts/rule/save")]
pub(crate) async fn save_alert_rule(
    id: String,
    #[server(flatten)] form: AlertRuleForm,
) -> Result<(), ApiError> {
    let me = Actor::local_operator();
    let rule = match &*id {
        super::rule::NEW => None,
        id => Some(api::id::<AlertRuleId>(id, "rule")?),
    };
    let saved = async {
        match rule {
            None => {
                let written = form.read(BuiltIn::DeadLetterRate.rule().signal)?;
                desk().add_alert_rule(&me, &written).await?;
            }
            Some(rule) => {
                let kept = super::rule::find(rule).await?;
                let written = form.read(kept.rule.signal)?;
                desk().change_alert_rule(&me, rule, &written).await?;
            }
        }
        Ok(())
    };
    match saved.await {
        Ok(()) => go_on_to(&links::told(links::ALERT_RULES, "rule")),
        // What was written is not lost: it stands in the address.
        Err(error) => lead_back::<SaveAlertRule>(&form.address(rule), &error),
    }
    Ok(())
}
