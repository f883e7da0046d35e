//! The queues' page put into words.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use dlo_domain::severity::Severity;
use dlo_domain::topology::{
    BrokerTopology, End, FindingKind, FindingScope, KeptFinding, QueueQuery, QueueReport, Role,
    VhostTopology,
};

use super::{FindingRow, QueueRow, QueueSheet, picture};
use crate::desk::desk;
use crate::error::ApiError;
use crate::request::now;
use crate::{links, wording};

/// Queues of the table, and of what the picture is made of.
const MOST_QUEUES: usize = 1_000;
const MOST_ROWS: usize = 200;
/// Vhosts that cannot be read, each with its reason.
const MOST_ILL: usize = 5;
/// Findings that are shown.
const MOST_FINDINGS: usize = 100;

pub(super) async fn of(broker: &str, vhost: &str, all: bool) -> Result<QueueSheet, ApiError> {
    let brokers = desk().brokers().await?;
    let here = chosen(&brokers, broker, vhost);
    let Some(here) = here else {
        return Ok(empty(&brokers));
    };
    let query = QueueQuery {
        broker: Some(here.broker.clone()),
        vhost: Some(here.vhost.clone()),
        limit: MOST_QUEUES,
        ..QueueQuery::default()
    };
    let (queues, total) = desk().queues(&query).await?;
    let mut findings = desk().findings(FindingScope::Open).await?;
    findings.retain(|one| one.broker == here.broker && one.vhost == here.vhost);
    let watched = watched_letters().await?;
    let numbers = numbers(&findings);
    let now = now();
    let rows: Vec<QueueRow> = queues
        .iter()
        .take(MOST_ROWS)
        .map(|queue| row(queue, &numbers, &watched))
        .collect();
    let shown = i64::try_from(rows.len()).unwrap_or(i64::MAX);
    let address = |show| {
        links::with_query(
            links::QUEUES,
            [
                ("broker", &*here.broker),
                ("vhost", &here.vhost),
                ("show", show),
            ],
        )
    };
    let switch = if all {
        (address(""), "with findings only".to_owned())
    } else {
        (address("all"), "all that dead-letter".to_owned())
    };
    Ok(QueueSheet {
        heading: heading(&findings),
        notes: notes(&brokers, here),
        place: format!(
            "{}, vhost {}, RabbitMQ {}, read {} ago",
            here.broker,
            here.vhost,
            here.version.as_deref().unwrap_or("of unknown version"),
            age(here.read_at, now)
        ),
        others: others(&brokers, here),
        picture: picture::of(&queues, &numbers, all),
        switch,
        findings: findings
            .iter()
            .take(MOST_FINDINGS)
            .enumerate()
            .map(|(at, one)| finding(at + 1, one, &queues, now))
            .collect(),
        rows,
        rest: if total > shown {
            format!("{} more are not shown.", wording::count(total - shown))
        } else {
            String::new()
        },
    })
}

/// The vhost that is asked for; else the one with the most findings, and of these the largest.
fn chosen<'a>(
    brokers: &'a [BrokerTopology],
    broker: &str,
    vhost: &str,
) -> Option<&'a VhostTopology> {
    let all = || brokers.iter().flat_map(|broker| &broker.vhosts);
    let asked = all().find(|one| {
        one.vhost == vhost && (broker.is_empty() || one.broker == broker) && !vhost.is_empty()
    });
    asked.or_else(|| all().max_by_key(|one| (one.findings, one.queues)))
}

fn empty(brokers: &[BrokerTopology]) -> QueueSheet {
    let why = brokers.iter().filter_map(of_trouble).collect();
    let heading = if brokers.iter().all(|broker| broker.asked_at.is_none()) {
        "No broker was asked for its queues yet. They are read through its management API: name it \
         with DLO_MANAGEMENT_URL."
    } else {
        "No queues could be read."
    };
    QueueSheet {
        heading: heading.to_owned(),
        notes: why,
        place: String::new(),
        others: Vec::new(),
        picture: None,
        switch: (String::new(), String::new()),
        findings: Vec::new(),
        rows: Vec::new(),
        rest: String::new(),
    }
}

fn of_trouble(broker: &BrokerTopology) -> Option<String> {
    let why = wording::sentence(broker.trouble.as_deref()?);
    let since = broker.trouble_since.map_or_else(String::new, |since| {
        format!(" since {}", wording::absolute(since))
    });
    Some(format!(
        "The queues of the broker {} cannot be read{since}: what is shown is what was read last. {why}",
        broker.broker
    ))
}

