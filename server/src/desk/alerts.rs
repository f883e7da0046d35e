//! Alerts and silences.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use dlo_app::desk::{AlertDesk, DeskError};
use dlo_domain::alert::{
    Alert, AlertDetail, AlertFact, AlertPreview, AlertRule, Firing, Mute, NewAlertRule, NewMute,
    NewSilence, Silence, SilenceScope,
};
use dlo_domain::audit::Actor;
use dlo_domain::event::LiveEvent;
use dlo_domain::ids::{AlertId, AlertRuleId, SilenceId};
use dlo_domain::notice::Fact;
use dlo_domain::page::{Cursor, Page};
use sqlx::PgConnection;

use super::letters::{cut, page_size};
use super::{PgDesk, alert_rules, changing};
use crate::clock::new_id;
use crate::notifying::{About, around};
use crate::store::alerts::{list, open, silences};
use crate::store::audit::{self, Note};
use crate::store::{StoreError, events, shared_time};

/// Open alerts that are listed at most.
const MOST_OPEN: i64 = 500;

/// What is listed at most of the course of an alert.
const MOST_EVENTS: i64 = 200;

#[async_trait]
impl AlertDesk for PgDesk {
    async fn firing(&self) -> Result<Firing, DeskError> {
        let mut conn = self.connection().await?;
        Ok(list::firing(&mut conn).await?)
    }

    async fn open_alerts(&self) -> Result<Page<Alert>, DeskError> {
        let mut conn = self.connection().await?;
        let now = shared_time(&mut conn, &*self.clock).await?;
        let items = list::open(&mut conn, MOST_OPEN, now).await?;
        let estimated_total = list::count_open(&mut conn).await?;
        Ok(Page { estimated_total, ..items.into() })
    }

    async fn past_alerts(
        &self,
        after: Option<Cursor>,
        limit: u32,
    ) -> Result<Page<Alert>, DeskError> {
        let mut conn = self.connection().await?;
        let limit = page_size(limit);
        let now = shared_time(&mut conn, &*self.clock).await?;
        let mut items = list::over(&mut conn, after, limit + 1, now).await?;
        let more = cut(&mut items, limit);
        let last = items.last().filter(|_| more);
        let total = list::count_over(&mut conn).await?;
        Ok(Page {
            next_cursor: last.and_then(|one| Some(Cursor { at: one.resolved_at?, id: one.id.0 })),
            estimated_total: total.count,
            total_is_least: total.is_least,
            ..items.into()
        })
    }

    async fn alert(&self, id: AlertId) -> Result<AlertDetail, DeskError> {
        let mut conn = self.connection().await?;
        let now = shared_time(&mut conn, &*self.clock).await?;
        let alert = find(&mut conn, id, now).await?;
        let events = list::events(&mut conn, id, MOST_EVENTS).await?;
        let told = list::told(&mut conn, id, MOST_EVENTS).await?;
        let mut silences = silences::holding(&mut conn, now).await?;
        silences.retain(|silence| silence.scope.holds(alert.rule, &alert.subject));
        drop(conn);
        let about = About {
            rule: alert.rule,
            signal: &alert.signal,
            subject: &alert.subject,
            figure: alert.figure,
        };
        let facts = match alert.resolved_at {
            None => around(&self.pool, &self.comparisons, about, now).await?,
            Some(_) => Vec::new(),
        };
        let fact = |fact: Fact| AlertFact { label: fact.label.to_owned(), text: fact.text };
        let facts = facts.into_iter().map(fact).collect();
        Ok(AlertDetail { alert, facts, events, told, silences })
    }

    async fn mute_alert(
        &self,
        actor: &Actor,
        id: AlertId,
        mute: &NewMute,
    ) -> Result<(), DeskError> {
        let silence_id = SilenceId(new_id(&*self.clock));
        changing!(self, conn => {
            let now = shared_time(conn, &*self.clock).await?;
            let alert = find(conn, id, now).await?;
            let checked = mute.checked(alert.signal.unit());
            match checked.map_err(|why| DeskError::Invalid(why.to_string()))? {
                Mute::For(time) => {
                    let scope = SilenceScope::of_alert(alert.rule, &alert.subject);
                    let reason = format!("muted from the alert: {}", alert.says);
                    let silence = NewSilence { scope, until: now + time, reason };
                    let silence = silence
                        .checked(now)
                        .map_err(|why| DeskError::Invalid(why.to_string()))?;
                    if !silences::add(conn, silence_id, &silence, (&actor.0, now)).await? {
                        return Err(DeskError::Conflict(
                            "the rule or the group of this alert is gone: there is nothing to mute".to_owned(),
                        ));
                    }
                }
                Mute::UntilMore(more) => {
                    if !open::mute_until_more(conn, id, more).await? {
                        return Err(DeskError::Conflict(format!(
                            "the alert is {}: only one that was sent can be muted until it gets \
                             worse",
                            alert.state.as_str()
                        )));
                    }
                }
            }
            open::note_mute(conn, id, &actor.0, now).await?;
            close(conn, note(self, actor, "alert.mute"), &id.to_string()).await?;
            Ok(())
        })
    }

