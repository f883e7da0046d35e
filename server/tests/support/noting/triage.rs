//! Letters, groups, replays, sources and rules, as the noting desk answers.

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
use dlo_domain::ids::{GroupId, LetterId, ReplayId, RuleId, SourceId, ViewId};
use dlo_domain::letter::{Letter, LetterSummary};
use dlo_domain::office::{FilterChoices, Trouble};
use dlo_domain::overview::{Left, Overview, PutAway, Span};
use dlo_domain::page::{Cursor, Page, Total};
use dlo_domain::payload::{BodyPart, BodyRange, Payload, read_payload};
use dlo_domain::replay::{Control, Makers, NewReplay, Outcome, Replay, ReplayItem};
use dlo_domain::rule::{NewRule, Rule, RuleBook, RuleKind, RulePreview};
use dlo_domain::selection::{Changed, Selection};
use dlo_domain::source::{NewSource, Source};
use dlo_domain::view::{NewView, View};
use dlo_server::clock::{Clock as _, SystemClock};
use serde_json::{Value, json};
use uuid::Uuid;

use super::super::front::{HOSTILE, ID};
use super::super::full;
use super::super::odd_names::odd;
use super::super::samples::{
    MARKUP, page, sample, sample_book, sample_letter, sample_preview, sample_replay, sample_rule,
    sample_sent, sample_sheet, sample_source,
};
use super::NotingDesk;

/// A page of these.
fn of(items: &[Value]) -> Value {
    json!({"estimated_total": items.len(), "items": items, "next_cursor": null})
}

fn targets() -> [Value; 3] {
    [
        json!({"mode": "queue", "queue": "work"}),
        json!({"mode": "exchange", "exchange": "jobs", "routing_key": "key"}),
        json!({"mode": "worker", "worker": "worker-7"}),
    ]
}

#[async_trait]
impl TriageDesk for NotingDesk {
    async fn letters(
        &self,
        filter: &LetterFilter,
        after: Option<Cursor>,
        limit: u32,
    ) -> Result<Page<LetterSummary>, DeskError> {
        self.note(format!(
            "letters [{filter}] after {} limit {limit}",
            after.is_some()
        ))?;
        Ok(self.full(page(), || of(&[full::summary()])))
    }

    async fn arrived_after(
        &self,
        filter: &LetterFilter,
        moment: DateTime<Utc>,
    ) -> Result<Total, DeskError> {
        self.note(format!("arrived [{filter}] after {moment}"))?;
        Ok(Total::exactly(0))
    }

    async fn letter(&self, id: LetterId) -> Result<Letter, DeskError> {
        self.note(format!("letter {id}"))?;
        Ok(self.full(sample_letter(id), full::letter))
    }

    async fn payload(&self, id: LetterId, ordinal: Option<i32>) -> Result<Payload, DeskError> {
        self.note(format!("payload {id} {ordinal:?}"))?;
        let body = match ordinal {
            Some(2) => br#"{"a": ["b"]}"#,
            _ => HOSTILE,
        };
        Ok(self.told(read_payload(body, 25, None)))
    }

    async fn arrival(&self, id: LetterId, ordinal: i32) -> Result<Arrival, DeskError> {
        self.note(format!("arrival {id} {ordinal}"))?;
        let usual = sample(json!({
            "ordinal": ordinal, "arrived_at": "2026-11-21T03:00:00Z", "exchange": "",
            "routing_key": MARKUP, "properties": {}, "headers": [], "deaths": [],
            "size_bytes": 25, "body_sha256": "", "replay_id": null, "notes": [],
        }));
        Ok(self.full(usual, || full::arrival(ordinal)))
    }

    async fn body_part(
        &self,
        id: LetterId,
        ordinal: Option<i32>,
        _: BodyRange,
    ) -> Result<BodyPart, DeskError> {
        self.note(format!("body {id} {ordinal:?}"))?;
        Ok(BodyPart {
            ordinal: ordinal.unwrap_or(1),
            size_bytes: i64::try_from(HOSTILE.len()).expect("small"),
            sha256: Vec::new(),
            bytes: HOSTILE.to_vec(),
        })
    }

