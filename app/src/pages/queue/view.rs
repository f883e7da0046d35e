//! What the page of a queue shows.

use dlo_domain::topology::{
    FindingScope, Origin, QueueKind, QueueReport, UnreadChange, policy_name,
};

use super::draft::DeadLetteringDraft;
use super::form::DeadLetteringForm;
use super::{facts, plan};
use crate::desk::desk;
use crate::error::ApiError;
use crate::pages::queues::{FindingRow, rows as queues};
use crate::pages::said::{Link, Said};
use crate::request::{answer_with, now};
use crate::{links, wording};

/// One queue.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct QueueView {
    /// In a sentence.
    pub(super) heading: Said,
    /// Its vhost.
    pub(super) vhost: Link,
    /// When it was read, and by whom.
    pub(super) place: String,
    /// What is not known of its vhost, and why.
    pub(super) notes: Vec<String>,
    /// What is known of it.
    pub(super) facts: Vec<(String, Said)>,
    /// What can be lost.
    pub(super) findings: Vec<FindingRow>,
    /// Why it has no form; empty when it has one.
    pub(super) no_form: String,
    /// The form.
    pub(super) form: DeadLetteringForm,
}

/// One queue, and the form as it is written so far. `look` is `plan`, `removal` or `lift` for a preview, `set` where it
/// was just set; `fault` says why it was not.
pub(super) async fn of(
    written: DeadLetteringDraft,
    look: &str,
    fault: &str,
) -> Result<QueueView, ApiError> {
    let mut written = written;
    if written.broker == links::ANY_BROKER {
        written.broker = broker_of(&written).await?;
    }
    let (broker, vhost) = (written.broker.clone(), written.vhost.clone());
    let queue = desk().queue(&broker, &vhost, &written.queue).await?;
    let workers = desk().workers_of(&queue.name).await?;
    let no_form = match queue.kind {
        QueueKind::Stream => "Nothing dies in a stream: it keeps what was read.",
        _ => "",
    };
    let pairs = [("broker", &*broker), ("vhost", &*vhost)];
    let (place, notes) = place(&queue).await?;
    Ok(QueueView {
        heading: facts::heading(&queue, &workers),
        vhost: Link::new(
            format!("{broker}, vhost {vhost}"),
            links::with_query(links::QUEUES, pairs),
        ),
        place,
        notes,
        facts: facts::of(&queue, &workers).await?,
        findings: findings(&queue).await?,
        no_form: no_form.to_owned(),
        form: form(&queue, written, look, fault).await?,
    })
}

/// The broker that has a queue of this name in this vhost, the first of several; `main` where none has.
async fn broker_of(written: &DeadLetteringDraft) -> Result<String, ApiError> {
    let brokers = desk().brokers().await?;
    let vhosts = brokers.into_iter().flat_map(|broker| broker.vhosts);
    for here in vhosts.filter(|here| here.vhost == written.vhost) {
        if desk().queue(&here.broker, &here.vhost, &written.queue).await.is_ok() {
            return Ok(here.broker);
        }
    }
    Ok("main".to_owned())
}

/// When the vhost was read, and what is not known of it.
async fn place(queue: &QueueReport) -> Result<(String, Vec<String>), ApiError> {
    let brokers = desk().brokers().await?;
    let vhosts = brokers.iter().flat_map(|broker| &broker.vhosts);
    let mut here = vhosts.filter(|one| one.broker == queue.broker && one.vhost == queue.vhost);
    Ok(here.next().map_or_else(Default::default, |here| {
        let ago = queues::age(here.read_at, now());
        let version = here.version.as_deref().unwrap_or("of unknown version");
        let place = format!("RabbitMQ {version}, read {ago} ago");
        let unread = queue.unread_change.map(not_shown_yet).into_iter();
        (place, unread.chain(here.notes.iter().cloned()).collect())
    }))
}

