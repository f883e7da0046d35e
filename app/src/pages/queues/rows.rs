//! Queues and findings put into words, each where it stands in a list.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use dlo_domain::severity::Severity;
use dlo_domain::topology::{DelayLevel, End, FindingKind, KeptFinding, QueueReport, Role, is_ours};

use super::findings::FindingRow;
use crate::desk::desk;
use crate::error::ApiError;
use crate::pages::said::{Link, Said, link, plain};
use crate::{links, wording};

/// A queue as the table shows it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct QueueRow {
    /// Its name.
    pub(super) name: String,
    /// Its page.
    pub(super) href: String,
    /// What it is.
    pub(super) kind: String,
    /// Messages that wait.
    pub(super) ready: String,
    /// Messages in and out, a second.
    pub(super) rates: String,
    /// Consumers.
    pub(super) consumers: String,
    /// Where its dead letters go.
    pub(super) target: Said,
    /// The finding: its number and how bad it is.
    pub(super) finding: Option<(usize, Severity)>,
    /// What can be done.
    pub(super) link: Option<Link>,
}

/// Findings that are shown.
pub(super) const MOST_FINDINGS: usize = 100;

/// Queues that are named of many.
const MOST_NAMED: usize = 3;

/// The finding of each queue that is told first, by its number.
pub(super) type Numbers = BTreeMap<String, (usize, Severity, FindingKind)>;

pub(super) fn numbers(findings: &[KeptFinding], queues: &[QueueReport]) -> Numbers {
    let mut numbers = Numbers::new();
    for (at, one) in findings.iter().enumerate().take(MOST_FINDINGS) {
        let finding = &one.finding;
        let number = (at + 1, finding.severity, finding.kind);
        if finding.kind != FindingKind::PolicyShadowed {
            numbers.entry(finding.subject.clone()).or_insert(number);
            continue;
        }
        let harmed = queues.iter().filter(|queue| queue.findings.contains(&one.id));
        for queue in harmed {
            numbers.entry(queue.name.clone()).or_insert(number);
        }
    }
    numbers
}

/// How many letters of each source are held, by its id: and what it is called.
pub(super) type Watched = BTreeMap<String, (String, i64)>;

pub(super) async fn watched_letters() -> Result<Watched, ApiError> {
    let sources = desk().sources().await?.into_iter();
    Ok(sources.map(|source| (source.id.to_string(), (source.name, source.held))).collect())
}

/// A finding, where it stands in a list, and where more can be done about it.
pub(in crate::pages) fn finding(
    number: usize,
    one: &KeptFinding,
    queues: &[QueueReport],
    now: DateTime<Utc>,
) -> FindingRow {
    let mut since = format!("since {}", age(one.first_seen_at, now));
    if let Some(who) = &one.acknowledged_by {
        since = format!("{since}; noted by {who}");
    }
    let of = queues.iter().find(|queue| queue.name == one.finding.subject);
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
fn mending(queue: &QueueReport, kind: FindingKind) -> Option<Link> {
    match kind {
        FindingKind::Stranded if queue.effective.dead_letter_exchange.is_some() => None,
        FindingKind::LettersDropped => {
            let page = links::with_query(&page_of(queue), [("look", "lift")]);
            Some(Link::new("Lift the limit", format!("{page}#preview")))
        }
        FindingKind::DeliveriesEnd
        | FindingKind::Stranded
        | FindingKind::ExchangeMissing
        | FindingKind::Unbound
        | FindingKind::LiteralHash => {
            let form = format!("{}#dead-lettering", page_of(queue));
            Some(Link::new("Set its dead-lettering", form))
        }
        _ => take_letters(queue),
    }
}

/// The form that watches a dead-letter queue which nobody watches.
fn take_letters(queue: &QueueReport) -> Option<Link> {
    let is_free = queue.source_id.is_none() && !is_ours(&queue.name);
    (queue.role == Role::DeadLetters && is_free).then(|| {
        let pairs = [("queue", &*queue.name), ("vhost", &*queue.vhost), ("broker", &*queue.broker)];
        let address = links::with_query("/sources", pairs);
        Link::new("Take letters from it", format!("{address}#add"))
    })
}

/// A queue as a row of the table.
pub(super) fn row(queue: &QueueReport, numbers: &Numbers, watched: &Watched) -> QueueRow {
    let figures = queue.figures;
    let number = |figure: Option<i64>| figure.map_or_else(|| "?".to_owned(), wording::count);
    let of_source = queue.source_id.and_then(|id| watched.get(&id.to_string()));
    let target = target(queue);
    let watching = of_source.map(|(name, held)| {
        let form = dlo_domain::filter::FilterForm {
            source: Some(name.clone()),
            ..dlo_domain::filter::FilterForm::default()
        };
        Link::new(format!("{} held", wording::count(*held)), links::letters(&form))
    });
    QueueRow {
        name: queue.name.clone(),
        href: page_of(queue),
        kind: kind(queue),
        ready: number(figures.ready),
        rates: rates(queue),
        consumers: number(figures.consumers),
        target,
        finding: numbers.get(&queue.name).map(|(at, severity, _)| (*at, *severity)),
        link: watching.or_else(|| take_letters(queue)),
    }
}

/// What a queue is, and what for.
pub(in crate::pages) fn kind(queue: &QueueReport) -> String {
    if let Some(DelayLevel { delay, level }) = &queue.delay {
        return format!("{}, level {level} of the delay {delay}", queue.kind.as_str());
    }
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
pub(in crate::pages) fn rates(queue: &QueueReport) -> String {
    let rate = |rate: Option<f64>| rate.map_or_else(|| "–".to_owned(), |rate| format!("{rate:.1}"));
    match (queue.figures.in_per_second, queue.figures.out_per_second) {
        (None, None) => "–".to_owned(),
        (come, go) => format!("{} · {}", rate(come), rate(go)),
    }
}

/// Queues of the same vhost, the first few, each with its page.
pub(in crate::pages) fn named<'a>(
    queue: &QueueReport,
    names: impl IntoIterator<Item = &'a String>,
) -> Said {
    let (mut said, mut more) = (Said::new(), 0);
    for (at, name) in names.into_iter().enumerate() {
        if at >= MOST_NAMED {
            more += 1;
            continue;
        }
        if at > 0 {
            said.extend(plain(", "));
        }
        let page = links::queue(&queue.broker, &queue.vhost, name);
        said.push(link(name.clone(), page));
    }
    if more > 0 {
        said.extend(plain(format!(" and {more} more")));
    }
    said
}

/// Where the dead letters of a queue go, in a few words, or to which queues.
pub(in crate::pages) fn target(queue: &QueueReport) -> Said {
    match &queue.dead_letters {
        Some(route) if route.end == End::Arrives => named(queue, &route.to),
        _ => plain(target_words(queue)),
    }
}

/// Why dead letters come to no queue; empty where they come to one.
pub(in crate::pages) fn target_words(queue: &QueueReport) -> String {
    let Some(route) = &queue.dead_letters else {
        return match queue.role {
            Role::Work => "nowhere".to_owned(),
            Role::DeadLetters | Role::Retry => "–".to_owned(),
        };
    };
    match route.end {
        End::ExchangeMissing => format!("{} is missing", route.exchange),
        End::Nowhere => "no queue takes them".to_owned(),
        End::Unknown => "not known".to_owned(),
        End::Arrives => String::new(),
    }
}

/// How long ago something was.
pub(in crate::pages) fn age(at: DateTime<Utc>, now: DateTime<Utc>) -> String {
    wording::age((now - at).num_seconds().max(0))
}