    async fn discard(
        &self,
        actor: &Actor,
        selection: &Selection,
        reason: &str,
    ) -> Result<Changed, DeskError> {
        self.note(format!("{} discards {selection:?}: {reason}", actor.0))?;
        Ok(Changed {
            changed: 1,
            left_out: Vec::new(),
            ids: Vec::new(),
        })
    }

    async fn restore(&self, actor: &Actor, selection: &Selection) -> Result<Changed, DeskError> {
        self.note(format!("{} restores {selection:?}", actor.0))?;
        Ok(Changed {
            changed: 1,
            left_out: Vec::new(),
            ids: Vec::new(),
        })
    }

    async fn decide_unknown(
        &self,
        actor: &Actor,
        id: LetterId,
        was_published: bool,
    ) -> Result<(), DeskError> {
        self.note(format!(
            "{} says {id} was published: {was_published}",
            actor.0
        ))
    }

    async fn processed(&self, actor: &Actor, id: LetterId) -> Result<(), DeskError> {
        self.note(format!("{} says {id} was processed", actor.0))
    }

    async fn plan_replay(&self, actor: &Actor, replay: &NewReplay) -> Result<Replay, DeskError> {
        self.note(format!("{} replays to {:?}", actor.0, replay.target))?;
        let id = (!replay.dry_run).then_some(ID);
        let target = json!(replay.target);
        Ok(self.full(sample_replay(id), || full::replay(&target, id)))
    }

    async fn replays(
        &self,
        by: Makers,
        after: Option<Cursor>,
        limit: u32,
    ) -> Result<Page<Replay>, DeskError> {
        let on = after.is_some();
        self.note(format!("replays of {by} after {on} limit {limit}"))?;
        let replays = || of(&targets().map(|one| full::replay(&one, Some(ID))));
        Ok(self.full(page(), replays))
    }

    async fn control_replay(
        &self,
        actor: &Actor,
        id: ReplayId,
        control: Control,
        again: bool,
    ) -> Result<Replay, DeskError> {
        self.note(format!(
            "{} {id} again {again} by {}",
            control.as_str(),
            actor.0
        ))?;
        Ok(sample_replay(Some(ID)))
    }

    async fn replay(&self, id: ReplayId) -> Result<Replay, DeskError> {
        self.note(format!("replay {id}"))?;
        let [_, to_exchange, _] = targets();
        Ok(self.full(sample_replay(Some(ID)), || {
            full::replay(&to_exchange, Some(ID))
        }))
    }

    async fn replay_items(
        &self,
        id: ReplayId,
        outcome: Option<Outcome>,
        after: Option<Cursor>,
        limit: u32,
    ) -> Result<Page<ReplayItem>, DeskError> {
        self.note(format!(
            "items {id} {outcome:?} after {} limit {limit}",
            after.is_some()
        ))?;
        let items = || of(&[full::item("confirmed"), full::item("died_again")]);
        Ok(self.full(page(), items))
    }

    async fn groups(
        &self,
        state: Option<GroupState>,
        after: Option<Cursor>,
        limit: u32,
    ) -> Result<Page<GroupSummary>, DeskError> {
        let after = after.is_some();
        self.note(format!("groups {state:?} after {after} limit {limit}"))?;
        Ok(self.full(page(), || of(&[full::group_summary()])))
    }

    async fn group(&self, id: GroupId) -> Result<Group, DeskError> {
        if self.is_odd {
            return Ok(odd(&sample(full::group())));
        }
        Err(DeskError::NotFound(format!("there is no group {id}")))
    }

    async fn group_breakdown(&self, id: GroupId) -> Result<Breakdown, DeskError> {
        self.note(format!("breakdown of {id}"))?;
        Ok(self.full(Breakdown::default(), full::breakdown))
    }

    async fn edit_group(
        &self,
        actor: &Actor,
        id: GroupId,
        edit: &GroupEdit,
    ) -> Result<Group, DeskError> {
        self.note(format!("{} edits {id} {:?}", actor.0, edit.state))?;
        self.group(id).await
    }