fn notes(brokers: &[BrokerTopology], here: &VhostTopology) -> Vec<String> {
    let troubles = brokers.iter().filter_map(of_trouble);
    let vhosts = brokers.iter().flat_map(|broker| &broker.vhosts);
    let ill: Vec<String> = vhosts.filter_map(of_vhost).collect();
    let more = ill.len().saturating_sub(MOST_ILL);
    let more = (more > 0).then(|| {
        let more = i64::try_from(more).unwrap_or(i64::MAX);
        format!("{} more cannot be read.", wording::counted(more, "vhost"))
    });
    troubles
        .chain(ill.into_iter().take(MOST_ILL))
        .chain(more)
        .chain(here.notes.iter().cloned())
        .collect()
}

/// Why a vhost cannot be read while its broker can.
fn of_vhost(vhost: &VhostTopology) -> Option<String> {
    let why = wording::sentence(vhost.trouble.as_deref()?);
    let since = vhost
        .trouble_since
        .map(wording::absolute)
        .unwrap_or_default();
    Some(format!(
        "The vhost {} of the broker {} cannot be read since {since}: what is shown of it is what was \
         read last. {why}",
        vhost.vhost, vhost.broker
    ))
}

fn others(brokers: &[BrokerTopology], here: &VhostTopology) -> Vec<(String, String)> {
    let all = brokers.iter().flat_map(|broker| &broker.vhosts);
    let others = all.filter(|one| (&one.broker, &one.vhost) != (&here.broker, &here.vhost));
    others
        .map(|one| {
            let pairs = [("broker", &*one.broker), ("vhost", &*one.vhost)];
            let findings = wording::counted(one.findings, "finding");
            (
                links::with_query(links::QUEUES, pairs),
                format!(
                    "{}, vhost {}: {findings}{}",
                    one.broker,
                    one.vhost,
                    if one.trouble.is_some() {
                        ", cannot be read"
                    } else {
                        ""
                    }
                ),
            )
        })
        .collect()
}

fn heading(findings: &[KeptFinding]) -> String {
    let of = |severity| {
        findings
            .iter()
            .filter(|one| one.finding.severity == severity)
            .count()
    };
    let (critical, high) = (of(Severity::Critical), of(Severity::High));
    let rest = findings.len() - critical - high;
    let many = |number: usize, one: &str, more: &str| match number {
        1 => format!("1 {one}"),
        _ => format!("{number} {more}"),
    };
    match (critical, high, rest) {
        (0, 0, 0) => "No queue here is known to lose messages.".to_owned(),
        (0, 0, rest) => format!(
            "No queue here is known to lose messages; {} could be better.",
            many(rest, "thing", "things")
        ),
        (0, high, _) => format!(
            "{} messages be lost.",
            many(high, "setting lets", "settings let")
        ),
        (critical, 0, _) => {
            format!(
                "{} messages for certain.",
                many(critical, "setting loses", "settings lose")
            )
        }
        (critical, high, _) => format!(
            "{} messages for certain, {} them be lost.",
            many(critical, "setting loses", "settings lose"),
            many(high, "more lets", "more let")
        ),
    }
}

/// The finding of each queue that is told first, by its number.
pub(super) type Numbers = BTreeMap<String, (usize, Severity, FindingKind)>;

fn numbers(findings: &[KeptFinding]) -> Numbers {
    let mut numbers = Numbers::new();
    for (at, one) in findings.iter().enumerate().take(MOST_FINDINGS) {
        let finding = &one.finding;
        if finding.kind != FindingKind::PolicyShadowed {
            let number = (at + 1, finding.severity, finding.kind);
            numbers.entry(finding.subject.clone()).or_insert(number);
        }
    }
    numbers
}

/// How many letters of each source are held, by its id: and what it is called.
type Watched = BTreeMap<String, (String, i64)>;

async fn watched_letters() -> Result<Watched, ApiError> {
    let sources = desk().sources().await?.into_iter();
    Ok(sources
        .map(|source| (source.id.to_string(), (source.name, source.held)))
        .collect())
}

