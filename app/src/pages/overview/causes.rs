//! What is not well beside the letters.

use chrono::{DateTime, Utc};
use dlo_domain::causes::{Causes, MOST_STUCK, StandingReplays};
use dlo_domain::severity::Severity;
use leptos::prelude::*;

use crate::components::Ago;
use crate::links;
use crate::visible::show_name;
use crate::wording::{count, counted};

/// One thing that may be why letters die.
#[derive(Debug)]
struct CauseRow {
    /// How many.
    count: String,
    /// Of what.
    says: &'static str,
    /// Their list.
    href: String,
    /// How bad they are, worst first, each with its words.
    severities: Vec<(Severity, String)>,
    /// What else is known of them.
    detail: Option<Detail>,
}

/// What is told below a number.
#[derive(Debug, PartialEq)]
enum Detail {
    /// The worst of the silent workers, and its last sign of life.
    Silent(String, DateTime<Utc>),
    /// Letters that have not been sent.
    Waiting(i64),
}

/// What may be why letters die: each a number that leads to its list. What is well takes no room.
#[component]
pub(super) fn CausesPanel(
    /// What there is.
    causes: Causes,
) -> impl IntoView {
    let (rows, now) = (rows(&causes), causes.at);
    let all = if rows.is_empty() {
        view! {
            <p class="empty">
                "No alert fires, no worker is stale, no execution is stuck, no replay is paused, and nothing was found in queues."
            </p>
        }
        .into_any()
    } else {
        let rows = rows.into_iter().map(|row| shown(row, now)).collect_view();
        view! { <ul class="causes">{rows}</ul> }.into_any()
    };
    view! {
        <section class="section" aria-labelledby="causes-title">
            <header>
                <h2 id="causes-title">"Causes"</h2>
            </header>
            {all}
        </section>
    }
    .into_any()
}

fn shown(row: CauseRow, now: DateTime<Utc>) -> AnyView {
    let severities = row
        .severities
        .into_iter()
        .map(|(severity, count)| {
            let words = format!("{count} {severity}");
            view! { <span class=format!("sev {severity}")>{words}</span> }
        })
        .collect_view();
    let detail = row.detail.map(|detail| match detail {
        Detail::Silent(name, since) => view! {
            <small>
                <a class="id" href=links::worker(&name)>
                    {show_name(&name)}
                </a>
                ", silent for "
                <Ago at=since now />
            </small>
        }
        .into_any(),
        Detail::Waiting(letters) => {
            let verb = if letters == 1 { "waits" } else { "wait" };
            let words = format!("{} {verb} to be sent", counted(letters, "letter"));
            view! { <small>{words}</small> }.into_any()
        }
    });
    view! {
        <li>
            <a href=row.href>
                <b>{row.count}</b>
                " "
                {row.says}
            </a>
            {severities}
            {detail}
        </li>
    }
    .into_any()
}

/// What is not well with alerts, workers, executions, replays and queues, each in a row of its own.
fn rows(causes: &Causes) -> Vec<CauseRow> {
    let list = |path: &str, pair: (&str, &str)| links::with_query(path, [pair]);
    let sum = |those: &[(Severity, i64)]| those.iter().map(|(_, number)| number).sum();
    let firing = &causes.firing_alerts;
    let alerts = row(sum(firing), ["alert fires", "alerts fire"], links::ALERTS.to_owned());
    let stale = list(links::WORKERS, ("state", "stale"));
    let stale = row(causes.stale_workers, ["stale worker", "stale workers"], stale);
    let stuck = list(links::EXECUTIONS, ("tab", "stuck"));
    let mut stuck = row(causes.stuck_executions, ["stuck execution", "stuck executions"], stuck);
    if causes.stuck_is_least {
        stuck.count = format!("{}+", count(MOST_STUCK));
    }
    let worst = causes.worst_worker.as_ref();
    let queues = || links::QUEUES.to_owned();
    let idle = causes.queues_without_consumers;
    let found = sum(&causes.findings);
    let all = [
        CauseRow { severities: by_severity(firing), ..alerts },
        CauseRow {
            detail: worst.map(|worker| Detail::Silent(worker.name.clone(), worker.since)),
            ..stale
        },
        stuck,
        standing(causes.paused_replays, ["paused replay", "paused replays"]),
        standing(causes.replays_to_approve, ["replay to approve", "replays to approve"]),
        row(idle, ["queue without consumers", "queues without consumers"], queues()),
        CauseRow {
            severities: by_severity(&causes.findings),
            ..row(found, ["finding in queues", "findings in queues"], queues())
        },
    ];
    all.into_iter().filter(|row| row.count != "0").collect()
}