    async fn merge_groups(&self, actor: &Actor, merge: &MergeGroups) -> Result<Group, DeskError> {
        self.note(format!("{} merges {}", actor.0, merge.groups.len()))?;
        self.group(merge.into).await
    }

    async fn split_group(&self, actor: &Actor, split: &SplitGroup) -> Result<GroupId, DeskError> {
        let signatures = split.signatures.len();
        self.note(format!("{} splits {signatures} off", actor.0))?;
        Ok(split.group)
    }

    async fn sources(&self) -> Result<Vec<Source>, DeskError> {
        self.note("sources".to_owned())?;
        let usual = vec![sample_source("orders.dead")];
        Ok(self.full(usual, || json!([full::source()])))
    }

    async fn add_source(&self, actor: &Actor, source: &NewSource) -> Result<Source, DeskError> {
        self.note(format!("{} adds {}", actor.0, source.queue))?;
        Ok(sample_source(&source.queue))
    }

    async fn change_source(
        &self,
        actor: &Actor,
        id: SourceId,
        source: &NewSource,
    ) -> Result<Source, DeskError> {
        self.note(format!("{} makes {id} a {:?}", actor.0, source.mode))?;
        Ok(sample_source(&source.queue))
    }

    async fn remove_source(&self, actor: &Actor, id: SourceId) -> Result<(), DeskError> {
        self.note(format!("{} removes {id}", actor.0))
    }

    async fn accept_loss(
        &self,
        actor: &Actor,
        id: SourceId,
        loss: &NewAcceptedLoss,
    ) -> Result<Source, DeskError> {
        let NewAcceptedLoss {
            letters,
            delivery_limit,
        } = loss;
        self.note(format!(
            "{} accepts to lose {letters} of {id} at {delivery_limit:?}",
            actor.0
        ))?;
        Ok(sample_source("orders.dead"))
    }

    async fn withdraw_loss(&self, actor: &Actor, id: SourceId) -> Result<Source, DeskError> {
        self.note(format!("{} withdraws the loss of {id}", actor.0))?;
        Ok(sample_source("orders.dead"))
    }

    async fn eject_head(&self, actor: &Actor, id: SourceId) -> Result<LetterId, DeskError> {
        self.note(format!("{} ejects from {id}", actor.0))?;
        Ok(ID.parse().expect("an id"))
    }

    async fn overview(&self, span: Span) -> Result<Overview, DeskError> {
        self.note(format!("overview {}", span.as_str()))?;
        let usual = Overview {
            at: SystemClock.now(),
            span,
            held: 1,
            unknown: 0,
            held_by_severity: Vec::new(),
            put_away: PutAway::default(),
            deaths: Vec::new(),
            groups: Vec::new(),
            groups_left: Left::default(),
            waiting: Breakdown::default(),
            sources: Vec::new(),
            replays: Vec::new(),
        };
        Ok(self.full(usual, || full::overview(span.as_str())))
    }

    async fn views(&self, actor: &Actor) -> Result<Vec<View>, DeskError> {
        self.note(format!("views {}", actor.0))?;
        let view = json!({"id": ID, "name": "mine", "filter": "queue:work", "owner": actor.0,
            "shared": false, "created_at": "2026-11-21T03:00:00Z"});
        let mut views: Vec<View> = self.full(Vec::new(), || json!([view]));
        // Only one's own are listed.
        for view in &mut views {
            view.owner.clone_from(&actor.0);
        }
        Ok(views)
    }

    async fn save_view(&self, actor: &Actor, view: &NewView) -> Result<View, DeskError> {
        self.note(format!(
            "save view {} [{}] shared {} by {}",
            view.name, view.filter, view.shared, actor.0
        ))?;
        Ok(sample(json!({
            "id": ID, "name": view.name, "filter": view.filter, "owner": actor.0,
            "shared": view.shared, "created_at": "2026-11-21T03:00:00Z",
        })))
    }

    async fn remove_view(&self, actor: &Actor, id: ViewId) -> Result<(), DeskError> {
        self.note(format!("remove view {id} by {}", actor.0))
    }

    async fn rules(&self) -> Result<RuleBook, DeskError> {
        self.note("rules".to_owned())?;
        Ok(self.told(sample_book()))
    }

