//! Pages: the server makes them, out of HTML and forms. A small script (`public/scripts/document.js`) asks for them
//! again when something happens that they show; two of them have islands (crate `islands`).

mod alerts;
mod arrival;
mod body_diff;
mod breakdown;
mod channels;
mod claimed_origins;
mod command;
mod deaths_chart;
mod discard_reason;
mod edit_letter;
mod execution;
mod executions;
mod fields;
mod filter_fault;
mod frame;
mod group;
mod group_badge;
mod groups;
mod head;
mod hours;
mod left_out;
mod letter;
mod letter_samples;
mod letters;
mod new_replay;
mod not_found;
mod one_axis;
mod out_of_date;
mod outcome;
mod outcome_key;
mod overview;
mod policies;
mod queue;
mod queues;
mod reading;
mod replay;
mod replay_badge;
mod replay_warnings;
mod replays;
mod row_actions;
mod rule;
mod rules;
mod said;
mod schema_note;
mod schemas;
mod sent_letter;
mod some_letters;
mod sources;
mod target_text;
mod template;
mod text_field;
mod timeline;
mod worker;
mod workers;

use leptos::prelude::*;
use leptos_meta::{Title, provide_meta_context};
use leptos_router::SsrMode;
use leptos_router::components::{FlatRoutes, Route, Router};
use leptos_router::path;

use crate::components::{Colophon, KeysHelp, Masthead, Palette, TroubleBanner};
use alerts::{AlertPage, AlertRulePage, AlertRulesPage, AlertsPage, PastAlertsPage, SilencesPage};
use arrival::ArrivalPage;
pub use channels::PostedMessage;
use channels::{ChannelPage, ChannelsPage};
pub(crate) use edit_letter::EditForm;
use edit_letter::EditLetterPage;
use execution::ExecutionPage;
use executions::ExecutionsPage;
use group::GroupPage;
use groups::GroupsPage;
use letter::LetterPage;
use letters::LettersPage;
use new_replay::NewReplayPage;
pub(crate) use new_replay::{FIELDS, ReplayForm};
use not_found::NotFoundPage;
use overview::OverviewPage;
use policies::{RetriesPage, RetryPolicyPage};
use queue::QueuePage;
use queues::QueuesPage;
use replay::ReplayPage;
use replays::ReplaysPage;
use rule::RulePage;
use rules::RulesPage;
use schemas::SchemasPage;
pub use schemas::{UPLOAD, schema_uploaded};
use sent_letter::SentLetterPage;
use sources::SourcesPage;
use worker::WorkerPage;
use workers::WorkersPage;

/// Every page, and which belongs to which address.
#[component]
pub fn Pages() -> impl IntoView {
    provide_meta_context();
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
                <FlatRoutes fallback=NotFoundPage>
                    <Route path=path!("/") view=OverviewPage ssr=SsrMode::Async />
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
                    <Route path=path!("/letters/:id") view=LetterPage ssr=SsrMode::Async />
                    <Route path=path!("/letters/:id/edit") view=EditLetterPage ssr=SsrMode::Async />
                    <Route path=path!("/letters") view=LettersPage ssr=SsrMode::Async />
                    <Route path=path!("/executions") view=ExecutionsPage ssr=SsrMode::Async />
                    <Route path=path!("/executions/:id") view=ExecutionPage ssr=SsrMode::Async />
                    <Route path=path!("/groups") view=GroupsPage ssr=SsrMode::Async />
                    <Route path=path!("/groups/:id") view=GroupPage ssr=SsrMode::Async />
                    <Route
                        path=path!("/letters/:id/sent/:replay")
                        view=SentLetterPage
                        ssr=SsrMode::Async
                    />
                    <Route path=path!("/queues") view=QueuesPage ssr=SsrMode::Async />
                    <Route
                        path=path!("/queues/:broker/:vhost/:name")
                        view=QueuePage
                        ssr=SsrMode::Async
                    />
                    <Route path=path!("/replays") view=ReplaysPage ssr=SsrMode::Async />
                    <Route path=path!("/replays/new") view=NewReplayPage ssr=SsrMode::Async />
                    <Route path=path!("/replays/:id") view=ReplayPage ssr=SsrMode::Async />
                    <Route path=path!("/rules") view=RulesPage ssr=SsrMode::Async />
                    <Route path=path!("/rules/retries") view=RetriesPage ssr=SsrMode::Async />
                    <Route path=path!("/rules/retries/:id") view=RetryPolicyPage ssr=SsrMode::Async />
                    <Route path=path!("/rules/:id") view=RulePage ssr=SsrMode::Async />
                    <Route path=path!("/schemas") view=SchemasPage ssr=SsrMode::Async />
                    <Route path=path!("/sources") view=SourcesPage ssr=SsrMode::Async />
                    <Route path=path!("/workers") view=WorkersPage ssr=SsrMode::Async />
                    <Route path=path!("/workers/:name") view=WorkerPage ssr=SsrMode::Async />
                </FlatRoutes>
            </main>
            <Colophon />
            <KeysHelp />
            <Palette />
        </Router>
    }
}
