//! The port of letters, groups, replays, sources and rules: each call goes to the file of its subject.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use dlo_app::desk::{DeskError, TriageDesk};
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

use super::{
    PgDesk, approvals, comparing, decisions, edits, groups, letters, losses, overview, related,
    replays, rules, searches, sources, transforms, troubles, views,
};
use crate::breakdown;
use crate::store::known_values;

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

    async fn payload(
        &self,
        id: LetterId,
        ordinal: Option<i32>,
        as_text: bool,
    ) -> Result<Payload, DeskError> {
        letters::payload(self, id, ordinal, as_text).await
    }

    async fn arrival(&self, id: LetterId, ordinal: i32) -> Result<Arrival, DeskError> {
        letters::arrival(self, id, ordinal).await
    }

    async fn compare_arrivals(
        &self,
        id: LetterId,
        ordinal: i32,
        since: Option<i32>,
    ) -> Result<ArrivalChanges, DeskError> {
        comparing::arrivals(self, id, ordinal, since).await
    }

    async fn related_letters(&self, id: LetterId) -> Result<Vec<RelatedLetters>, DeskError> {
        related::letters(self, id).await
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

    async fn search_unknown(
        &self,
        actor: &Actor,
        id: ReplayId,
        dry_run: bool,
    ) -> Result<LetterSearch, DeskError> {
        searches::search(self, actor, id, dry_run).await
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
        let mut conn = self.connection().await?;
        let found = breakdown::of_group(&mut conn, &self.comparisons, id, self.clock.now()).await?;
        found.ok_or_else(|| groups::no_group(id))
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

    async fn overview(&self, span: Span) -> Result<Overview, DeskError> {
        overview::figures(self, span).await
    }

    async fn filter_choices(&self) -> Result<FilterChoices, DeskError> {
        overview::choices(self).await
    }

    async fn known_values(&self) -> Result<KnownValues, DeskError> {
        let mut conn = self.connection().await?;
        Ok(known_values::read(&mut conn).await?)
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
