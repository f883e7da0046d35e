//! Evaluates alert rules every second, one office at a time: reads the figures that they watch, and takes
//! each alert a step further (`dlo_domain::alert`). All of a look is one transaction, so that an office that
//! dies loses nothing and tells nothing twice.

mod signals;

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::alert::{
    AlertChange, AlertRule, AlertState, AlertSubject, Life, Limit, Sighting, Signal, Silence, Step,
    Unit, follows_from_broker, next_step,
};
use dlo_domain::channel::{Delivery, Route};
use dlo_domain::event::LiveEvent;
use dlo_domain::filter::LetterFilter;
use dlo_domain::ids::{AlertId, AlertRuleId, ChannelId, GroupId, LetterId};
use sqlx::{PgConnection, PgPool};
use tokio_util::sync::CancellationToken;

use crate::clock::{SharedClock, new_id};
use crate::duty::{Duty, Next};
use crate::store::alerts::behind;
use crate::store::alerts::figures::{Figure, MOST_THINGS};
use crate::store::alerts::open::{self, Open};
use crate::store::alerts::rules::{self, Kept};
use crate::store::alerts::silences;
use crate::store::channels::outbox::{self, Recipient};
use crate::store::policies::first_matches;
use crate::store::{StoreError, events, shared_time};

/// How often rules are evaluated.
pub const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Evaluates alert rules.
#[derive(Debug)]
pub struct Evaluator {
    pool: PgPool,
    clock: SharedClock,
    /// After which time without a consumer a queue is held to be idle.
    idle_after: TimeDelta,
}

/// The alerts that are open and have not been looked at yet, by rule and key.
type Unseen = HashMap<(AlertRuleId, String), Open>;

/// What a look is made with.
struct Look {
    now: DateTime<Utc>,
    silences: Vec<Silence>,
    /// Brokers that are known to be away.
    away: BTreeSet<String>,
    /// Channels, and what goes there.
    routes: Vec<(ChannelId, Route)>,
    /// Alerts that changed.
    changes: usize,
}

impl Duty for Evaluator {
    async fn step(&mut self, _: &CancellationToken) -> Result<Next, StoreError> {
        self.look().await.map(|_| Next::Usual)
    }
}

impl Evaluator {
    /// One for queues that are held to be idle after this time.
    #[must_use]
    pub fn new(pool: PgPool, clock: SharedClock, idle_after: Duration) -> Self {
        let idle_after = TimeDelta::from_std(idle_after).unwrap_or(TimeDelta::MAX);
        Self { pool, clock, idle_after }
    }

    /// One look at all rules. Tells how many alerts changed; none when another office looks.
    ///
    /// # Errors
    /// When Postgres does not do it; then nothing changed.
    pub async fn look(&self) -> Result<usize, StoreError> {
        let mut transaction = self.pool.begin().await?;
        let conn = &mut *transaction;
        if !open::take_turn(conn).await? {
            return Ok(0);
        }
        let now = shared_time(conn, &*self.clock).await?;
        let mut rules = rules::all(conn).await?;
        // What follows from a broker that is away is looked at behind it.
        rules.sort_by_key(|kept| kept.rule.rule.signal != Signal::BrokerAway);
        let mut unseen = open::all(conn).await?;
        let silences = silences::holding(conn, now).await?;
        let routes = outbox::routes(conn).await?;
        let mut look = Look { now, silences, away: BTreeSet::new(), routes, changes: 0 };
        for kept in rules.iter().filter(|kept| kept.rule.rule.enabled) {
            let read = signals::read(conn, kept, self.idle_after, now).await?;
            self.follow(conn, &mut look, kept, read, &mut unseen).await?;
        }
        for open in unseen.into_values() {
            close(conn, &mut look, open).await?;
        }
        if look.changes > 0 {
            events::notify(conn, &LiveEvent::Alerts).await?;
        }
        transaction.commit().await?;
        Ok(look.changes)
    }

    /// Takes every alert of a rule a step further.
    async fn follow(
        &self,
        conn: &mut PgConnection,
        look: &mut Look,
        kept: &Kept,
        read: Vec<Figure>,
        unseen: &mut Unseen,
    ) -> Result<(), StoreError> {
        let rule = &kept.rule;
        // There may be more things than were read: of those it is not known how they are.
        let is_whole = i64::try_from(read.len()).unwrap_or(i64::MAX) < MOST_THINGS;
        for Figure { subject, figure, severity } in read {
            let before = unseen.remove(&(rule.id, subject.key.clone()));
            if rule.rule.signal == Signal::BrokerAway {
                look.away.insert(subject.key.clone());
            }
            let is_quiet = look.is_quiet(rule.id, &rule.rule.signal, &subject);
            let sighting = Sighting { figure, severity, is_quiet };
            let step =
                next_step(&rule.rule, before.as_ref().map(|open| &open.life), sighting, look.now);
            self.apply(conn, look, rule, (before, subject), step).await?;
        }
        let gone: Vec<_> = unseen.keys().filter(|(id, _)| *id == rule.id).cloned().collect();
        for key in gone {
            let Some(open) = unseen.remove(&key) else { continue };
            let figure = match rule.rule.signal.limit(rule.rule.limit) {
                Limit::Above(_) => 0,
                // There is nothing more of what there were too few of.
                Limit::Below(limit) => limit,
            };
            let is_quiet = look.is_quiet(rule.id, &rule.rule.signal, &open.subject);
            let figure = is_whole.then_some(figure);
            let sighting = Sighting { figure, severity: Some(open.life.severity), is_quiet };
            let step = next_step(&rule.rule, Some(&open.life), sighting, look.now);
            let subject = open.subject.clone();
            self.apply(conn, look, rule, (Some(open), subject), step).await?;
        }
        Ok(())
    }

