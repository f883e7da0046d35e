//! Exchanges, queues and dead-letter queues as a picture.

use leptos::prelude::*;

use crate::api::topology::{Picture, PictureBox};

/// The picture. All places come from the server.
#[component]
pub(crate) fn QueueMap(
    /// What is drawn.
    picture: Picture,
) -> impl IntoView {
    let lines = picture
        .lines
        .into_iter()
        .map(|(class, d)| view! { <path class=class d=d></path> })
        .collect_view();
    let boxes = picture.boxes.into_iter().map(node).collect_view();
    let words = picture
        .words
        .into_iter()
        .map(|(class, x, y, words)| {
            view! {
                <text class=class x=x y=y>
                    {words}
                </text>
            }
        })
        .collect_view();
    let (says, drawn) = (picture.says.clone(), picture.says);
    view! {
        <div class="map" tabindex="0" role="group" aria-label=says>
            <svg viewBox=format!("0 0 1362 {}", picture.height) role="img" aria-label=drawn>
                <text class="head" x="0" y="10">
                    "exchange"
                </text>
                <text class="head" x="330" y="10">
                    "queue: ready · consumers"
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
            </svg>
        </div>
    }
    .into_any()
}

fn node(one: PictureBox) -> AnyView {
    let (name_x, note_x) = (one.x + 10, one.x + one.width - 10);
    let base = one.y + 21;
    view! {
        <g>
            <rect class=one.class x=one.x y=one.y width=one.width height="32"></rect>
            <text x=name_x y=base>
                {one.name}
            </text>
            <text class="dim" x=note_x y=base text-anchor="end">
                {one.note}
            </text>
        </g>
    }
    .into_any()
}
