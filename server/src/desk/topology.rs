//! The queues of brokers as they were last read, and what can be lost in them.

mod dead_lettering;
mod discovering;

use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;
use dlo_app::desk::{DeskError, QueueName, TopologyDesk};
use dlo_domain::audit::Actor;
use dlo_domain::event::LiveEvent;
use dlo_domain::ids::{FindingId, SourceId};
use dlo_domain::source::Source;
use dlo_domain::topology::{
    BrokerTopology, DeadLetteringPlan, Discover, Discovery, Finding, FindingEdit, FindingKind,
    FindingScope, KeptFinding, MOST_MUTE_HOURS, Map, NewDeadLettering, QueueCursor, QueuePage,
    QueueQuery, QueueReport, VhostTopology, shadowed,
};
use dlo_domain::worker::Condition;
use sqlx::PgConnection;

use super::{PgDesk, changing};
use crate::store::audit::{self, Note};
use crate::store::topology::{self as kept, Kept, Place, depths, findings, workers};
use crate::store::{StoreError, events, shared_time, sources};

#[async_trait]
impl TopologyDesk for PgDesk {
    async fn brokers(&self) -> Result<Vec<BrokerTopology>, DeskError> {
        let mut conn = self.connection().await?;
        let mut asked = kept::brokers(&mut conn).await?;
        for name in self.brokers.0.keys() {
            if !asked.iter().any(|one| one.broker == *name) {
                asked.push(BrokerTopology {
                    broker: name.clone(),
                    asked_at: None,
                    trouble: None,
                    trouble_since: None,
                    vhosts: Vec::new(),
                });
            }
        }
        Ok(asked)
    }

    async fn check_topology(&self) -> Result<(), DeskError> {
        changing!(self, conn => Ok(kept::ask_again(conn).await?))
    }

    async fn findings(&self, scope: FindingScope) -> Result<Vec<KeptFinding>, DeskError> {
        let mut conn = self.connection().await?;
        let now = shared_time(&mut conn, &*self.clock).await?;
        Ok(findings::list(&mut conn, scope, None, now).await?)
    }

    async fn finding(&self, id: FindingId) -> Result<KeptFinding, DeskError> {
        let mut conn = self.connection().await?;
        one(self, &mut conn, id).await
    }

    async fn edit_finding(
        &self,
        actor: &Actor,
        id: FindingId,
        edit: FindingEdit,
    ) -> Result<KeptFinding, DeskError> {
        if edit.mute_hours.is_some_and(|hours| hours > MOST_MUTE_HOURS) {
            return Err(DeskError::Invalid(format!("a mute lasts 0 to {MOST_MUTE_HOURS} hours")));
        }
        changing!(self, conn => {
            let now = shared_time(conn, &*self.clock).await?;
            if !findings::edit(conn, id, edit, &actor.0, now).await? {
                return Err(no_finding(id));
            }
            let found = one(self, conn, id).await?;
            let detail = format!("{}: {}", found.finding.title, said(edit));
            let note = Note {
                at: self.clock.now(),
                actor,
                action: "finding.edit",
                detail: Some(&detail),
                replay: None,
            };
            audit::write_office(conn, note).await?;
            events::notify(conn, &LiveEvent::Topology).await?;
            Ok(found)
        })
    }

    async fn queues(&self, query: &QueueQuery) -> Result<QueuePage, DeskError> {
        let mut conn = self.connection().await?;
        let asked = kept::brokers(&mut conn).await?;
        let mut vhosts: Vec<VhostTopology> = asked
            .into_iter()
            .flat_map(|broker| broker.vhosts)
            .filter(|vhost| is_asked_for(query, vhost))
            .collect();
        // As a cursor compares them, whatever Postgres is set to.
        vhosts.sort_by(|a, b| (&a.broker, &a.vhost).cmp(&(&b.broker, &b.vhost)));
        let (mut items, mut total, mut is_more) = (Vec::new(), 0_i64, false);
        let neighbours = Neighbours::read(self, &mut conn).await?;
        let part = query.name.as_deref().unwrap_or_default();
        for place in vhosts {
            let Some(vhost) = kept::one(&mut conn, place_of(&place)).await? else {
                continue;
            };
            let named = vhost.vhost.queues.iter().map(|queue| queue.name.as_str());
            let named = named.filter(|name| name.contains(part));
            let behind = |name: &str| {
                let after = query.after.as_ref();
                after.is_none_or(|after| after.is_before((&place.broker, &place.vhost, name)))
            };
            let room = query.limit.saturating_sub(items.len());
            let mut wanted = BTreeSet::new();
            for name in named {
                total += 1;
                if behind(name) {
                    is_more |= wanted.len() == room;
                    if wanted.len() < room {
                        wanted.insert(name);
                    }
                }
            }
            if !wanted.is_empty() {
                items.extend(neighbours.reports(&vhost, |name| wanted.contains(name)));
            }
        }
        let last = items.last().filter(|_| is_more);
        Ok(QueuePage {
            next_cursor: last.map(|last| QueueCursor::after(last).to_string()),
            items,
            estimated_total: total,
        })
    }

    async fn queue(&self, broker: &str, vhost: &str, name: &str) -> Result<QueueReport, DeskError> {
        if broker.contains('\0') || vhost.contains('\0') {
            return Err(no_queue(vhost, name));
        }
        let mut conn = self.connection().await?;
        let read = kept::one(&mut conn, Place { broker, vhost }).await?;
        let read = read.ok_or_else(|| no_queue(vhost, name))?;
        let neighbours = Neighbours::read(self, &mut conn).await?;
        let mut reports = neighbours.reports(&read, |queue| queue == name);
        let report = reports.pop().ok_or_else(|| no_queue(vhost, name))?;
        Ok(dead_lettering::after_change(&mut conn, report, read.read_at).await?)
    }

