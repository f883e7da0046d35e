//! The application's port over Postgres and RabbitMQ: what people and programs ask for, and the
//! only place that turns the store's failures into what they are told.
//!
//! Every change is one transaction with its audit lines and its event; what it could not touch
//! is counted with the reason. Publishing is the replay engine's: here a plan is frozen, no more.

mod approvals;
mod breakdown;
mod causes;
mod decisions;
mod destinations;
mod edits;
mod error;
mod executions;
mod fleet;
mod groups;
mod letters;
mod losses;
mod origins;
mod overview;
mod policies;
mod replays;
mod rules;
mod selection;
mod sources;
mod timeline;
mod topology;
mod transaction;
mod transforms;
mod troubles;
mod views;
mod warnings;

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use dlo_app::desk::{DeskError, TriageDesk};
use dlo_domain::arrival::Arrival;
use dlo_domain::audit::Actor;
use dlo_domain::breakdown::Breakdown;
use dlo_domain::changing::{
    Edit, EditSheet, NewDraft, SentBody, Shape, TransformPreview, TryTransform,
};
use dlo_domain::delivery_limit::NewAcceptedLoss;
use dlo_domain::filter::LetterFilter;
use dlo_domain::group::{Group, GroupEdit, GroupState, GroupSummary, MergeGroups, SplitGroup};
use dlo_domain::ids::{GroupId, LetterId, OfficeId, ReplayId, RuleId, SourceId, ViewId};
use dlo_domain::letter::{Letter, LetterSummary};
use dlo_domain::office::{FilterChoices, Trouble};
use dlo_domain::overview::{Overview, Span};
use dlo_domain::page::{Cursor, Page, Total};
use dlo_domain::payload::{BodyPart, BodyRange, Payload};
use dlo_domain::replay::{Control, Makers, NewReplay, Outcome, Replay, ReplayItem};
use dlo_domain::rule::{NewRule, Rule, RuleBook, RuleKind, RulePreview};
use dlo_domain::selection::{Changed, Selection};
use dlo_domain::source::{NewSource, Source};
use dlo_domain::view::{NewView, View};
use sqlx::{PgPool, Postgres, Transaction};
use transaction::changing;
use uuid::Uuid;

use crate::broker::Brokers;
use crate::clock::SharedClock;
use crate::config::{ExecutionsConfig, ReplayConfig};
use crate::fleet::{self as workforce, Beats};
use crate::judging::Judges;
use crate::replay::Waits;
use crate::schemas::Schemas;
use crate::transform::Transformer;

/// The desk of one office.
#[derive(Debug)]
pub struct PgDesk {
    pool: PgPool,
    brokers: Arc<Brokers>,
    clock: SharedClock,
    office_id: OfficeId,
    waits: Waits,
    /// How replays are planned here.
    replaying: ReplayConfig,
    /// Where heartbeats over HTTP come together.
    beats: Beats,
    /// What is late, and where ends are told.
    watching: ExecutionsConfig,
    /// What letters are compared with.
    compared: breakdown::Compared,
    judges: Arc<Judges>,
    /// What carries jq programs out.
    transformer: Transformer,
    schemas: Schemas,
    /// Since when the database does not answer.
    database_away: Mutex<Option<DateTime<Utc>>>,
}

impl PgDesk {
    /// A desk. `waits` is the board of this office's replay engine, `replaying` its settings.
    #[must_use]
    pub fn new(
        pool: PgPool,
        brokers: Arc<Brokers>,
        clock: SharedClock,
        office_id: OfficeId,
        (waits, replaying): (Waits, ReplayConfig),
    ) -> Self {
        let beats = Beats::new(pool.clone(), clock.clone(), workforce::HTTP)
            .with_queues(replaying.worker_queue_names());
        Self {
            beats,
            pool,
            brokers,
            clock,
            office_id,
            waits,
            replaying,
            watching: ExecutionsConfig::default(),
            compared: breakdown::Compared::default(),
            judges: Arc::default(),
            transformer: Transformer::own(),
            schemas: Schemas::default(),
            database_away: Mutex::new(None),
        }
    }

    /// The same with these settings for executions.
    #[must_use]
    pub fn with_executions(mut self, watching: ExecutionsConfig) -> Self {
        self.watching = watching;
        self
    }

    /// The same with schemas that changed bodies are held against.
    #[must_use]
    pub fn with_schemas(mut self, schemas: Schemas) -> Self {
        self.schemas = schemas;
        self
    }