    async fn add_rule(&self, actor: &Actor, rule: &NewRule) -> Result<Rule, DeskError> {
        self.note(format!("{} adds the rule {}", actor.0, rule.name))?;
        Ok(sample_rule(ID, rule))
    }

    async fn change_rule(
        &self,
        actor: &Actor,
        id: RuleId,
        rule: &NewRule,
    ) -> Result<Rule, DeskError> {
        self.note(format!("{} makes {id} the rule {}", actor.0, rule.name))?;
        Ok(sample_rule(ID, rule))
    }

    async fn remove_rule(&self, actor: &Actor, id: RuleId) -> Result<(), DeskError> {
        self.note(format!("{} removes the rule {id}", actor.0))
    }

    async fn order_rules(
        &self,
        actor: &Actor,
        kind: RuleKind,
        order: &[RuleId],
    ) -> Result<RuleBook, DeskError> {
        let (kind, rules) = (kind.as_str(), order.len());
        self.note(format!("{} orders {rules} rules of {kind}", actor.0))?;
        Ok(sample_book())
    }

    async fn preview_rule(&self, rule: &NewRule) -> Result<RulePreview, DeskError> {
        self.note(format!("preview of {} [{}]", rule.name, rule.filter))?;
        Ok(self.told(sample(json!({
            "days": 7, "matched": 3, "is_capped": false, "now": [], "groups_now": 0,
            "groups_then": 0, "read": 0, "samples": self.samples(),
        }))))
    }

    async fn filter_choices(&self) -> Result<FilterChoices, DeskError> {
        Ok(self.full(
            FilterChoices::default(),
            || json!({"sources": ["orders"], "queues": ["work"]}),
        ))
    }

    async fn try_transform(&self, asked: &TryTransform) -> Result<TransformPreview, DeskError> {
        self.note(format!("try {}", asked.transform.jq))?;
        Ok(self.told(sample_preview()))
    }

    async fn sent_body(&self, letter: LetterId, replay: ReplayId) -> Result<SentBody, DeskError> {
        self.note(format!("sent {letter} by {replay}"))?;
        Ok(self.told(sample_sent(letter, replay)))
    }

    async fn edit_sheet(
        &self,
        letter: LetterId,
        shape: Option<Shape>,
        draft: Option<Uuid>,
    ) -> Result<EditSheet, DeskError> {
        self.note(format!(
            "edit {letter} as {shape:?} draft {}",
            draft.is_some()
        ))?;
        Ok(self.told(sample_sheet(letter, shape.unwrap_or_default(), draft)))
    }

    async fn keep_draft(
        &self,
        _: &Actor,
        letter: LetterId,
        draft: &NewDraft,
    ) -> Result<Uuid, DeskError> {
        self.note(format!("keep {letter} {}", draft.text))?;
        Ok(letter.0)
    }

    async fn is_draft(&self, _: LetterId, _: Uuid, draft: &NewDraft) -> Result<bool, DeskError> {
        self.note(format!("compare {}", draft.text))?;
        Ok(true)
    }

    async fn edit_of_draft(&self, letter: LetterId, draft: Uuid) -> Result<Edit, DeskError> {
        self.note(format!("draft {draft} of {letter}"))?;
        Ok(sample(json!({"body": "e30="})))
    }

    async fn approve_replay(&self, actor: &Actor, id: ReplayId) -> Result<Replay, DeskError> {
        self.note(format!("approve {id} by {}", actor.0))?;
        Ok(sample_replay(Some(&id.to_string())))
    }

    async fn reject_replay(
        &self,
        actor: &Actor,
        id: ReplayId,
        reason: &str,
    ) -> Result<Replay, DeskError> {
        self.note(format!("reject {id} by {}: {reason}", actor.0))?;
        Ok(sample_replay(Some(&id.to_string())))
    }

    async fn troubles(&self) -> Vec<Trouble> {
        self.full(Vec::new(), || {
            json!([
                {"what": "the source `orders` is away. All is kept.", "since": "2026-11-21T03:00:00Z"},
                {"what": "brokers are away", "since": "2026-11-21T03:00:00Z"},
            ])
        })
    }
}