/// A finding, where it stands in a list, and where more can be done about it.
pub(in crate::api) fn finding(
    number: usize,
    one: &KeptFinding,
    queues: &[QueueReport],
    now: DateTime<Utc>,
) -> FindingRow {
    let mut since = format!("since {}", age(one.first_seen_at, now));
    if let Some(who) = &one.acknowledged_by {
        since = format!("{since}; noted by {who}");
    }
    let of = queues
        .iter()
        .find(|queue| queue.name == one.finding.subject);
    FindingRow {
        id: one.id.to_string(),
        number,
        severity: one.finding.severity,
        title: one.finding.title.clone(),
        lost: one.finding.lost.clone(),
        fix: one.finding.fix.clone(),
        command: one.finding.command.clone().unwrap_or_default(),
        since,
        acknowledged: one.acknowledged_by.is_some(),
        link: of.and_then(|queue| mending(queue, one.finding.kind)),
    }
}

/// Where a finding is mended here.
fn mending(queue: &QueueReport, kind: FindingKind) -> Option<(String, String)> {
    match kind {
        FindingKind::Stranded if queue.effective.dead_letter_exchange.is_some() => None,
        FindingKind::DeliveriesEnd
        | FindingKind::Stranded
        | FindingKind::ExchangeMissing
        | FindingKind::Unbound
        | FindingKind::LiteralHash => {
            let form = format!("{}#dead-lettering", page_of(queue));
            Some((form, "Set its dead-lettering".to_owned()))
        }
        _ => take_letters(queue),
    }
}

/// The form that watches a dead-letter queue which nobody watches.
fn take_letters(queue: &QueueReport) -> Option<(String, String)> {
    (queue.role == Role::DeadLetters && queue.source_id.is_none()).then(|| {
        let pairs = [
            ("queue", &*queue.name),
            ("vhost", &*queue.vhost),
            ("broker", &*queue.broker),
        ];
        let address = links::with_query("/sources", pairs);
        (format!("{address}#add"), "Take letters from it".to_owned())
    })
}

fn row(queue: &QueueReport, numbers: &Numbers, watched: &Watched) -> QueueRow {
    let figures = queue.figures;
    let number = |figure: Option<i64>| figure.map_or_else(|| "?".to_owned(), wording::count);
    let of_source = queue.source_id.and_then(|id| watched.get(&id.to_string()));
    let watching = of_source.map(|(name, held)| {
        let form = dlo_domain::filter::FilterForm {
            source: Some(name.clone()),
            ..dlo_domain::filter::FilterForm::default()
        };
        (
            links::letters(&form),
            format!("{} held", wording::count(*held)),
        )
    });
    QueueRow {
        name: queue.name.clone(),
        href: page_of(queue),
        kind: kind(queue),
        ready: number(figures.ready),
        rates: rates(queue),
        consumers: number(figures.consumers),
        target: target(queue),
        finding: numbers
            .get(&queue.name)
            .map(|(at, severity, _)| (*at, *severity)),
        link: watching.or_else(|| take_letters(queue)),
    }
}

/// What a queue is, and what for.
pub(in crate::api) fn kind(queue: &QueueReport) -> String {
    match queue.role {
        Role::Work => queue.kind.as_str().to_owned(),
        Role::DeadLetters => format!("{}, dead letters", queue.kind.as_str()),
        Role::Retry => format!("{}, retries", queue.kind.as_str()),
    }
}

fn page_of(queue: &QueueReport) -> String {
    links::queue(&queue.broker, &queue.vhost, &queue.name)
}

/// Messages in and out, a second.
pub(in crate::api) fn rates(queue: &QueueReport) -> String {
    let rate = |rate: Option<f64>| rate.map_or_else(|| "–".to_owned(), |rate| format!("{rate:.1}"));
    match (queue.figures.in_per_second, queue.figures.out_per_second) {
        (None, None) => "–".to_owned(),
        (come, go) => format!("{} · {}", rate(come), rate(go)),
    }
}

/// Where the dead letters of a queue go, in a few words.
pub(in crate::api) fn target(queue: &QueueReport) -> String {
    let Some(route) = &queue.dead_letters else {
        return match queue.role {
            Role::Work => "nowhere".to_owned(),
            Role::DeadLetters | Role::Retry => "–".to_owned(),
        };
    };
    let names: Vec<&str> = route.to.iter().map(String::as_str).take(3).collect();
    let more = route.to.len().saturating_sub(names.len());
    match route.end {
        End::ExchangeMissing => format!("{} is missing", route.exchange),
        End::Nowhere => "no queue takes them".to_owned(),
        End::Unknown => "not known".to_owned(),
        End::Arrives if more > 0 => format!("{} and {more} more", names.join(", ")),
        End::Arrives => names.join(", "),
    }
}

/// How long ago something was.
pub(in crate::api) fn age(at: DateTime<Utc>, now: DateTime<Utc>) -> String {
    wording::age((now - at).num_seconds().max(0))
}
