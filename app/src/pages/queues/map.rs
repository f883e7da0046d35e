//! The map of where dead letters go, drawn.

mod layout;
mod places;
mod shapes;

use dlo_domain::severity::Severity;
use leptos::prelude::*;

use crate::components::Spoken;
use crate::pages::said::said;
use crate::visible::{show_line, show_name};
use crate::wording;
pub(super) use layout::of;
pub(super) use shapes::TopologyMap;
use shapes::{MapBox, MapRoute};

/// The map. All places come from the server.
#[component]
pub(crate) fn QueueMap(
    /// What is drawn.
    map: TopologyMap,
) -> impl IntoView {
    let lines = map
        .lines
        .into_iter()
        .map(|line| view! { <path class=line.class d=line.path></path> })
        .collect_view();
    let boxes = map.boxes.into_iter().map(node).collect_view();
    let words = map
        .words
        .into_iter()
        .map(|(class, x, y, words)| {
            let at = wording::time_in(&words).map(|(_, at)| wording::machine(at));
            view! {
                <text class=class x=x y=y data-at=at>
                    {show_line(&words)}
                </text>
            }
        })
        .collect_view();
    let marks = map.marks.into_iter().map(mark).collect_view();
    let routes = map.routes.into_iter().map(route).collect_view();
    let says = show_line(&map.says);
    let drawn = says.clone();
    view! {
        <div class="map" tabindex="0" role="group" aria-label=says>
            <svg viewBox=format!("0 0 1362 {}", map.height) role="group" aria-label=drawn>
                <text class="head" x="0" y="10">
                    "exchange"
                </text>
                <text class="head" x="330" y="10">
                    "queue: ready · consumers · in"
                </text>
                <text class="head" x="732" y="10">
                    "dead-letter exchange"
                </text>
                <text class="head" x="1090" y="10">
                    "dead-letter queue"
                </text>
                {lines}
                {boxes}
                {words}
                {marks}
            </svg>
        </div>
        <ul class="map-routes">{routes}</ul>
    }
    .into_any()
}

fn node(one: MapBox) -> AnyView {
    let (name_x, note_x) = (one.x + 10, one.x + one.width - 10);
    let base = one.y + 21;
    let drawn = view! {
        <rect class=one.class x=one.x y=one.y width=one.width height="32"></rect>
        <text x=name_x y=base>
            {show_line(&one.name)}
        </text>
        <text class="dim" x=note_x y=base text-anchor="end">
            {show_line(&one.note)}
        </text>
    };
    if one.href.is_empty() {
        return view! { <g>{drawn}</g> }.into_any();
    }
    view! { <a href=one.href>{drawn}</a> }.into_any()
}

/// The number of a finding as a disc that leads to it.
fn mark((severity, x, y, number): (Severity, i32, i32, usize)) -> AnyView {
    view! {
        <a href=format!("#f{number}") aria-label=format!("finding {number}, {severity}")>
            <circle class=format!("disc {severity}") cx=x cy=y r="9"></circle>
            <text class="no" x=x y=y>
                {number}
            </text>
        </a>
    }
    .into_any()
}

/// The way of a queue's dead letters in lines, for a narrow screen.
fn route(one: MapRoute) -> AnyView {
    let finding = one.finding.map(|(number, severity)| {
        view! {
            <a class=format!("sev {severity}") href=format!("#f{number}")>
                {format!("finding {number}")}
            </a>
        }
    });
    let over = (!one.over.is_empty())
        .then(|| view! { <span class="second">"↓ " {show_name(&one.over)}</span> });
    view! {
        <li>
            <span>
                <a class="id" href=one.href>
                    {show_name(&one.name)}
                </a>
                " "
                <span class="second"><Spoken text=one.note /></span>
                " "
                {finding}
            </span>
            {over}
            <span class="id">"↓ " {said(one.ends)}</span>
        </li>
    }
    .into_any()
}
