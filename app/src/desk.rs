//! The port of the application: what its pages, its server functions and the HTTP API ask for.
//! `dlo-server` implements it over Postgres and RabbitMQ; nothing here knows of either.

use std::ops::Deref;
use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use dlo_domain::arrival::Arrival;
use dlo_domain::audit::Actor;
use dlo_domain::breakdown::Breakdown;
use dlo_domain::changing::{
    Edit, EditSheet, NewDraft, SentBody, Shape, TransformPreview, TryTransform,
};
use dlo_domain::comparing::ArrivalChanges;
use dlo_domain::delivery_limit::NewAcceptedLoss;
use dlo_domain::filter::{KnownValues, LetterFilter};
use dlo_domain::group::{Group, GroupEdit, GroupState, GroupSummary, MergeGroups, SplitGroup};
use dlo_domain::ids::{GroupId, LetterId, ReplayId, RuleId, SourceId, ViewId};
use dlo_domain::letter::{Letter, LetterSummary};
use dlo_domain::office::{FilterChoices, Trouble};
use dlo_domain::overview::{Overview, Span};
use dlo_domain::page::{Cursor, Page, Total};
use dlo_domain::payload::{BodyPart, BodyRange, Payload};
use dlo_domain::relations::RelatedLetters;
use dlo_domain::replay::{Control, LetterSearch, Makers, NewReplay, Outcome, Replay, ReplayItem};
use dlo_domain::rule::{NewRule, Rule, RuleBook, RuleKind, RulePreview};
use dlo_domain::selection::{Changed, Selection};
use dlo_domain::source::{NewSource, Source};
use dlo_domain::view::{NewView, View};
use uuid::Uuid;

mod alerts;
mod causes;
mod channels;
mod error;
mod error_reports;
mod executions;
mod fleet;
mod policies;
mod schemas;
mod topology;

pub use alerts::AlertDesk;
pub use causes::{CauseDesk, GroupReport};
pub use channels::ChannelDesk;
pub use error::DeskError;
pub use error_reports::ErrorReportDesk;
pub use executions::ExecutionDesk;
pub use fleet::FleetDesk;
pub use policies::PolicyDesk;
pub use schemas::SchemaDesk;
pub use topology::{QueueName, TopologyDesk};

