//! Which queues can lose messages?

mod acting;
mod delays;
mod findings;
mod map;
pub(super) mod rows;
mod view;

use dlo_domain::severity::Severity;
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;
use leptos_meta::Title;

use super::frame::{Watches, shown};
use super::outcome::Outcome;
use super::said::{Link, said};
use crate::components::Spoken;
use crate::query::Query;
use crate::visible::{show_line, show_name};
use acting::CheckQueues;
pub(super) use findings::{FindingList, FindingRow};
use map::QueueMap;
use rows::QueueRow;
use view::QueuesView;

/// The queues of a vhost.
#[component]
pub(crate) fn QueuesPage() -> impl IntoView {
    let query = Query::of_request();
    let [broker, vhost, show] =
        ["broker", "vhost", "show"].map(|name| query.get(name).unwrap_or_default());
    let read = async move { view::of(&broker, &vhost, show == "all").await };
    view! {
        <Title text="Queues" />
        <Watches events=&["topology"] />
        <Outcome />
        {shown(read, |view| view! { <Sheet view /> }.into_any())}
    }
    .into_any()
}

#[component]
fn Sheet(view: QueuesView) -> impl IntoView {
    let notes = view
        .notes
        .into_iter()
        .map(|note| view! { <p class="note-line"><Spoken text=note /></p> })
        .collect_view();
    view! {
        <div class="answer">
            <div>
                <h1>{said(view.heading)}</h1>
                {notes}
            </div>
        </div>
        <section class="section" aria-labelledby="map-title">
            <header>
                <h2 id="map-title">"Topology"</h2>
                <span class="note">{show_line(&view.place)}</span>
                <span class="end">
                    {view.switch.map(Link::shown)}
                </span>
            </header>
            {match view.map {
                Some(map) => view! { <QueueMap map /> }.into_any(),
                None => view! { <p class="second">"Nothing to draw."</p> }.into_any(),
            }}
            {vhosts(view.others)}
        </section>
        <section class="section" aria-labelledby="findings-title">
            <header>
                <h2 id="findings-title">"Findings"</h2>
                <span class="note">"what is lost, and how to fix it"</span>
                <span class="end">
                    <form method="post" action=CheckQueues::PATH>
                        <button class="button" type="submit">
                            "Check again"
                        </button>
                    </form>
                </span>
            </header>
            <FindingList rows=view.findings />
        </section>
        <Queues rows=view.rows rest=view.rest />
    }
    .into_any()
}

fn vhosts(others: Vec<Link>) -> Option<AnyView> {
    if others.is_empty() {
        return None;
    }
    let others = others
        .into_iter()
        .map(|Link { href, words }| {
            view! {
                <li>
                    <a href=href>{show_name(&words)}</a>
                </li>
            }
        })
        .collect_view();
    let list = view! {
        <details class="data">
            <summary>"Other vhosts"</summary>
            <ul>{others}</ul>
        </details>
    };
    Some(list.into_any())
}

#[component]
fn Queues(rows: Vec<QueueRow>, rest: String) -> impl IntoView {
    view! {
        <section class="section" aria-labelledby="queues-title">
            <header>
                <h2 id="queues-title">"Queues"</h2>
            </header>
            <table class="ledger">
                <thead>
                    <tr>
                        <th>"queue"</th>
                        <th class="mid">"type"</th>
                        <th class="num">"ready"</th>
                        <th class="num far">"in · out a second"</th>
                        <th class="num far">"consumers"</th>
                        <th>"dead letters go to"</th>
                        <th class="far">"finding"</th>
                        <th class="mid">"letters"</th>
                    </tr>
                </thead>
                <tbody>{rows.into_iter().map(queue).collect_view()}</tbody>
            </table>
            <p class="second">{rest}</p>
        </section>
    }
    .into_any()
}

fn queue(row: QueueRow) -> AnyView {
    let mark = |(number, severity): (usize, Severity)| {
        view! {
            <a class=format!("sev {severity}") href=format!("#f{number}")>
                {format!("finding {number}")}
            </a>
        }
    };
    let (found, again) = (row.finding.map(mark), row.finding.map(mark));
    view! {
        <tr>
            <th scope="row">
                <a class="id" href=row.href.clone()>
                    {show_name(&row.name)}
                </a>
                <div class="sub">
                    {format!("{} consumers", row.consumers)} {again} {row.link.clone().map(Link::shown)}
                </div>
            </th>
            <td class="mid second"><Spoken text=row.kind /></td>
            <td class="num">{row.ready}</td>
            <td class="num far">{row.rates}</td>
            <td class="num far">{row.consumers}</td>
            <td>
                <span class="id">{said(row.target)}</span>
            </td>
            <td class="far">{found}</td>
            <td class="mid">{row.link.map(Link::shown)}</td>
        </tr>
    }
    .into_any()
}
