//! What the page of the queues shows.

use dlo_domain::severity::Severity;
use dlo_domain::topology::{BrokerTopology, FindingScope, KeptFinding, QueueQuery, VhostTopology};

use super::delays;
use super::findings::FindingRow;
use super::map::{self, TopologyMap};
use super::rows::{MOST_FINDINGS, QueueRow, age, finding, numbers, row, watched_letters};
use crate::desk::desk;
use crate::error::ApiError;
use crate::pages::said::{Link, Said, link, plain, words};
use crate::request::now;
use crate::{links, wording};

/// Queues of the table, and of what the map is made of.
const MOST_QUEUES: usize = 1_000;
const MOST_ROWS: usize = 200;
/// Vhosts that cannot be read, each with its reason.
const MOST_ILL: usize = 5;

/// The queues of one vhost.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct QueuesView {
    /// In a sentence.
    pub(super) heading: Said,
    /// What is not well, or not known.
    pub(super) notes: Vec<String>,
    /// Which vhost, and when it was read.
    pub(super) place: String,
    /// Other vhosts.
    pub(super) others: Vec<Link>,
    /// The map; nothing when there is nothing to draw.
    pub(super) map: Option<TopologyMap>,
    /// The map of all, or of those with findings only.
    pub(super) switch: Option<Link>,
    /// What can be lost.
    pub(super) findings: Vec<FindingRow>,
    /// The queues.
    pub(super) rows: Vec<QueueRow>,
    /// What is left out of the table, if anything.
    pub(super) rest: String,
}

/// The queues of a vhost; of the one with the most findings where none is named. With `all` the map has every
/// queue that dead-letters, else those with findings.
pub(super) async fn of(broker: &str, vhost: &str, all: bool) -> Result<QueuesView, ApiError> {
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
    let page = desk().queues(&query).await?;
    let (queues, total) = (page.items, page.estimated_total);
    let mut findings = desk().findings(FindingScope::Open).await?;
    findings.retain(|one| one.broker == here.broker && one.vhost == here.vhost);
    let watched = watched_letters().await?;
    let numbers = numbers(&findings, &queues);
    let now = now();
    let told = queues.iter().filter(|queue| !delays::is_within(&here.delays, queue));
    let rows: Vec<QueueRow> = told
        .take(MOST_ROWS)
        .map(|queue| match delays::of_lowest(&here.delays, queue) {
            Some(delay) => delays::row(delay, queue),
            None => row(queue, &numbers, &watched),
        })
        .collect();
    let within = queues.iter().filter(|queue| delays::is_within(&here.delays, queue)).count();
    let shown = i64::try_from(rows.len() + within).unwrap_or(i64::MAX);
    let address = |show| {
        links::with_query(
            links::QUEUES,
            [("broker", &*here.broker), ("vhost", &here.vhost), ("show", show)],
        )
    };
    let switch = if all {
        Link::new("with findings only", address(""))
    } else {
        Link::new("all that dead-letter", address("all"))
    };
    Ok(QueuesView {
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
        map: map::of(&queues, &here.delays, &numbers, all),
        switch: Some(switch),
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

fn empty(brokers: &[BrokerTopology]) -> QueuesView {
    let why = brokers.iter().filter_map(of_trouble).collect();
    let heading = if brokers.iter().all(|broker| broker.asked_at.is_none()) {
        "No queues have been read yet. They are read through the management API: set \
         DLO_MANAGEMENT_URL."
    } else {
        "No queues could be read."
    };
    QueuesView {
        heading: plain(heading),
        notes: why,
        place: String::new(),
        others: Vec::new(),
        map: None,
        switch: None,
        findings: Vec::new(),
        rows: Vec::new(),
        rest: String::new(),
    }
}

fn of_trouble(broker: &BrokerTopology) -> Option<String> {
    let why = wording::sentence(broker.trouble.as_deref()?);
    let since = broker
        .trouble_since
        .map_or_else(String::new, |since| format!(" since {}", wording::absolute(since)));
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
    let since = vhost.trouble_since.map(wording::absolute).unwrap_or_default();
    Some(format!(
        "The vhost {} of the broker {} cannot be read since {since}: what is shown of it is what was \
         read last. {why}",
        vhost.vhost, vhost.broker
    ))
}

fn others(brokers: &[BrokerTopology], here: &VhostTopology) -> Vec<Link> {
    let all = brokers.iter().flat_map(|broker| &broker.vhosts);
    let others = all.filter(|one| (&one.broker, &one.vhost) != (&here.broker, &here.vhost));
    others
        .map(|one| {
            let pairs = [("broker", &*one.broker), ("vhost", &*one.vhost)];
            let findings = wording::counted(one.findings, "finding");
            let ill = if one.trouble.is_some() { ", cannot be read" } else { "" };
            let words = format!("{}, vhost {}: {findings}{ill}", one.broker, one.vhost);
            Link::new(words, links::with_query(links::QUEUES, pairs))
        })
        .collect()
}

const NONE: &str = "No queue here is known to lose messages";

/// What is lost; each number leads to the first finding that it counts.
fn heading(findings: &[KeptFinding]) -> Said {
    let of = |severity| findings.iter().filter(|one| one.finding.severity == severity).count();
    let (critical, high) = (of(Severity::Critical), of(Severity::High));
    let rest = findings.len() - critical - high;
    let count = |number: usize, first: usize| {
        let number = wording::count(i64::try_from(number).unwrap_or(i64::MAX));
        link(number, format!("#f{}", first + 1))
    };
    let then = |number: usize, one: &str, more: &str| words(if number == 1 { one } else { more });
    let lose = then(
        critical,
        " setting loses messages for certain",
        " settings lose messages for certain",
    );
    match (critical, high, rest) {
        (0, 0, 0) => plain(format!("{NONE}.")),
        (0, 0, rest) => vec![
            words(format!("{NONE}; ")),
            count(rest, 0),
            then(rest, " thing could be better.", " things could be better."),
        ],
        (0, high, _) => vec![
            count(high, 0),
            then(high, " setting lets messages be lost.", " settings let messages be lost."),
        ],
        (critical, 0, _) => vec![count(critical, 0), lose, words(".")],
        (critical, high, _) => vec![
            count(critical, 0),
            lose,
            words(", "),
            count(high, critical),
            then(high, " more lets them be lost.", " more let them be lost."),
        ],
    }
}
