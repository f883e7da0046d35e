//! Where the letters of a planned replay go.

use dlo_domain::replay::{Destination, KEEPING_UNKNOWN, WorkersThere};
use leptos::prelude::*;

use crate::visible::{show_line, show_name};
use crate::wording;

/// Queues that are named one by one; the others are counted together.
const MOST_NAMED: usize = 50;

/// What tells queues apart beside their names.
#[derive(Clone, Copy)]
struct Told {
    vhost: bool,
    broker: bool,
    /// Then it is said too that no worker works there.
    is_of_worker: bool,
}

/// Queues with the number of letters that go to each.
#[component]
pub(super) fn Destinations(
    /// The queues, the one with most letters first.
    destinations: Vec<Destination>,
    /// Whether they go to the queue of a worker that was named.
    is_of_worker: bool,
) -> impl IntoView {
    if destinations.is_empty() {
        return ().into_any();
    }
    let most = destinations.first().map_or(1, |one| one.letters.max(1));
    let is_same = |part: fn(&Destination) -> &String| {
        destinations.windows(2).all(|pair| part(&pair[0]) == part(&pair[1]))
    };
    let told = Told {
        vhost: !is_same(|one| &one.vhost),
        broker: !is_same(|one| &one.broker),
        is_of_worker,
    };
    let places = i64::try_from(destinations.len()).unwrap_or(i64::MAX);
    let note = if destinations.iter().all(|one| one.queue.is_some()) {
        let queues = wording::counted(places, "queue");
        format!("{queues}, through the default exchange: nobody else gets them")
    } else {
        "through an exchange: every bound queue gets a copy, also those that had no trouble"
            .to_owned()
    };
    let others = destinations.get(MOST_NAMED..).unwrap_or_default();
    let others = (!others.is_empty()).then(|| {
        let letters = others.iter().map(|one| one.letters).sum();
        let queues = i64::try_from(others.len()).unwrap_or(i64::MAX);
        format!(
            "And {} to {} with fewer each.",
            wording::counted(letters, "letter"),
            wording::counted(queues, "queue")
        )
    });
    view! {
        <section class="section" aria-labelledby="destinations-title">
            <header>
                <h2 id="destinations-title">"Where they go"</h2>
                <span class="note">{note}</span>
            </header>
            <table class="ledger breakdown destinations">
                <thead>
                    <tr>
                        <th>"to"</th>
                        <th class="num">"letters"</th>
                        <th class="bar">
                            <span class="visually-hidden">"share"</span>
                        </th>
                    </tr>
                </thead>
                <tbody>
                    {destinations
                        .into_iter()
                        .take(MOST_NAMED)
                        .map(|destination| row(destination, most, told))
                        .collect_view()}
                </tbody>
            </table>
            {others.map(|others| view! { <p class="note-line">{others}</p> })}
        </section>
    }
    .into_any()
}

/// Who would get a letter that is published to an exchange.
fn receivers_line(queues: &[String]) -> String {
    match queues {
        [] => "no queue is bound that would get them".to_owned(),
        [one] => format!("only {one} gets them"),
        many => format!(
            "{} get a copy of each: {}",
            wording::counted(i64::try_from(many.len()).unwrap_or(i64::MAX), "queue"),
            many.join(", ")
        ),
    }
}

/// That nobody would take the letters now, as far as workers tell.
fn workers_line(workers: Option<WorkersThere>, is_of_worker: bool) -> Option<String> {
    let there = workers.unwrap_or_default();
    let ill = [(there.stale, "silent"), (there.draining, "draining"), (there.stopped, "stopped")];
    let all = there.fresh + ill.iter().map(|(count, _)| count).sum::<i64>();
    if all == 0 {
        let text = "no worker reports this queue in its heartbeats";
        return is_of_worker.then(|| text.to_owned());
    }
    if there.fresh > 0 {
        return None;
    }
    let ill: Vec<_> = ill.into_iter().filter(|(count, _)| *count > 0).collect();
    let how = match ill[..] {
        [(1, word)] => format!("its only worker is {word}"),
        [(_, word)] => format!("all of its {} are {word}", wording::counted(all, "worker")),
        _ => {
            let told = ill.iter().map(|(count, word)| format!("{} {word}", wording::count(*count)));
            let told: Vec<String> = told.collect();
            format!("of its {}, {}", wording::counted(all, "worker"), told.join(", "))
        }
    };
    Some(format!("nobody consumes them there now: {how}"))
}

/// What is to be known of a destination before anything goes there.
fn notes(of: &Destination, is_of_worker: bool) -> Vec<String> {
    let missing = match (of.exists, &of.queue) {
        (Some(false), Some(_)) => Some("the broker has no such queue"),
        (Some(false), None) => Some("the broker has no such exchange"),
        _ => None,
    };
    let internal = "internal: it accepts no publishes, so all of them would be refused";
    let internal = (of.internal == Some(true)).then_some(internal);
    let told = [missing, internal].into_iter().flatten().map(str::to_owned);
    told.chain(of.receivers.as_deref().map(receivers_line))
        .chain(of.overflows.iter().cloned())
        .chain(of.keeping_unknown.then(|| KEEPING_UNKNOWN.to_owned()))
        .chain(workers_line(of.workers, is_of_worker))
        .collect()
}

fn row(destination: Destination, most: i64, told: Told) -> impl IntoView {
    let notes = notes(&destination, told.is_of_worker).into_iter();
    let notes = notes.map(|text| view! { <small class="second">{show_line(&text)}</small> });
    let name = destination.queue.or(destination.exchange).unwrap_or_default();
    let width = format!("{}%", destination.letters * 100 / most);
    let key = destination
        .routing_key
        .map(|key| view! { <span class="second">" key " <span class="id">{show_name(&key)}</span></span> });
    let vhost = told.vhost.then_some(("vhost", destination.vhost));
    let broker = told.broker.then_some(("on", destination.broker));
    let place = [vhost, broker].into_iter().flatten();
    let place = place.map(
        |(word, name)| view! { <span class="second">" " {word} " " {show_name(&name)}</span> },
    );
    view! {
        <tr>
            <th scope="row">
                <span class="id">{show_name(&name)}</span>
                {key}
                {place.collect_view()}
                {notes.collect_view()}
            </th>
            <td class="num fit">{wording::count(destination.letters)}</td>
            <td class="bar">
                <svg class="bars" aria-hidden="true">
                    <rect class="here" width=width height="8"></rect>
                </svg>
            </td>
        </tr>
    }
}