    /// The same with another program that carries jq out: a test is no `dlo`.
    #[must_use]
    pub fn with_transformer(mut self, transformer: Transformer) -> Self {
        self.transformer = transformer;
        self
    }

    /// Begins a transaction. Reads let it go when they are done.
    async fn begin(&self) -> Result<Transaction<'static, Postgres>, DeskError> {
        self.pool.begin().await.map_err(error::of_sqlx)
    }
}

#[async_trait]
impl TriageDesk for PgDesk {
    async fn letters(
        &self,
        filter: &LetterFilter,
        after: Option<Cursor>,
        limit: u32,
    ) -> Result<Page<LetterSummary>, DeskError> {
        letters::page(self, filter, after, limit).await
    }

    async fn arrived_after(
        &self,
        filter: &LetterFilter,
        moment: DateTime<Utc>,
    ) -> Result<Total, DeskError> {
        letters::arrived_after(self, filter, moment).await
    }

    async fn letter(&self, id: LetterId) -> Result<Letter, DeskError> {
        letters::one(self, id).await
    }

    async fn payload(&self, id: LetterId, ordinal: Option<i32>) -> Result<Payload, DeskError> {
        letters::payload(self, id, ordinal).await
    }

    async fn arrival(&self, id: LetterId, ordinal: i32) -> Result<Arrival, DeskError> {
        letters::arrival(self, id, ordinal).await
    }

    async fn body_part(
        &self,
        id: LetterId,
        ordinal: Option<i32>,
        range: BodyRange,
    ) -> Result<BodyPart, DeskError> {
        letters::body_part(self, id, ordinal, range).await
    }

    async fn discard(
        &self,
        actor: &Actor,
        selection: &Selection,
        reason: &str,
    ) -> Result<Changed, DeskError> {
        decisions::discard(self, actor, selection, reason).await
    }

    async fn restore(&self, actor: &Actor, selection: &Selection) -> Result<Changed, DeskError> {
        decisions::restore(self, actor, selection).await
    }

    async fn decide_unknown(
        &self,
        actor: &Actor,
        id: LetterId,
        was_published: bool,
    ) -> Result<(), DeskError> {
        decisions::decide_unknown(self, actor, id, was_published).await
    }

    async fn processed(&self, actor: &Actor, id: LetterId) -> Result<(), DeskError> {
        decisions::processed(self, actor, id).await
    }

    async fn plan_replay(&self, actor: &Actor, replay: &NewReplay) -> Result<Replay, DeskError> {
        replays::plan(self, actor, replay).await
    }

    async fn replays(
        &self,
        by: Makers,
        after: Option<Cursor>,
        limit: u32,
    ) -> Result<Page<Replay>, DeskError> {
        replays::page(self, by, after, limit).await
    }

    async fn control_replay(
        &self,
        actor: &Actor,
        id: ReplayId,
        control: Control,
        again: bool,
    ) -> Result<Replay, DeskError> {
        replays::control(self, actor, id, (control, again)).await
    }

    async fn replay(&self, id: ReplayId) -> Result<Replay, DeskError> {
        replays::one(self, id).await
    }

    async fn replay_items(
        &self,
        id: ReplayId,
        outcome: Option<Outcome>,
        after: Option<Cursor>,
        limit: u32,
    ) -> Result<Page<ReplayItem>, DeskError> {
        replays::items(self, id, outcome, after, limit).await
    }

    async fn groups(
        &self,
        state: Option<GroupState>,
        after: Option<Cursor>,
        limit: u32,
    ) -> Result<Page<GroupSummary>, DeskError> {
        groups::page(self, state, after, limit).await
    }

    async fn group(&self, id: GroupId) -> Result<Group, DeskError> {
        groups::one(self, id).await
    }

    async fn group_breakdown(&self, id: GroupId) -> Result<Breakdown, DeskError> {
        breakdown::of_group(self, id).await
    }

    async fn edit_group(
        &self,
        actor: &Actor,
        id: GroupId,
        edit: &GroupEdit,
    ) -> Result<Group, DeskError> {
        groups::edit(self, actor, id, edit).await
    }

    async fn merge_groups(&self, actor: &Actor, merge: &MergeGroups) -> Result<Group, DeskError> {
        groups::merge(self, actor, merge).await
    }

    async fn split_group(&self, actor: &Actor, split: &SplitGroup) -> Result<GroupId, DeskError> {
        groups::split(self, actor, split).await
    }