    async fn acknowledge_alert(&self, actor: &Actor, id: AlertId) -> Result<(), DeskError> {
        changing!(self, conn => {
            let now = shared_time(conn, &*self.clock).await?;
            if !open::acknowledge(conn, id, &actor.0, now).await? {
                return Err(match open::state_of(conn, id).await? {
                    None => DeskError::NotFound(format!("there is no alert {id}")),
                    Some(state) => DeskError::Conflict(format!(
                        "the alert is {}: only one that is firing can be acknowledged", state.as_str()
                    )),
                });
            }
            close(conn, note(self, actor, "alert.acknowledge"), &id.to_string()).await?;
            Ok(())
        })
    }

    async fn alert_rules(&self) -> Result<Vec<AlertRule>, DeskError> {
        alert_rules::list(self).await
    }

    async fn add_alert_rule(
        &self,
        actor: &Actor,
        rule: &NewAlertRule,
    ) -> Result<AlertRule, DeskError> {
        alert_rules::add(self, actor, rule).await
    }

    async fn change_alert_rule(
        &self,
        actor: &Actor,
        id: AlertRuleId,
        rule: &NewAlertRule,
    ) -> Result<AlertRule, DeskError> {
        alert_rules::change(self, actor, id, rule).await
    }

    async fn remove_alert_rule(&self, actor: &Actor, id: AlertRuleId) -> Result<(), DeskError> {
        alert_rules::remove(self, actor, id).await
    }

    async fn preview_alert_rule(
        &self,
        rule: &NewAlertRule,
        kept: Option<AlertRuleId>,
    ) -> Result<AlertPreview, DeskError> {
        alert_rules::preview(self, rule, kept).await
    }

    async fn silences(&self) -> Result<Vec<Silence>, DeskError> {
        let mut conn = self.connection().await?;
        let now = shared_time(&mut conn, &*self.clock).await?;
        Ok(silences::holding(&mut conn, now).await?)
    }

    async fn add_silence(&self, actor: &Actor, silence: &NewSilence) -> Result<Silence, DeskError> {
        let id = SilenceId(new_id(&*self.clock));
        changing!(self, conn => {
            let now = shared_time(conn, &*self.clock).await?;
            let silence = silence.checked(now).map_err(|why| DeskError::Invalid(why.to_string()))?;
            if !silences::add(conn, id, &silence, (&actor.0, now)).await? {
                return Err(DeskError::NotFound(
                    "the rule, source or group that the silence names is not there".to_owned(),
                ));
            }
            close(conn, note(self, actor, "silence.add"), &silence.reason).await?;
            let NewSilence { scope, until, reason } = silence;
            Ok(Silence { id, scope, since: now, until, reason, by: actor.0.clone() })
        })
    }

    async fn end_silence(&self, actor: &Actor, id: SilenceId) -> Result<(), DeskError> {
        changing!(self, conn => {
            let now = shared_time(conn, &*self.clock).await?;
            if !silences::end(conn, id, (&actor.0, now)).await? {
                return Err(DeskError::NotFound(format!("there is no silence {id} that holds")));
            }
            close(conn, note(self, actor, "silence.end"), &id.to_string()).await?;
            Ok(())
        })
    }
}

async fn find(
    conn: &mut PgConnection,
    id: AlertId,
    now: DateTime<Utc>,
) -> Result<Alert, DeskError> {
    let alert = list::one(conn, id, now).await?;
    alert.ok_or_else(|| DeskError::NotFound(format!("there is no alert {id}")))
}

pub(super) async fn close(
    conn: &mut PgConnection,
    note: Note<'_>,
    detail: &str,
) -> Result<(), StoreError> {
    audit::write_office(conn, Note { detail: Some(detail), ..note }).await?;
    events::notify(conn, &LiveEvent::Alerts).await
}

pub(super) fn note<'a>(desk: &PgDesk, actor: &'a Actor, action: &'a str) -> Note<'a> {
    Note { at: desk.clock.now(), actor, action, detail: None, replay: None }
}
