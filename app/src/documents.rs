//! Documents: pages that the server alone makes, out of HTML and forms. A browser loads no program for them; a
//! small script (`public/document.js`) asks for them again when something happens that they show.

mod alerts;
mod arrival;
mod channels;
mod execution;
mod executions;
mod fields;
mod frame;
mod outcome;
mod payload;
mod queue;
mod queues;
mod reading;
mod related;
mod said;
mod schemas;
mod stack_trace;
mod worker;
mod workers;

use leptos::prelude::*;
use leptos_meta::{Title, provide_meta_context};
use leptos_router::SsrMode;
use leptos_router::components::{FlatRoutes, Route, Router};
use leptos_router::path;

use crate::components::{
    Colophon, KeysHelp, Masthead, TroubleBanner, provide_attention, provide_live, provide_ticks,
};
use alerts::{AlertPage, AlertRulePage, AlertRulesPage, AlertsPage, PastAlertsPage, SilencesPage};
use arrival::ArrivalPage;
pub use channels::PostedMessage;
use channels::{ChannelPage, ChannelsPage};
use execution::ExecutionPage;
use executions::ExecutionsPage;
pub(crate) use payload::payload;
use queue::QueuePage;
use queues::QueuesPage;
pub(crate) use related::related;
use schemas::SchemasPage;
pub use schemas::{UPLOAD, schema_uploaded};
pub(crate) use stack_trace::stack_trace;
use worker::WorkerPage;
use workers::WorkersPage;

/// Every document, and which belongs to which address.
#[component]
pub fn Documents() -> impl IntoView {
    provide_meta_context();
    provide_live();
    provide_attention();
    provide_ticks();
    view! {
        <Title formatter=|title| format!("{title} · Dead Letter Office") />
        <Router>
            <a class="skip" href="#main">
                "Skip to the page"
            </a>
            <Masthead />
            <div class="banners">
                <TroubleBanner />
            </div>
            <main id="main" tabindex="-1">
                <FlatRoutes fallback=|| ()>
                    <Route path=path!("/alerts") view=AlertsPage ssr=SsrMode::Async />
                    <Route path=path!("/alerts/history") view=PastAlertsPage ssr=SsrMode::Async />
                    <Route path=path!("/alerts/rules") view=AlertRulesPage ssr=SsrMode::Async />
                    <Route path=path!("/alerts/rules/:id") view=AlertRulePage ssr=SsrMode::Async />
                    <Route path=path!("/alerts/silences") view=SilencesPage ssr=SsrMode::Async />
                    <Route path=path!("/alerts/channels") view=ChannelsPage ssr=SsrMode::Async />
                    <Route path=path!("/alerts/channels/:id") view=ChannelPage ssr=SsrMode::Async />
                    <Route path=path!("/alerts/:id") view=AlertPage ssr=SsrMode::Async />
                    <Route
                        path=path!("/letters/:id/arrivals/:ordinal")
                        view=ArrivalPage
                        ssr=SsrMode::Async
                    />
                    <Route path=path!("/executions") view=ExecutionsPage ssr=SsrMode::Async />
                    <Route path=path!("/executions/:id") view=ExecutionPage ssr=SsrMode::Async />
                    <Route path=path!("/queues") view=QueuesPage ssr=SsrMode::Async />
                    <Route
                        path=path!("/queues/:broker/:vhost/:name")
                        view=QueuePage
                        ssr=SsrMode::Async
                    />
                    <Route path=path!("/schemas") view=SchemasPage ssr=SsrMode::Async />
                    <Route path=path!("/workers") view=WorkersPage ssr=SsrMode::Async />
                    <Route path=path!("/workers/:name") view=WorkerPage ssr=SsrMode::Async />
                </FlatRoutes>
            </main>
            <Colophon />
            <KeysHelp />
        </Router>
    }
}