/// Everything that a person or a program can ask of the product.
#[async_trait]
pub trait TriageDesk:
    AlertDesk
    + CauseDesk
    + ChannelDesk
    + FleetDesk
    + PolicyDesk
    + SchemaDesk
    + ErrorReportDesk
    + ExecutionDesk
    + TopologyDesk
    + Send
    + Sync
    + 'static
{
    /// A page of letters, last arrived first. `limit` is 1 to 500.
    async fn letters(
        &self,
        filter: &LetterFilter,
        after: Option<Cursor>,
        limit: u32,
    ) -> Result<Page<LetterSummary>, DeskError>;

    /// How many of the letters that match arrived after a moment, as far as can be counted within
    /// a second.
    async fn arrived_after(
        &self,
        filter: &LetterFilter,
        moment: DateTime<Utc>,
    ) -> Result<Total, DeskError>;

    /// One letter with what is known of it, cut where it is very much: `omitted` tells how much is left out.
    async fn letter(&self, id: LetterId) -> Result<Letter, DeskError>;

    /// The body of an arrival made readable; the last arrival when `ordinal` is absent. `as_text` asks for text,
    /// whatever it is.
    async fn payload(
        &self,
        id: LetterId,
        ordinal: Option<i32>,
        as_text: bool,
    ) -> Result<Payload, DeskError>;

    /// One arrival, whole.
    async fn arrival(&self, id: LetterId, ordinal: i32) -> Result<Arrival, DeskError>;

    /// What differs between an arrival and an earlier one; the one before it when `since` is absent.
    async fn compare_arrivals(
        &self,
        id: LetterId,
        ordinal: i32,
        since: Option<i32>,
    ) -> Result<ArrivalChanges, DeskError>;

    /// The letters that have a correlation id, a trace or a business key in common with a letter.
    async fn related_letters(&self, id: LetterId) -> Result<Vec<RelatedLetters>, DeskError>;

    /// A part of the body of an arrival, byte by byte; of the last arrival when `ordinal` is absent. All
    /// parts of one arrival are of the same bytes.
    async fn body_part(
        &self,
        id: LetterId,
        ordinal: Option<i32>,
        range: BodyRange,
    ) -> Result<BodyPart, DeskError>;

    /// Puts letters away; those in another state are left out and counted.
    async fn discard(
        &self,
        actor: &Actor,
        selection: &Selection,
        reason: &str,
    ) -> Result<Changed, DeskError>;

    /// Takes discarded letters back.
    async fn restore(&self, actor: &Actor, selection: &Selection) -> Result<Changed, DeskError>;

    /// A person's word on a letter whose publish was cut off: it happened, or it did not.
    async fn decide_unknown(
        &self,
        actor: &Actor,
        id: LetterId,
        was_published: bool,
    ) -> Result<(), DeskError>;

    /// The receiver of a replayed letter reports success.
    async fn processed(&self, actor: &Actor, id: LetterId) -> Result<(), DeskError>;

    /// Plans a replay, its letters fixed at this moment; or tells what it would do.
    async fn plan_replay(&self, actor: &Actor, replay: &NewReplay) -> Result<Replay, DeskError>;

    /// A page of some makers' replays, newest first.
    async fn replays(
        &self,
        by: Makers,
        after: Option<Cursor>,
        limit: u32,
    ) -> Result<Page<Replay>, DeskError>;

    /// Tells a replay that goes on to pause, resume or end. With `again`, a replay that resumes takes
    /// up once more the letters that died again or did not get through; one that keeps the order of its
    /// letters takes the latter up in any case.
    async fn control_replay(
        &self,
        actor: &Actor,
        id: ReplayId,
        control: Control,
        again: bool,
    ) -> Result<Replay, DeskError>;

    /// One replay.
    async fn replay(&self, id: ReplayId) -> Result<Replay, DeskError>;

    /// Looks for the unknown letters of a replay in the queues that they were sent to; those that are there are
    /// confirmed, the others stay unknown. With `dry_run` it tells where it would look, and touches nothing.
    async fn search_unknown(
        &self,
        actor: &Actor,
        id: ReplayId,
        dry_run: bool,
    ) -> Result<LetterSearch, DeskError>;

    /// A page of a replay's letters, in the order of publishing.
    async fn replay_items(
        &self,
        id: ReplayId,
        outcome: Option<Outcome>,
        after: Option<Cursor>,
        limit: u32,
    ) -> Result<Page<ReplayItem>, DeskError>;

    /// A page of groups, those with the most and worst letters that wait first.
    async fn groups(
        &self,
        state: Option<GroupState>,
        after: Option<Cursor>,
        limit: u32,
    ) -> Result<Page<GroupSummary>, DeskError>;

    /// One group; for one that was merged, the one that it went into.
    async fn group(&self, id: GroupId) -> Result<Group, DeskError>;

    /// What the letters of a group have in common that others have not; for one that was merged,
    /// of the one that it went into.
    async fn group_breakdown(&self, id: GroupId) -> Result<Breakdown, DeskError>;

    /// Changes where a group stands, its owner, ticket and tags, or adds a note.
    async fn edit_group(
        &self,
        actor: &Actor,
        id: GroupId,
        edit: &GroupEdit,
    ) -> Result<Group, DeskError>;

    /// Makes groups part of another.
    async fn merge_groups(&self, actor: &Actor, merge: &MergeGroups) -> Result<Group, DeskError>;

    /// Moves signatures of a group into a new one.
    async fn split_group(&self, actor: &Actor, split: &SplitGroup) -> Result<GroupId, DeskError>;

    /// Every source.
    async fn sources(&self) -> Result<Vec<Source>, DeskError>;

    /// Watches one more queue. One that is watched already is a conflict.
    async fn add_source(&self, actor: &Actor, source: &NewSource) -> Result<Source, DeskError>;

    /// Gives a source another name, mode or header names. It keeps its queue; one that the
    /// configuration names is a conflict.
    async fn change_source(
        &self,
        actor: &Actor,
        id: SourceId,
        source: &NewSource,
    ) -> Result<Source, DeskError>;

    /// Stops watching a queue; its letters stay.
    async fn remove_source(&self, actor: &Actor, id: SourceId) -> Result<(), DeskError>;

    /// Accepts that so many letters of a source can be lost, whose queue drops what comes back too often.
    async fn accept_loss(
        &self,
        actor: &Actor,
        id: SourceId,
        loss: &NewAcceptedLoss,
    ) -> Result<Source, DeskError>;

    /// Takes that back: nothing more is taken while the queue is like that.
    async fn withdraw_loss(&self, actor: &Actor, id: SourceId) -> Result<Source, DeskError>;

    /// The figures of the first page.
    async fn overview(&self, span: Span) -> Result<Overview, DeskError>;

    /// What the filter form offers.
    async fn filter_choices(&self) -> Result<FilterChoices, DeskError>;

    /// The values that letters have, for the completion of filters.
    async fn known_values(&self) -> Result<KnownValues, DeskError>;

    /// The actor's own views and the shared ones, by name.
    async fn views(&self, actor: &Actor) -> Result<Vec<View>, DeskError>;

    /// Saves a view, in the place of the actor's own one of that name.
    async fn save_view(&self, actor: &Actor, view: &NewView) -> Result<View, DeskError>;

    /// Removes a view of the actor's own.
    async fn remove_view(&self, actor: &Actor, id: ViewId) -> Result<(), DeskError>;

    /// The rules that judge letters.
    async fn rules(&self) -> Result<RuleBook, DeskError>;

    /// Adds a rule behind the others of its kind, and has stored letters judged again.
    async fn add_rule(&self, actor: &Actor, rule: &NewRule) -> Result<Rule, DeskError>;

    /// Puts another in the place of a rule; its kind stays.
    async fn change_rule(
        &self,
        actor: &Actor,
        id: RuleId,
        rule: &NewRule,
    ) -> Result<Rule, DeskError>;

    /// Removes a rule.
    async fn remove_rule(&self, actor: &Actor, id: RuleId) -> Result<(), DeskError>;

    /// Orders the rules of a kind anew. A conflict when `order` is not all of them, each once.
    async fn order_rules(
        &self,
        actor: &Actor,
        kind: RuleKind,
        order: &[RuleId],
    ) -> Result<RuleBook, DeskError>;

    /// What a rule would have done with the letters of the last 7 days. Changes nothing.
    async fn preview_rule(&self, rule: &NewRule) -> Result<RulePreview, DeskError>;

    /// What a jq program would make of letters. Changes nothing.
    async fn try_transform(&self, asked: &TryTransform) -> Result<TransformPreview, DeskError>;

    /// What a replay sent in place of a letter's body.
    async fn sent_body(&self, letter: LetterId, replay: ReplayId) -> Result<SentBody, DeskError>;

    /// The form that edits a letter's body: of its last arrival, or of a draft.
    async fn edit_sheet(
        &self,
        letter: LetterId,
        shape: Option<Shape>,
        draft: Option<Uuid>,
    ) -> Result<EditSheet, DeskError>;

    /// Keeps what was written in that form for a day. Nothing is sent.
    async fn keep_draft(
        &self,
        actor: &Actor,
        letter: LetterId,
        draft: &NewDraft,
    ) -> Result<Uuid, DeskError>;

    /// What a draft sends. A conflict when the letter came back after it was written.
    async fn edit_of_draft(&self, letter: LetterId, draft: Uuid) -> Result<Edit, DeskError>;

    /// Whether what stands in the form is what it showed of a draft.
    async fn is_draft(
        &self,
        letter: LetterId,
        draft: Uuid,
        written: &NewDraft,
    ) -> Result<bool, DeskError>;

    /// Lets a replay go that waits for a second person. A conflict for whoever asked for it.
    async fn approve_replay(&self, actor: &Actor, id: ReplayId) -> Result<Replay, DeskError>;

    /// Gives a replay up that waits for a second person: its letters are held again. A conflict for
    /// whoever asked for it.
    async fn reject_replay(
        &self,
        actor: &Actor,
        id: ReplayId,
        reason: &str,
    ) -> Result<Replay, DeskError>;

    /// What is not well. Never fails: a database that does not answer is a trouble.
    async fn troubles(&self) -> Vec<Trouble>;
}

/// The desk in Leptos' context, which is keyed by type.
#[derive(Clone)]
pub struct Desk(Arc<dyn TriageDesk>);

impl Desk {
    /// Wraps an implementation.
    pub fn new(desk: Arc<dyn TriageDesk>) -> Self {
        Self(desk)
    }
}

impl Deref for Desk {
    type Target = dyn TriageDesk;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

/// The desk of this request.
#[must_use]
pub fn desk() -> Desk {
    leptos::prelude::expect_context::<Desk>()
}
