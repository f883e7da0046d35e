//! The head and the foot of every page.

use leptos::prelude::*;
use leptos_router::components::A;

use super::{Bell, Moment};
use crate::request::now;

/// Name, pages, and the few things that are on every page.
#[component]
pub(crate) fn Masthead() -> impl IntoView {
    view! {
        <header class="masthead">
            <a class="name" href="/">
                <Postmark />
                "Dead Letter Office"
            </a>
            <nav class="nav" aria-label="Pages">
                <ul>
                    <li>
                        <A href="/" exact=true>
                            "Overview"
                        </A>
                    </li>
                    <li>
                        <A href="/letters">"Letters"</A>
                    </li>
                    <li>
                        <A href="/groups">"Groups"</A>
                    </li>
                    <li>
                        <A href="/replays">"Replays"</A>
                    </li>
                    <li>
                        <A href="/queues">"Queues"</A>
                    </li>
                    <li>
                        <A href="/workers">"Workers"</A>
                    </li>
                    <li>
                        <A href="/executions">"Executions"</A>
                    </li>
                    <li>
                        <A href="/rules">"Rules"</A>
                    </li>
                    <li>
                        <A href="/sources">"Sources"</A>
                    </li>
                </ul>
            </nav>
            <div class="tools">
                <button class="plain-button find needs-script" type="button" data-palette="">
                    "Find or do "
                    <kbd>"Ctrl K"</kbd>
                </button>
                // Whether the page is live is what `public/scripts/document.js` knows.
                <span class="live" role="status"></span>
                <Bell />
                <button
                    class="theme needs-script"
                    type="button"
                    aria-label="Switch between light and dark"
                ></button>
            </div>
        </header>
    }
    .into_any()
}

#[component]
fn Postmark() -> impl IntoView {
    view! {
        <svg
            width="34"
            height="22"
            viewBox="0 0 34 22"
            fill="none"
            stroke="currentColor"
            stroke-width="1.3"
            aria-hidden="true"
        >
            <circle cx="11" cy="11" r="10"></circle>
            <circle cx="11" cy="11" r="6.6" stroke-width=".9"></circle>
            <path d="M8.2 13.4 13.8 8.6M8.2 8.6l5.6 4.8" stroke-width="1.5"></path>
            <path d="M22 5.5q2-2 4 0t4 0 4 0M23 11q2-2 4 0t4 0 3-.6M22 16.5q2-2 4 0t4 0 4 0"></path>
        </svg>
    }
    .into_any()
}

/// The foot.
#[component]
pub(crate) fn Colophon() -> impl IntoView {
    view! {
        <footer class="colophon">
            <span>
                <span class="zone">"Times are UTC"</span>
                " "
                <button class="plain-button needs-script" type="button" data-zone="" hidden></button>
            </span>
            // An age means nothing on paper without it.
            <span class="read-at">"Ages are as of " <Moment at=now() /></span>
            <span class="hints needs-script">
                <button class="plain-button" type="button" data-keys="">
                    <kbd>"?"</kbd>
                    " keys"
                </button>
            </span>
            <span>"Every letter is stored before it leaves its queue"</span>
            <a href="/api/v1/openapi.json">
                "HTTP API"
            </a>
        </footer>
    }
    .into_any()
}
