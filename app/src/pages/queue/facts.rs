//! What is known of a queue, and where each of it leads.

use dlo_domain::filter::FilterForm;
use dlo_domain::topology::{End, QueueReport, Setting, duration};
use dlo_domain::worker::Condition;

use crate::desk::desk;
use crate::error::ApiError;
use crate::pages::queues::rows as queues;
use crate::pages::said::{Said, link, plain};
use crate::{links, wording};

/// Who says to work on a queue, and how each is.
type Workers = [(String, Condition)];

/// Where its dead letters go, and whether its workers are silent.
pub(super) fn heading(queue: &QueueReport, workers: &Workers) -> Said {
    let name = &queue.name;
    let route = queue.dead_letters.as_ref();
    let mut said = match route.map(|route| (route.end, &route.exchange)) {
        // What was read before would say the opposite.
        _ if queue.unread_change.is_some() => {
            plain(format!("{name}: its policy was changed just now."))
        }
        None if queues::target_words(queue) == "nowhere" => {
            plain(format!("{name}: messages that die here are lost."))
        }
        None => plain(format!("{name} hands no dead letters on.")),
        Some((End::ExchangeMissing, exchange)) => {
            plain(format!("{name}: dead letters go to the exchange {exchange}, which is missing."))
        }
        Some((End::Nowhere, _)) => plain(format!("{name}: no queue takes its dead letters.")),
        Some((End::Unknown, _)) => {
            plain(format!("{name}: where its dead letters go is not known."))
        }
        Some((End::Arrives, _)) => {
            let mut said = plain(format!("{name}: dead letters go to "));
            said.extend(queues::target(queue));
            said.extend(plain("."));
            said
        }
    };
    let silent: Vec<&str> = workers
        .iter()
        .filter(|(_, condition)| *condition == Condition::Stale)
        .map(|(name, _)| name.as_str())
        .collect();
    match silent.as_slice() {
        [] => {}
        [one] => {
            said.extend(plain(" Its worker "));
            said.push(link(*one, links::worker(one)));
            said.extend(plain(" is silent."));
        }
        many => {
            let many = i64::try_from(many.len()).unwrap_or(i64::MAX);
            said.extend(plain(" "));
            let stale = links::with_query(links::WORKERS, [("state", "stale")]);
            said.push(link(wording::counted(many, "worker"), stale));
            said.extend(plain(" of it are silent."));
        }
    }
    said
}

/// Everything, by name.
pub(super) async fn of(
    queue: &QueueReport,
    workers: &Workers,
) -> Result<Vec<(String, Said)>, ApiError> {
    let figures = queue.figures;
    let number =
        |figure: Option<i64>| figure.map_or_else(|| "not known".to_owned(), wording::count);
    let mut consumers = number(figures.consumers);
    if let Some(idle) = queue.idle_seconds {
        consumers = format!("{consumers}, none for {}", wording::age(idle.into()));
    }
    let mut facts = vec![
        ("type", plain(queues::kind(queue))),
        ("waiting", plain(number(figures.ready))),
        ("at consumers", plain(number(figures.unacknowledged))),
        ("consumers", plain(consumers)),
        ("in · out a second", plain(queues::rates(queue))),
        ("policy that applies", plain(policies(queue))),
        ("dead letters go to", queues::target(queue)),
    ];
    let beside = [
        ("dead letters not confirmed yet", figures.dying),
        ("waiting for a retry by the broker", figures.delayed),
    ];
    let beside = beside
        .into_iter()
        .filter_map(|(name, count)| Some((name, count.filter(|count| *count > 0)?)));
    facts.extend(beside.map(|(name, count)| (name, plain(wording::count(count)))));
    facts.extend(route(queue).map(|route| ("by", plain(route))));
    let effective = &queue.effective;
    let set = |setting: &Option<Setting<i64>>, text: fn(i64) -> String| {
        let setting = setting.as_ref()?;
        let by = setting.origin.says();
        Some(plain(format!("{}, set by {by}", text(setting.value))))
    };
    let limit = set(&effective.delivery_limit, wording::count);
    facts.extend(limit.map(|set| ("returns before a message dies", set)));
    let ttl = set(&effective.message_ttl, duration);
    facts.extend(ttl.map(|set| ("messages expire after", set)));
    if !queue.fed_by.is_empty() {
        facts.push(("gets dead letters of", queues::named(queue, &queue.fed_by)));
    }
    if !workers.is_empty() {
        facts.push(("its workers", names(workers, links::worker)));
        facts.push(("their executions", names(workers, links::executions_of)));
    }
    facts.push(("letters", letters(queue).await?));
    Ok(facts.into_iter().map(|(name, said)| (name.to_owned(), said)).collect())
}

fn policies(queue: &QueueReport) -> String {
    let own = queue.policy.iter().cloned();
    let operators = queue.operator_policy.iter();
    let operators = operators.map(|name| format!("{name} (operator's)"));
    let all: Vec<String> = own.chain(operators).collect();
    if all.is_empty() { "none".to_owned() } else { all.join(", ") }
}

/// Over which exchange, with which key, and who says so.
fn route(queue: &QueueReport) -> Option<String> {
    let route = queue.dead_letters.as_ref()?;
    let exchange = match &*route.exchange {
        "" => "the default exchange",
        name => name,
    };
    let key = route.key.as_deref().unwrap_or("its own");
    let by = queue.effective.dead_letter_exchange.as_ref();
    let by = by.map_or_else(String::new, |set| format!(", set by {}", set.origin.says()));
    Some(format!("{exchange} with the key {key}{by}"))
}

/// The first few workers, each with how it is.
fn names(workers: &Workers, page: impl Fn(&str) -> String) -> Said {
    let mut said = Said::new();
    for (name, condition) in workers.iter().take(5) {
        let before = if said.is_empty() { "" } else { ", " };
        said.extend(plain(before));
        said.push(link(name.clone(), page(name)));
        said.extend(plain(format!(" ({})", condition.as_str())));
    }
    let more = workers.len().saturating_sub(5);
    if more > 0 {
        said.extend(plain(format!(" and {more} more")));
    }
    said
}

/// Those that died in it; and those that were taken out of it, where it is watched.
async fn letters(queue: &QueueReport) -> Result<Said, ApiError> {
    let died =
        links::letters(&FilterForm { queue: Some(queue.name.clone()), ..FilterForm::default() });
    let mut said = vec![link("those that died in it", died)];
    let Some(id) = queue.source_id else {
        return Ok(said);
    };
    let sources = desk().sources().await?;
    if let Some(source) = sources.into_iter().find(|source| source.id == id) {
        let theirs = links::letters(&FilterForm {
            source: Some(source.name.clone()),
            ..FilterForm::default()
        });
        said.extend(plain("; "));
        said.push(link(format!("{} held", wording::count(source.held)), theirs));
        said.extend(plain(" of the source "));
        said.push(link(source.name, "/sources".to_owned()));
    }
    Ok(said)
}
