//! Rules: the book, its changes, and what a rule would do.
//!
//! A change waits for the batches of intake that are under way, and holds later ones up until it is
//! made: so every letter is judged by the rules from before it and by the walk, or by those after it.

use dlo_app::desk::DeskError;
use dlo_domain::audit::Actor;
use dlo_domain::event::LiveEvent;
use dlo_domain::ids::RuleId;
use dlo_domain::judge::Judge;
use dlo_domain::rule::{
    MOST_RULES, NewRule, Rule, RuleBook, RuleFault, RuleKind, RulePreview, Verdict,
};
use sqlx::PgConnection;

use super::error::no_preview;
use super::{PgDesk, changing};
use crate::clock::new_id;
use crate::judging;
use crate::store::audit::{self, Note};
use crate::store::judging::{Due, begin, progress};
use crate::store::rules::{self, Book};
use crate::store::{StoreError, events};

pub(super) async fn book(desk: &PgDesk) -> Result<RuleBook, DeskError> {
    let mut conn = desk.connection().await?;
    whole(&mut conn).await
}

async fn whole(conn: &mut PgConnection) -> Result<RuleBook, DeskError> {
    let book = rules::book(conn).await?;
    Ok(RuleBook {
        revision: book.revision,
        severity: book.of(RuleKind::Severity).cloned().collect(),
        grouping: book.of(RuleKind::Grouping).cloned().collect(),
        judging_again: progress(conn).await?,
    })
}

pub(super) async fn add(desk: &PgDesk, actor: &Actor, rule: &NewRule) -> Result<Rule, DeskError> {
    let rule = usable(rule)?;
    let kind = rule.verdict.kind();
    let at = desk.clock.now();
    let id = RuleId(new_id(&*desk.clock));
    changing!(desk, conn => {
        let before = open(conn).await?;
        if before.of(kind).count() >= MOST_RULES {
            return Err(DeskError::Conflict(format!(
                "there can be at most {MOST_RULES} {} rules: remove one first",
                kind.as_str()
            )));
        }
        rules::insert(conn, id.0, &rule, &actor.0, at).await?;
        let note = note(desk, actor, "rule.add");
        let after = close(conn, &before, note, &said(&rule)).await?;
        find(&after, id)
    })
}

pub(super) async fn change(
    desk: &PgDesk,
    actor: &Actor,
    id: RuleId,
    rule: &NewRule,
) -> Result<Rule, DeskError> {
    let rule = usable(rule)?;
    let at = desk.clock.now();
    changing!(desk, conn => {
        let before = open(conn).await?;
        let kind = find(&before, id)?.rule.verdict.kind();
        if kind != rule.verdict.kind() {
            return Err(DeskError::Invalid(format!(
                "this is a {} rule and stays one: give it such a verdict, or add another rule",
                kind.as_str()
            )));
        }
        if !rules::change(conn, id, &rule, &actor.0, at).await? {
            return Err(no_rule(id));
        }
        let note = note(desk, actor, "rule.change");
        let after = close(conn, &before, note, &said(&rule)).await?;
        find(&after, id)
    })
}

pub(super) async fn remove(desk: &PgDesk, actor: &Actor, id: RuleId) -> Result<(), DeskError> {
    changing!(desk, conn => {
        let before = open(conn).await?;
        // One that this version cannot read can still be removed.
        let name = rules::remove(conn, id).await?.ok_or_else(|| no_rule(id))?;
        close(conn, &before, note(desk, actor, "rule.remove"), &format!("`{name}`")).await?;
        Ok(())
    })
}

pub(super) async fn order(
    desk: &PgDesk,
    actor: &Actor,
    kind: RuleKind,
    order: &[RuleId],
) -> Result<RuleBook, DeskError> {
    changing!(desk, conn => {
        let before = open(conn).await?;
        let mut there: Vec<RuleId> = before.of(kind).map(|rule| rule.id).collect();
        let mut wanted = order.to_vec();
        there.sort_unstable();
        wanted.sort_unstable();
        if there != wanted {
            return Err(DeskError::Conflict(format!(
                "the order must name each {} rule ({} in all) once: reload, somebody may have \
                 changed them",
                kind.as_str(),
                there.len()
            )));
        }
        rules::order(conn, kind, order).await?;
        let detail = format!("the {} rules", kind.as_str());
        close(conn, &before, note(desk, actor, "rule.order"), &detail).await?;
        whole(conn).await
    })
}

pub(super) async fn preview(desk: &PgDesk, rule: &NewRule) -> Result<RulePreview, DeskError> {
    let filter = rule.condition().map_err(of_fault)?;
    let now = desk.clock.now();
    let mut conn = desk.begin().await?;
    let judge = desk.judges.current(&mut conn).await?;
    let with = judge.with_first(rule).map_err(of_fault)?;
    let preview =
        judging::preview(&mut conn, rule, &filter, &with, now, desk.patience.preview).await;
    preview.map_err(|why| no_preview(why, "rule"))
}

/// The rule in the one form, if it can be used.
fn usable(rule: &NewRule) -> Result<NewRule, DeskError> {
    let rule = rule.checked().map_err(of_fault)?;
    Judge::default().with_first(&rule).map_err(of_fault)?;
    Ok(rule)
}

#[expect(clippy::needless_pass_by_value, reason = "so that it can be handed to map_err")]
fn of_fault(fault: RuleFault) -> DeskError {
    DeskError::Invalid(fault.to_string())
}

/// Begins a change: the rules as they are, which nobody else changes until it is made.
async fn open(conn: &mut PgConnection) -> Result<Book, StoreError> {
    rules::take(conn).await?;
    rules::book(conn).await
}

/// Ends a change: stored letters are judged again if it could judge any of them differently.
async fn close(
    conn: &mut PgConnection,
    before: &Book,
    note: Note<'_>,
    detail: &str,
) -> Result<Book, StoreError> {
    rules::revise(conn).await?;
    let after = rules::book(conn).await?;
    let differs = |kind| before.asked(kind) != after.asked(kind);
    let due = Due {
        severity: differs(RuleKind::Severity),
        signature: differs(RuleKind::Grouping),
        contents: false,
    };
    if due.is_any() {
        begin(conn, due, note.at).await?;
    }
    let note = Note { detail: Some(detail), ..note };
    audit::write_office(conn, note).await?;
    events::notify(conn, &LiveEvent::Rules).await?;
    Ok(after)
}

fn note<'a>(desk: &PgDesk, actor: &'a Actor, action: &'a str) -> Note<'a> {
    Note { at: desk.clock.now(), actor, action, detail: None, replay: None }
}

/// A rule in a line, for the audit trail.
fn said(rule: &NewRule) -> String {
    let verdict = match &rule.verdict {
        Verdict::Severity(severity) => severity.to_string(),
        Verdict::Grouping(outcome) => {
            serde_json::to_string(outcome).expect("an outcome is made of texts")
        }
    };
    let filter = match rule.filter.as_str() {
        "" => "every letter",
        filter => filter,
    };
    let disabled = if rule.enabled { "" } else { ", disabled" };
    format!("`{}`: {filter} → {verdict}{disabled}", rule.name)
}

fn find(book: &Book, id: RuleId) -> Result<Rule, DeskError> {
    let mut rules = book.rules.iter();
    let found = rules.find(|rule| rule.id == id);
    found.cloned().ok_or_else(|| no_rule(id))
}

fn no_rule(id: RuleId) -> DeskError {
    DeskError::NotFound(format!("there is no rule {id}"))
}
