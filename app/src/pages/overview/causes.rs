//! What is not well beside the letters.

use dlo_domain::causes::{Causes, MOST_STUCK};
use dlo_domain::severity::Severity;
use leptos::prelude::*;

use crate::links;
use crate::wording::count;

/// One thing that may be why letters die.
#[derive(Debug)]
struct CauseRow {
    /// How many; empty when all is well.
    count: String,
    /// What, or that there is none.
    says: String,
    /// Their list.
    href: String,
    /// How bad they are, worst first, each with its words.
    severities: Vec<(Severity, String)>,
}

/// What may be why letters die: each a number that leads to its list.
#[component]
pub(super) fn CausesPanel(
    /// What there is.
    causes: Causes,
) -> impl IntoView {
    let rows = rows(&causes);
    view! {
        <section class="section" aria-labelledby="causes-title">
            <header>
                <h2 id="causes-title">"Causes"</h2>
            </header>
            <ul class="causes">{rows.into_iter().map(shown).collect_view()}</ul>
        </section>
    }
    .into_any()
}

fn shown(row: CauseRow) -> AnyView {
    if row.count.is_empty() {
        return view! { <li class="well">{row.says}</li> }.into_any();
    }
    let severities = row
        .severities
        .into_iter()
        .map(|(severity, count)| {
            let words = format!("{count} {severity}");
            view! { <span class=format!("sev {severity}")>{words}</span> }
        })
        .collect_view();
    view! {
        <li>
            <a href=row.href>
                <b>{row.count}</b>
                " "
                {row.says}
            </a>
            {severities}
        </li>
    }
    .into_any()
}

/// What is not well with alerts, workers, executions and queues, each in a row of its own.
fn rows(causes: &Causes) -> Vec<CauseRow> {
    let stale = links::with_query(links::WORKERS, [("state", "stale")]);
    let stuck = links::with_query(links::EXECUTIONS, [("tab", "stuck")]);
    let queues = || links::QUEUES.to_owned();
    let findings = causes.findings.iter().filter(|(_, number)| *number > 0);
    let severities = findings.clone();
    let severities = severities.map(|(severity, number)| (*severity, count(*number)));
    let firing = causes.firing_alerts.iter();
    let mut rows = vec![
        row(
            firing.clone().map(|(_, number)| number).sum(),
            ["alert fires", "alerts fire", "No alert fires."],
            links::ALERTS.to_owned(),
        ),
        row(causes.stale_workers, ["stale worker", "stale workers", "No worker is stale."], stale),
        row(
            causes.stuck_executions,
            ["stuck execution", "stuck executions", "No execution is stuck."],
            stuck,
        ),
        row(
            causes.queues_without_consumers,
            [
                "queue without consumers",
                "queues without consumers",
                "No queue was found without consumers.",
            ],
            queues(),
        ),
        row(
            findings.clone().map(|(_, number)| number).sum(),
            [
                "finding in queues",
                "findings in queues",
                "Nothing was found in queues that can lose messages.",
            ],
            queues(),
        ),
    ];
    if causes.stuck_is_least {
        rows[2].count = format!("{}+", count(MOST_STUCK));
    }
    rows[0].severities = firing.map(|(severity, number)| (*severity, count(*number))).collect();
    rows[4].severities = severities.collect();
    rows
}

/// One thing, many, and none of it in words.
fn row(number: i64, [one, many, none]: [&str; 3], href: String) -> CauseRow {
    let (count, says) = match number {
        0 => (String::new(), none),
        1 => (count(1), one),
        more => (count(more), many),
    };
    CauseRow { count, says: says.to_owned(), href, severities: Vec::new() }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use dlo_domain::severity::Severity;

    use super::*;

    fn well() -> Causes {
        Causes {
            at: DateTime::UNIX_EPOCH,
            firing_alerts: Vec::new(),
            stale_workers: 0,
            stuck_executions: 0,
            stuck_is_least: false,
            queues_without_consumers: 0,
            findings: Severity::ALL.into_iter().map(|severity| (severity, 0)).collect(),
        }
    }

    #[test]
    fn what_is_well_is_said_without_a_number() {
        let rows = rows(&well());
        assert!(rows.iter().all(|row| row.count.is_empty()), "{rows:?}");
        assert_eq!((&*rows[0].says, &*rows[1].says), ("No alert fires.", "No worker is stale."));
        assert!(rows[4].severities.is_empty());
    }

    #[test]
    fn what_is_not_well_is_counted_with_the_worst_first() {
        let mut ill = well();
        ill.firing_alerts = vec![(Severity::Critical, 1), (Severity::Normal, 2)];
        ill.stale_workers = 1;
        ill.stuck_executions = MOST_STUCK;
        ill.stuck_is_least = true;
        ill.findings[1].1 = 1_200;
        ill.findings[3].1 = 1;
        let rows = rows(&ill);
        let said: Vec<(&str, &str)> =
            rows.iter().map(|row| (row.count.as_str(), row.says.as_str())).collect();
        assert_eq!(
            said,
            [
                ("3", "alerts fire"),
                ("1", "stale worker"),
                ("10,000+", "stuck executions"),
                ("", "No queue was found without consumers."),
                ("1,201", "findings in queues"),
            ]
        );
        assert_eq!(
            rows[0].severities,
            [(Severity::Critical, "1".to_owned()), (Severity::Normal, "2".to_owned())]
        );
        assert_eq!(
            rows[4].severities,
            [(Severity::High, "1,200".to_owned()), (Severity::Low, "1".to_owned())]
        );
        assert_eq!((&*rows[0].href, &*rows[1].href), ("/alerts", "/workers?state=stale"));
    }
}