/// So many of something.
fn row(number: i64, [one, many]: [&'static str; 2], href: String) -> CauseRow {
    let says = if number == 1 { one } else { many };
    CauseRow { count: count(number), says, href, severities: Vec::new(), detail: None }
}

/// Replays that go on only when somebody says so: one leads to itself.
fn standing(replays: Option<StandingReplays>, words: [&'static str; 2]) -> CauseRow {
    let number = replays.map_or(0, |those| those.replays);
    let href = match replays {
        Some(StandingReplays { replays: 1, oldest, .. }) => links::replay(oldest),
        _ => links::with_query(links::REPLAYS, [("by", "all")]),
    };
    let detail = replays.map(|those| Detail::Waiting(those.letters));
    CauseRow { detail, ..row(number, words, href) }
}

fn by_severity(those: &[(Severity, i64)]) -> Vec<(Severity, String)> {
    let some = those.iter().filter(|(_, number)| *number > 0);
    some.map(|(severity, number)| (*severity, count(*number))).collect()
}

#[cfg(test)]
mod tests {
    use dlo_domain::causes::SilentWorker;
    use dlo_domain::ids::ReplayId;

    use super::*;

    fn well() -> Causes {
        Causes {
            at: DateTime::UNIX_EPOCH,
            firing_alerts: Vec::new(),
            stale_workers: 0,
            stuck_executions: 0,
            stuck_is_least: false,
            worst_worker: None,
            paused_replays: None,
            replays_to_approve: None,
            queues_without_consumers: 0,
            findings: Severity::ALL.into_iter().map(|severity| (severity, 0)).collect(),
        }
    }

    #[test]
    fn what_is_well_takes_no_row() {
        assert!(rows(&well()).is_empty());
    }

    #[test]
    fn what_is_not_well_is_counted_with_the_worst_first() {
        let mut ill = well();
        ill.firing_alerts = vec![(Severity::Critical, 1), (Severity::Normal, 2)];
        ill.stale_workers = 1;
        ill.worst_worker = Some(SilentWorker {
            name: "worker-7".to_owned(),
            since: DateTime::UNIX_EPOCH,
            letters: 412,
            letters_are_least: false,
        });
        ill.stuck_executions = MOST_STUCK;
        ill.stuck_is_least = true;
        ill.findings[1].1 = 1_200;
        ill.findings[3].1 = 1;
        let rows = rows(&ill);
        let said: Vec<(&str, &str)> =
            rows.iter().map(|row| (row.count.as_str(), row.says)).collect();
        assert_eq!(
            said,
            [
                ("3", "alerts fire"),
                ("1", "stale worker"),
                ("10,000+", "stuck executions"),
                ("1,201", "findings in queues"),
            ]
        );
        assert_eq!(
            rows[0].severities,
            [(Severity::Critical, "1".to_owned()), (Severity::Normal, "2".to_owned())]
        );
        assert_eq!(
            rows[3].severities,
            [(Severity::High, "1,200".to_owned()), (Severity::Low, "1".to_owned())]
        );
        assert_eq!((&*rows[0].href, &*rows[1].href), ("/alerts", "/workers?state=stale"));
        let silent = Detail::Silent("worker-7".to_owned(), DateTime::UNIX_EPOCH);
        assert_eq!(rows[1].detail, Some(silent));
    }

    #[test]
    fn one_paused_replay_leads_to_itself_and_several_to_the_list() {
        let oldest: ReplayId = "019a0f3e-5a4b-7c2d-8e1f-0123456789ab".parse().expect("an id");
        let one = StandingReplays { replays: 1, letters: 48, oldest };
        let two = StandingReplays { replays: 2, ..one };
        let paused_replays = Some(one);
        let rows = rows(&Causes { paused_replays, replays_to_approve: Some(two), ..well() });
        assert_eq!((&*rows[0].count, rows[0].says), ("1", "paused replay"));
        assert_eq!(rows[0].href, format!("/replays/{oldest}"));
        assert_eq!(rows[0].detail, Some(Detail::Waiting(48)));
        assert_eq!((&*rows[1].count, rows[1].says), ("2", "replays to approve"));
        assert_eq!(rows[1].href, "/replays?by=all");
    }
}
