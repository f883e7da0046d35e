//! The page of a queue put into words.

use dlo_domain::topology::{FindingScope, Origin, QueueKind, QueueReport, Setting, policy_name};

use super::{DeadLetteringDraft, DeadLetteringForm, QueueView, book};
use crate::api::topology::{FindingRow, rows as queues};
use crate::desk::desk;
use crate::error::ApiError;
use crate::request::{answer_with, now};
use crate::{links, wording};

pub(super) async fn of(
    written: DeadLetteringDraft,
    look: &str,
    fault: &str,
) -> Result<QueueView, ApiError> {
    let (broker, vhost) = (written.broker.clone(), written.vhost.clone());
    let queue = desk().queue(&broker, &vhost, &written.queue).await?;
    let no_form = match queue.kind {
        QueueKind::Stream => "Nothing dies in a stream: it keeps what was read.",
        _ => "",
    };
    let pairs = [("broker", &*broker), ("vhost", &*vhost)];
    let (place, notes) = place(&queue).await?;
    Ok(QueueView {
        heading: heading(&queue),
        vhost: (
            links::with_query(links::QUEUES, pairs),
            format!("{broker}, vhost {vhost}"),
        ),
        place,
        notes,
        facts: facts(&queue),
        findings: findings(&queue).await?,
        no_form: no_form.to_owned(),
        form: form(&queue, written, look, fault).await?,
    })
}

fn heading(queue: &QueueReport) -> String {
    let name = &queue.name;
    match queues::target(queue).as_str() {
        "nowhere" => format!("{name}: what dies here is gone."),
        "–" => format!("{name} hands no dead letters on."),
        target => format!("{name}: dead letters go to {target}."),
    }
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
        (place, here.notes.clone())
    }))
}

async fn findings(queue: &QueueReport) -> Result<Vec<FindingRow>, ApiError> {
    let mut findings = desk().findings(FindingScope::Present).await?;
    findings.retain(|one| queue.findings.contains(&one.id));
    let (here, now) = (std::slice::from_ref(queue), now());
    let rows = findings.iter().enumerate();
    Ok(rows
        .map(|(at, one)| queues::finding(at + 1, one, here, now))
        .collect())
}

fn facts(queue: &QueueReport) -> Vec<(String, String)> {
    let figures = queue.figures;
    let number =
        |figure: Option<i64>| figure.map_or_else(|| "not known".to_owned(), wording::count);
    let effective = &queue.effective;
    let mut policies: Vec<String> = queue.policy.iter().cloned().collect();
    policies.extend(
        queue
            .operator_policy
            .iter()
            .map(|name| format!("{name} (operator's)")),
    );
    let mut consumers = number(figures.consumers);
    if let Some(idle) = queue.idle_seconds {
        consumers = format!("{consumers}, none for {}", wording::age(idle.into()));
    }
    let route = queue.dead_letters.as_ref().map(|route| {
        let exchange = match &*route.exchange {
            "" => "the default exchange",
            name => name,
        };
        let key = route.key.as_deref().unwrap_or("its own");
        let by = effective.dead_letter_exchange.as_ref();
        let by = by.map_or_else(String::new, |set| format!(", set by {}", set.origin.says()));
        format!("{exchange} with the key {key}{by}")
    });
    let fact = |name: &str, value: String| (name.to_owned(), value);
    let set = |name: &str, setting: &Option<Setting<i64>>, unit: &str| {
        let setting = setting.as_ref()?;
        let value = wording::count(setting.value);
        Some(fact(
            name,
            format!("{value}{unit}, set by {}", setting.origin.says()),
        ))
    };
    let mut facts = vec![
        fact("type", queues::kind(queue)),
        fact("waiting", number(figures.ready)),
        fact("at consumers", number(figures.unacknowledged)),
        fact("consumers", consumers),
        fact("in · out a second", queues::rates(queue)),
        fact(
            "policy that applies",
            if policies.is_empty() {
                "none".to_owned()
            } else {
                policies.join(", ")
            },
        ),
        fact("dead letters go to", queues::target(queue)),
    ];
    facts.extend(route.map(|route| fact("by", route)));
    facts.extend(set("deliveries at most", &effective.delivery_limit, ""));
    facts.extend(set("messages expire after", &effective.message_ttl, " ms"));
    if !queue.fed_by.is_empty() {
        facts.push(fact("gets dead letters of", first(&queue.fed_by)));
    }
    facts
}

/// The first few of many names.
fn first(names: &[String]) -> String {
    let told: Vec<&str> = names.iter().map(String::as_str).take(5).collect();
    match names.len() - told.len() {
        0 => told.join(", "),
        more => format!("{} and {more} more", told.join(", ")),
    }
}

async fn form(
    queue: &QueueReport,
    written: DeadLetteringDraft,
    look: &str,
    fault: &str,
) -> Result<DeadLetteringForm, ApiError> {
    let preview = match look {
        "plan" => Some(book::look(&written).await),
        "removal" => Some(book::look_at_removal(&written).await),
        _ => None,
    };
    let (preview, error) = match preview.transpose() {
        Ok(preview) => (preview, book::said(fault).to_owned()),
        Err(fault @ ApiError::Internal { .. }) => return Err(fault),
        // The form stands, and says what is wrong with it: that is an answer as good as any.
        Err(fault) => {
            answer_with(200);
            (None, fault.to_string())
        }
    };
    let own = policy_name(&queue.name);
    let is_set = look == "set" || queue.policy.as_ref() == Some(&own);
    let page = links::queue(&queue.broker, &queue.vhost, &queue.name);
    Ok(DeadLetteringForm {
        draft: if look == "plan" {
            written
        } else {
            begun(queue).await
        },
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
    let to = to
        .and_then(|route| route.to.first())
        .cloned()
        .unwrap_or_default();
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