    async fn discover(&self, asked: &Discover) -> Result<Discovery, DeskError> {
        discovering::discover(self, asked).await
    }

    async fn workers_of(&self, queue: &str) -> Result<Vec<(String, Condition)>, DeskError> {
        let mut conn = self.connection().await?;
        Ok(workers::of_queue(&mut conn, queue).await?)
    }

    async fn preview_dead_lettering(
        &self,
        queue: &QueueName,
        wanted: &NewDeadLettering,
    ) -> Result<DeadLetteringPlan, DeskError> {
        dead_lettering::preview(self, queue, wanted).await
    }

    async fn set_dead_lettering(
        &self,
        actor: &Actor,
        queue: &QueueName,
        wanted: &NewDeadLettering,
        plan: Option<&str>,
    ) -> Result<DeadLetteringPlan, DeskError> {
        dead_lettering::set(self, actor, queue, wanted, plan).await
    }

    async fn unset_dead_lettering(
        &self,
        actor: &Actor,
        queue: &QueueName,
        is_dry: bool,
    ) -> Result<DeadLetteringPlan, DeskError> {
        dead_lettering::unset(self, actor, queue, is_dry).await
    }

    async fn lift_delivery_limit(
        &self,
        actor: &Actor,
        queue: &QueueName,
        plan: Option<&str>,
        is_dry: bool,
    ) -> Result<DeadLetteringPlan, DeskError> {
        dead_lettering::lift(self, actor, queue, plan, is_dry).await
    }
}

fn is_asked_for(query: &QueueQuery, vhost: &VhostTopology) -> bool {
    let is = |wanted: &Option<String>, there: &str| wanted.as_deref().is_none_or(|w| w == there);
    is(&query.broker, &vhost.broker) && is(&query.vhost, &vhost.vhost)
}

fn place_of(vhost: &VhostTopology) -> Place<'_> {
    Place { broker: &vhost.broker, vhost: &vhost.vhost }
}

/// What else is known of queues: who watches them and works on them, and what was found.
struct Neighbours {
    sources: Vec<Source>,
    worked: BTreeSet<String>,
    findings: Vec<KeptFinding>,
}

impl Neighbours {
    async fn read(desk: &PgDesk, conn: &mut PgConnection) -> Result<Self, StoreError> {
        let now = shared_time(conn, &*desk.clock).await?;
        Ok(Self {
            sources: sources::list(conn, None).await?,
            worked: depths::of_workers(conn).await?.named,
            findings: findings::list(conn, FindingScope::Present, None, now).await?,
        })
    }

    /// The queues of a vhost whose names are wanted.
    fn reports(&self, kept: &Kept, is_wanted: impl Fn(&str) -> bool) -> Vec<QueueReport> {
        let map = Map::with_workers(&kept.vhost, &self.worked);
        let here = |broker: &str, vhost: &str| broker == kept.broker && vhost == kept.name;
        let watched: BTreeMap<&str, SourceId> = self
            .sources
            .iter()
            .filter(|source| here(&source.broker, &source.vhost))
            .map(|source| (source.queue.as_str(), source.id))
            .collect();
        let mut found: BTreeMap<&str, Vec<FindingId>> = BTreeMap::new();
        for one in self.findings.iter().filter(|one| here(&one.broker, &one.vhost)) {
            let Finding { kind, subject, other, .. } = &one.finding;
            let harmed = match kind {
                FindingKind::PolicyShadowed => shadowed(&kept.vhost, subject, other),
                _ => vec![&**subject],
            };
            for queue in harmed {
                found.entry(queue).or_default().push(one.id);
            }
        }
        let queues = kept.vhost.queues.iter();
        queues
            .filter(|queue| is_wanted(&queue.name))
            .map(|queue| {
                let mut report = QueueReport::of(&map, queue, (&kept.broker, &kept.name));
                report.source_id = watched.get(queue.name.as_str()).copied();
                report.findings = found.get(queue.name.as_str()).cloned().unwrap_or_default();
                report
            })
            .collect()
    }
}

async fn one(
    desk: &PgDesk,
    conn: &mut PgConnection,
    id: FindingId,
) -> Result<KeptFinding, DeskError> {
    let now = shared_time(conn, &*desk.clock).await?;
    let mut found = findings::list(conn, FindingScope::All, Some(id), now).await?;
    found.pop().ok_or_else(|| no_finding(id))
}

/// What was done, for the audit trail.
fn said(edit: FindingEdit) -> String {
    let noted = match edit.acknowledged {
        Some(true) => "acknowledged",
        Some(false) => "not acknowledged any more",
        None => "",
    };
    let muted = match edit.mute_hours {
        Some(0) => "not muted any more".to_owned(),
        Some(hours) => format!("muted for {hours} h"),
        None => String::new(),
    };
    let both: Vec<&str> = [noted, &muted].into_iter().filter(|t| !t.is_empty()).collect();
    both.join(", ")
}

fn no_finding(id: FindingId) -> DeskError {
    DeskError::NotFound(format!(
        "there is no finding {id}: those that have been gone for 90 days are removed"
    ))
}

fn no_queue(vhost: &str, name: &str) -> DeskError {
    DeskError::NotFound(format!(
        "no queue `{name}` was seen in vhost `{vhost}` when it was last read"
    ))
}
