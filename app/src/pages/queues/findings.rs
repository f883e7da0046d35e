//! What can be lost in queues, and what mends it.

use dlo_domain::severity::Severity;
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;

use super::acting::JudgeFinding;
use crate::components::{SeverityMark, Spoken};
use crate::pages::said::Link;
use crate::visible::show_lines;

/// Findings of low severity beyond which these are shown on demand: on a broker with classic queues
/// there is one for each.
const MOST_LOW: usize = 3;

/// A finding as the list shows it.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::pages) struct FindingRow {
    /// Its id.
    pub(in crate::pages) id: String,
    /// Its place in the list, from 1.
    pub(in crate::pages) number: usize,
    /// How bad it is.
    pub(in crate::pages) severity: Severity,
    /// In a line.
    pub(in crate::pages) title: String,
    /// What is lost.
    pub(in crate::pages) lost: String,
    /// What mends it.
    pub(in crate::pages) fix: String,
    /// A command that does.
    pub(in crate::pages) command: String,
    /// Since when, and who took note of it.
    pub(in crate::pages) since: String,
    /// Whether somebody took note of it.
    pub(in crate::pages) acknowledged: bool,
    /// Where more can be done about it.
    pub(in crate::pages) link: Option<Link>,
}

/// Findings, in the order of their numbers; many of low severity are folded. A link to one of those
/// opens them.
#[component]
pub(crate) fn FindingList(
    /// The findings.
    rows: Vec<FindingRow>,
) -> impl IntoView {
    let (low, first): (Vec<_>, Vec<_>) =
        rows.into_iter().partition(|row| row.severity == Severity::Low);
    let list = |rows: Vec<FindingRow>| {
        view! { <ul class="findings">{rows.into_iter().map(finding).collect_view()}</ul> }
    };
    if low.len() <= MOST_LOW {
        let all = first.into_iter().chain(low).collect();
        return list(all).into_any();
    }
    let words = format!("{} findings of low severity", low.len());
    view! {
        {list(first)}
        <details class="data">
            <summary>{words}</summary>
            {list(low)}
        </details>
    }
    .into_any()
}

fn finding(row: FindingRow) -> AnyView {
    let button = |word: &'static str, text: &'static str| {
        view! {
            <button class="button" type="submit" name="word" value=word>
                {text}
            </button>
        }
    };
    let noting =
        if row.acknowledged { button("forget", "Not noted") } else { button("note", "Take note") };
    view! {
        <li>
            <span class=format!("no {}", row.severity) id=format!("f{}", row.number)>{row.number}</span>
            <div class="say">
                <h3><Spoken text=row.title /></h3>
                <span>
                    <SeverityMark severity=row.severity />
                    " "
                    <small class="second">{row.since}</small>
                </span>
                <p><Spoken text=row.lost /></p>
            </div>
            <div class="fix">
                <p><Spoken text=row.fix /></p>
                {(!row.command.is_empty()).then(|| view! { <pre>{show_lines(&row.command)}</pre> })}
                {row.link.map(Link::shown)}
                <form method="post" action=JudgeFinding::PATH class="actions">
                    <input type="hidden" name="id" value=row.id />
                    {noting}
                    {button("mute", "Mute for a week")}
                </form>
            </div>
        </li>
    }
    .into_any()
}