    async fn apply(
        &self,
        conn: &mut PgConnection,
        look: &mut Look,
        rule: &AlertRule,
        (before, subject): (Option<Open>, AlertSubject),
        step: Step,
    ) -> Result<(), StoreError> {
        let (life, change) = match (step, &before) {
            (Step::None, _) | (Step::Dropped, None) => return Ok(()),
            (Step::Dropped, Some(before)) => {
                look.changes += 1;
                return open::drop_pending(conn, before.id).await;
            }
            (Step::Goes(life, change), _) => (life, change),
        };
        if let Some(before) = &before
            && change.is_none()
            && is_as_it_was(&before.life, &life, rule)
        {
            return Ok(());
        }
        let id = before.as_ref().map(|open| open.id);
        let open = Open { id: id.unwrap_or_else(|| AlertId(new_id(&*self.clock))), life, subject };
        if before.is_none() {
            look.changes += 1;
            open::begin(conn, rule.id, &open).await?;
        }
        open::go_on(conn, &open, look.now).await?;
        if let Some(change) = change {
            look.changes += 1;
            look.tell(conn, &open, change).await?;
        }
        Ok(())
    }
}

/// Whether there is nothing to write. A figure that is a time grows by itself, and `since` tells it.
fn is_as_it_was(before: &Life, life: &Life, rule: &AlertRule) -> bool {
    if rule.rule.signal.unit() != Unit::Seconds {
        return before == life;
    }
    *before == Life { figure: before.figure, worst: before.worst, ..life.clone() }
}

impl Look {
    /// Notes a change, and has channels told of it.
    async fn tell(
        &self,
        conn: &mut PgConnection,
        open: &Open,
        change: AlertChange,
    ) -> Result<(), StoreError> {
        open::note(conn, open.id, change, &open.life, self.now).await?;
        if !open.life.is_told() {
            return Ok(());
        }
        let mut recipients = Vec::new();
        for (channel, route) in &self.routes {
            let Some(delivery) = route.delivery(open.life.severity, &open.subject) else {
                continue;
            };
            // A channel that takes nothing is not told so itself.
            if open.subject.key != channel.to_string()
                && self.takes_group(conn, route, open.subject.group).await?
            {
                let not_before = match delivery {
                    Delivery::Now => None,
                    Delivery::Digest => Some(route.digest_at.next_after(self.now)),
                };
                recipients.push(Recipient { channel: *channel, not_before });
            }
        }
        outbox::write(conn, (open.id, change, &open.life), &recipients, self.now).await
    }

    /// Whether a route takes what is about this group; what is about none, it does.
    async fn takes_group(
        &self,
        conn: &mut PgConnection,
        route: &Route,
        group: Option<GroupId>,
    ) -> Result<bool, StoreError> {
        let Some(group) = group else { return Ok(true) };
        if !route.owners.is_empty() {
            let owner = outbox::owner_of(conn, group).await?;
            if !route.takes_owner(owner.as_deref()) {
                return Ok(false);
            }
        }
        // One that this version cannot read tells rather too much than nothing.
        let filter = LetterFilter::parse(&route.filter).unwrap_or_default();
        if filter.is_empty() {
            return Ok(true);
        }
        let Some(last) = behind::last_of_group(conn, group).await? else { return Ok(true) };
        let last = BTreeSet::from([LetterId(last.id)]);
        Ok(!first_matches(conn, &filter, &last, self.now).await?.is_empty())
    }

    fn is_quiet(&self, rule: AlertRuleId, signal: &Signal, subject: &AlertSubject) -> bool {
        let mut silences = self.silences.iter();
        silences.any(|silence| silence.scope.holds(rule, subject))
            || follows_from_broker(signal, subject, |broker| self.away.contains(broker))
    }
}

/// The alert of a rule that is there no more, or is switched off, ends: nobody looks whether it is over.
async fn close(conn: &mut PgConnection, look: &mut Look, mut open: Open) -> Result<(), StoreError> {
    look.changes += 1;
    if open.life.state == AlertState::Pending {
        return open::drop_pending(conn, open.id).await;
    }
    open.life.state = AlertState::Resolved;
    open::go_on(conn, &open, look.now).await?;
    look.tell(conn, &open, AlertChange::Unwatched).await
}