fn not_shown_yet(change: UnreadChange) -> String {
    format!(
        "Sent to the broker at {}. The state below was read at {} and does not show it yet: check \
         again in a few seconds.",
        wording::absolute(change.at),
        wording::absolute(change.read_at),
    )
}

async fn findings(queue: &QueueReport) -> Result<Vec<FindingRow>, ApiError> {
    let mut findings = desk().findings(FindingScope::Present).await?;
    findings.retain(|one| queue.findings.contains(&one.id));
    let (here, now) = (std::slice::from_ref(queue), now());
    let rows = findings.iter().enumerate();
    Ok(rows.map(|(at, one)| queues::finding(at + 1, one, here, now)).collect())
}

async fn form(
    queue: &QueueReport,
    written: DeadLetteringDraft,
    look: &str,
    fault: &str,
) -> Result<DeadLetteringForm, ApiError> {
    let preview = match look {
        "plan" => Some(plan::look(&written).await),
        "removal" => Some(plan::look_at_removal(&written).await),
        "lift" => Some(plan::look_at_lift(&written).await),
        _ => None,
    };
    let (preview, error) = match preview.transpose() {
        Ok(preview) => (preview, plan::said(fault).to_owned()),
        Err(fault @ ApiError::Internal { .. }) => return Err(fault),
        // The form stands, and says what is wrong with it: that is an answer as good as any.
        Err(fault) => {
            answer_with(200);
            (None, fault.to_string())
        }
    };
    let own = policy_name(&queue.name);
    let is_set = match queue.unread_change {
        Some(change) => change.is_set,
        None => queue.policy.as_ref() == Some(&own),
    };
    let is_written = look == "plan" || look == "set" && queue.unread_change.is_some();
    let page = links::queue(&queue.broker, &queue.vhost, &queue.name);
    Ok(DeadLetteringForm {
        draft: if is_written { written } else { begun(queue).await },
        counts_nothing: match queue.kind {
            QueueKind::Quorum => String::new(),
            kind => format!(
                "A {} queue does not count deliveries, so it has no limit of them: only a quorum queue \
                 does, and only that keeps a dead letter until it is confirmed.",
                kind.as_str()
            ),
        },
        error: wording::sentence(&error),
        removal: if is_set {
            let page = links::with_query(&page, [("look", "removal")]);
            format!("{page}#preview")
        } else {
            String::new()
        },
        preview,
    })
}

/// The form as it is begun: what applies already.
async fn begun(queue: &QueueReport) -> DeadLetteringDraft {
    let route = queue.dead_letters.as_ref();
    let to = route.filter(|route| route.to.len() == 1);
    let to = to.and_then(|route| route.to.first()).cloned().unwrap_or_default();
    let limit = queue.effective.delivery_limit.as_ref();
    let limit = limit.filter(|limit| limit.origin != Origin::Usual);
    DeadLetteringDraft {
        broker: queue.broker.clone(),
        vhost: queue.vhost.clone(),
        queue: queue.name.clone(),
        retention: retention(queue, &to).await.unwrap_or_default(),
        to,
        deliveries: limit.map_or_else(String::new, |limit| limit.value.to_string()),
        at_least_once: if queue.effective.is_at_least_once() {
            "on".to_owned()
        } else {
            String::new()
        },
    }
}

/// The retention of the dead-letter queue, where it was set here.
async fn retention(queue: &QueueReport, to: &str) -> Option<String> {
    if to.is_empty() {
        return None;
    }
    let target = desk().queue(&queue.broker, &queue.vhost, to).await.ok()?;
    let set = target.effective.message_ttl?;
    let seconds = set.value / 1_000;
    let is_ours = set.origin == Origin::Policy(policy_name(to));
    (is_ours && seconds > 0).then(|| match seconds {
        _ if seconds % 86_400 == 0 => format!("{}d", seconds / 86_400),
        _ if seconds % 3_600 == 0 => format!("{}h", seconds / 3_600),
        _ => format!("{seconds}s"),
    })
}