    async fn sources(&self) -> Result<Vec<Source>, DeskError> {
        sources::list(self).await
    }

    async fn add_source(&self, actor: &Actor, source: &NewSource) -> Result<Source, DeskError> {
        sources::add(self, actor, source).await
    }

    async fn change_source(
        &self,
        actor: &Actor,
        id: SourceId,
        source: &NewSource,
    ) -> Result<Source, DeskError> {
        sources::change(self, actor, id, source).await
    }

    async fn remove_source(&self, actor: &Actor, id: SourceId) -> Result<(), DeskError> {
        sources::remove(self, actor, id).await
    }

    async fn accept_loss(
        &self,
        actor: &Actor,
        id: SourceId,
        loss: &NewAcceptedLoss,
    ) -> Result<Source, DeskError> {
        losses::accept(self, actor, id, *loss).await
    }

    async fn withdraw_loss(&self, actor: &Actor, id: SourceId) -> Result<Source, DeskError> {
        losses::withdraw(self, actor, id).await
    }

    async fn eject_head(&self, actor: &Actor, id: SourceId) -> Result<LetterId, DeskError> {
        sources::eject_head(self, actor, id).await
    }

    async fn overview(&self, span: Span) -> Result<Overview, DeskError> {
        overview::figures(self, span).await
    }

    async fn filter_choices(&self) -> Result<FilterChoices, DeskError> {
        overview::choices(self).await
    }

    async fn views(&self, actor: &Actor) -> Result<Vec<View>, DeskError> {
        views::list(self, actor).await
    }

    async fn save_view(&self, actor: &Actor, view: &NewView) -> Result<View, DeskError> {
        views::save(self, actor, view).await
    }

    async fn remove_view(&self, actor: &Actor, id: ViewId) -> Result<(), DeskError> {
        views::remove(self, actor, id).await
    }

    async fn rules(&self) -> Result<RuleBook, DeskError> {
        rules::book(self).await
    }

    async fn add_rule(&self, actor: &Actor, rule: &NewRule) -> Result<Rule, DeskError> {
        rules::add(self, actor, rule).await
    }

    async fn change_rule(
        &self,
        actor: &Actor,
        id: RuleId,
        rule: &NewRule,
    ) -> Result<Rule, DeskError> {
        rules::change(self, actor, id, rule).await
    }

    async fn remove_rule(&self, actor: &Actor, id: RuleId) -> Result<(), DeskError> {
        rules::remove(self, actor, id).await
    }

    async fn order_rules(
        &self,
        actor: &Actor,
        kind: RuleKind,
        order: &[RuleId],
    ) -> Result<RuleBook, DeskError> {
        rules::order(self, actor, kind, order).await
    }

    async fn preview_rule(&self, rule: &NewRule) -> Result<RulePreview, DeskError> {
        rules::preview(self, rule).await
    }

    async fn try_transform(&self, asked: &TryTransform) -> Result<TransformPreview, DeskError> {
        transforms::try_out(self, asked).await
    }

    async fn sent_body(&self, letter: LetterId, replay: ReplayId) -> Result<SentBody, DeskError> {
        transforms::sent(self, letter, replay).await
    }

    async fn edit_sheet(
        &self,
        letter: LetterId,
        shape: Option<Shape>,
        draft: Option<Uuid>,
    ) -> Result<EditSheet, DeskError> {
        edits::sheet(self, letter, shape, draft).await
    }

    async fn keep_draft(
        &self,
        actor: &Actor,
        letter: LetterId,
        draft: &NewDraft,
    ) -> Result<Uuid, DeskError> {
        edits::keep(self, actor, letter, draft).await
    }

    async fn is_draft(
        &self,
        letter: LetterId,
        draft: Uuid,
        written: &NewDraft,
    ) -> Result<bool, DeskError> {
        edits::is_draft(self, letter, draft, written).await
    }

    async fn edit_of_draft(&self, letter: LetterId, draft: Uuid) -> Result<Edit, DeskError> {
        edits::of_kept(self, letter, draft).await
    }

    async fn approve_replay(&self, actor: &Actor, id: ReplayId) -> Result<Replay, DeskError> {
        approvals::approve(self, actor, id).await
    }

    async fn reject_replay(
        &self,
        actor: &Actor,
        id: ReplayId,
        reason: &str,
    ) -> Result<Replay, DeskError> {
        approvals::reject(self, actor, id, reason).await
    }

    async fn troubles(&self) -> Vec<Trouble> {
        troubles::list(self).await
    }
}
