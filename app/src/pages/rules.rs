//! How are letters judged?

mod acting;
mod list;

use dlo_domain::rule::{JudgingAgain, Rule, RuleBook};
use dlo_domain::severity::Severity;
use leptos::prelude::*;
use leptos_meta::Title;

use super::frame::{Watches, shown};
use super::outcome::Outcome;
use crate::components::SeverityMark;
use crate::desk::desk;
use crate::{links, wording};
pub(super) use acting::{find, rule_id};
use list::RuleList;

/// The rules.
#[component]
pub(crate) fn RulesPage() -> impl IntoView {
    let desk = desk();
    view! {
        <Title text="Rules" />
        <Watches events=&["rules"] />
        <Outcome />
        {shown(async move { desk.rules().await }, |book| view! { <Book book /> }.into_any())}
    }
    .into_any()
}

#[component]
fn Book(book: RuleBook) -> impl IntoView {
    let heading = heading(&book);
    let RuleBook { severity, grouping, judging_again, .. } = book;
    let judging =
        judging_again.map(|judging| view! { <p class="second judging">{progress(judging)}</p> });
    let others = if grouping.is_empty() { "every letter" } else { "everything else" };
    view! {
        <div class="answer">
            <div>
                <h1>{heading}</h1>
                <p class="second">
                    "Rules are checked from top to bottom; the first match decides. After a change, open letters are judged again in the background."
                </p>
                {judging}
            </div>
        </div>
        <p class="second">
            "Which letters are retried automatically, and when, is up to the "
            <a href=links::RETRIES>"retry policies"</a>
            ", and how messages of Protobuf are read by the " <a href=links::SCHEMAS>"schemas"</a>
            "."
        </p>
        <section class="section" aria-labelledby="severity-title">
            <header>
                <h2 id="severity-title">"Severity"</h2>
                <span class="note">"who is woken, and what waits for the morning"</span>
            </header>
            <RuleList rules=severity />
            <p class="rule-rest">
                "everything else is " <SeverityMark severity=Severity::Normal />
            </p>
            {add("severity", "Add a severity rule")}
        </section>
        <section class="section" aria-labelledby="grouping-title">
            <header>
                <h2 id="grouping-title">"Grouping"</h2>
                <span class="note">"which letters are one failure"</span>
            </header>
            <RuleList rules=grouping />
            <p class="rule-rest">
                {others}
                " is grouped by its error: class, message without its values, place in the code"
            </p>
            {add("key", "Add a grouping rule")}
        </section>
    }
    .into_any()
}

fn heading(book: &RuleBook) -> String {
    let counted = |rules: &[Rule], noun| {
        let rules = i64::try_from(rules.len()).unwrap_or(i64::MAX);
        match rules {
            0 => format!("no {noun} rule"),
            _ => wording::counted(rules, &format!("{noun} rule")),
        }
    };
    let off = book.severity.iter().chain(&book.grouping);
    let off = off.filter(|rule| !rule.rule.enabled).count();
    let off = match off {
        0 => String::new(),
        1 => "; 1 of them is off".to_owned(),
        many => format!("; {many} of them are off"),
    };
    let severity = counted(&book.severity, "severity");
    let grouping = counted(&book.grouping, "grouping");
    format!("Letters are judged by {severity} and {grouping}{off}.")
}

/// How far judging again has come.
fn progress(judging: JudgingAgain) -> String {
    let of = judging.of.max(judging.done);
    // 100 % would be done.
    let percent = (judging.done * 100).checked_div(of).unwrap_or(0).min(99);
    format!("Judging {} again, {percent} % done.", wording::counted(of, "letter"))
}

fn add(sort: &'static str, words: &'static str) -> impl IntoView {
    let href = links::with_query(&links::rule_form(""), [("sort", sort)]);
    view! {
        <p class="add-rule">
            <a class="button" href=href>
                {words}
            </a>
        </p>
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;

    #[test]
    fn judging_again_is_never_done_before_it_is() {
        let judging = |done, of| {
            progress(JudgingAgain { done, of, changed: 0, began_at: DateTime::UNIX_EPOCH })
        };
        let some = judging(4_080, 12_000);
        assert_eq!(some, "Judging 12,000 letters again, 34 % done.");
        assert!(judging(10, 10).contains("99 %"));
        assert!(judging(0, 0).contains(" 0 %"));
        assert!(judging(11, 10).contains("11 letters"));
    }
}
