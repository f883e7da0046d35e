//! HTTP API v1: for programs. One file for each thing of the API; all go through the desk, as the
//! pages do.

pub(super) mod alerts;
pub(super) mod causes;
pub(super) mod changes;
pub(super) mod channels;
mod created;
pub(super) mod discards;
pub(super) mod error_reports;
pub(super) mod events;
pub(super) mod executions;
pub(super) mod groups;
pub(super) mod holds;
pub(super) mod input;
mod letter_answer;
pub(super) mod letters;
pub mod openapi;
pub(super) mod overview;
pub(super) mod policies;
pub(super) mod replays;
pub(super) mod restores;
pub(super) mod rules;
pub(super) mod schemas;
pub(super) mod sources;
pub(super) mod timeline;
pub(super) mod topology;
pub(super) mod views;
pub(super) mod workers;

use axum::http::Method;
use axum::routing::{MethodRouter, delete, get, patch, post, put};

use super::Front;
use crate::access::Role;

/// One endpoint: what it is called with, who may call it, and what answers.
pub struct Endpoint {
    /// The method.
    pub method: Method,
    /// The path with its parameters.
    pub path: &'static str,
    /// The least role.
    pub role: Role,
    pub(super) handler: MethodRouter<Front>,
}

impl Endpoint {
    fn new(method: Method, path: &'static str, role: Role, handler: MethodRouter<Front>) -> Self {
        Self { method, path, role, handler }
    }
}

/// All endpoints that ask for a token.
pub fn endpoints() -> Vec<Endpoint> {
    let read = |path, handler| Endpoint::new(Method::GET, path, Role::Viewer, handler);
    let act = |path, handler| Endpoint::new(Method::POST, path, Role::Operator, handler);
    let report = |path, handler| Endpoint::new(Method::POST, path, Role::Worker, handler);
    let manage = |method, path, handler| Endpoint::new(method, path, Role::Admin, handler);
    let group = "/api/v1/groups/{id}";
    let source = "/api/v1/sources/{id}";
    let (policies, policy) = ("/api/v1/retry-policies", "/api/v1/retry-policies/{id}");
    let apply = "/api/v1/retry-policies/{id}/apply";
    let loss = "/api/v1/sources/{id}/accepted-loss";
    let by_operator = |method, path, handler| Endpoint::new(method, path, Role::Operator, handler);
    let mut all = vec![
        read("/api/v1/letters", get(letters::list)),
        read("/api/v1/letters/{id}", get(letters::one)),
        read("/api/v1/letters/{id}/arrivals/{ordinal}", get(letters::arrival)),
        read("/api/v1/letters/{id}/arrivals/{ordinal}/changes", get(letters::changes)),
        read("/api/v1/letters/{id}/related", get(letters::related)),
        read("/api/v1/letters/{id}/body", get(letters::body)),
        read("/api/v1/letters/{id}/decoded", get(letters::decoded)),
        read("/api/v1/letters/{id}/sent/{replay}", get(changes::sent)),
        report("/api/v1/letters/{id}/processed", post(letters::processed)),
        act("/api/v1/letters/{id}/published", post(letters::published)),
        act("/api/v1/discards", post(discards::create)),
        act("/api/v1/restores", post(restores::create)),
        act("/api/v1/holds", post(holds::create)),
        read("/api/v1/replays", get(replays::list)),
        act("/api/v1/replays", post(replays::create)),
        read("/api/v1/replays/{id}", get(replays::one)),
        read("/api/v1/replays/{id}/items", get(replays::items)),
        act("/api/v1/replays/{id}/pause", post(replays::pause)),
        act("/api/v1/replays/{id}/resume", post(replays::resume)),
        act("/api/v1/replays/{id}/cancel", post(replays::cancel)),
        act("/api/v1/replays/{id}/search", post(replays::search)),
        act("/api/v1/replays/preview", post(changes::preview)),
        act("/api/v1/replays/{id}/approve", post(changes::approve)),
        act("/api/v1/replays/{id}/reject", post(changes::reject)),
        read("/api/v1/groups", get(groups::list)),
        read(group, get(groups::one)),
        read("/api/v1/groups/{id}/breakdown", get(groups::breakdown)),
        Endpoint::new(Method::PATCH, group, Role::Operator, patch(groups::edit)),
        act("/api/v1/groups/merge", post(groups::merge)),
        act("/api/v1/groups/split", post(groups::split)),
        read(policies, get(policies::list)),
        manage(Method::POST, policies, post(policies::create)),
        manage(Method::PUT, policies, put(policies::order)),
        read(policy, get(policies::one)),
        manage(Method::PUT, policy, put(policies::change)),
        manage(Method::DELETE, policy, delete(policies::remove)),
        act("/api/v1/retry-policies/preview", post(policies::preview)),
        manage(Method::POST, apply, post(policies::apply)),
        read("/api/v1/sources", get(sources::list)),
        manage(Method::POST, "/api/v1/sources", post(sources::create)),
        read(source, get(sources::one)),
        manage(Method::PUT, source, put(sources::change)),
        manage(Method::DELETE, source, delete(sources::remove)),
        by_operator(Method::PUT, loss, put(sources::accept_loss)),
        by_operator(Method::DELETE, loss, delete(sources::withdraw_loss)),
        read("/api/v1/views", get(views::list)),
        act("/api/v1/views", post(views::create)),
        Endpoint::new(Method::DELETE, "/api/v1/views/{id}", Role::Operator, delete(views::remove)),
        read("/api/v1/workers", get(workers::list)),
        read("/api/v1/workers/{name}", get(workers::one)),
        report("/api/v1/workers/{name}/heartbeat", post(workers::heartbeat)),
        act("/api/v1/workers/{name}/drain", post(workers::drain)),
        act("/api/v1/workers/{name}/activate", post(workers::activate)),
        read("/api/v1/overview", get(overview::figures)),
        read("/api/v1/causes", get(causes::figures)),
        read("/api/v1/groups/{id}/causes", get(causes::of_group)),
        read("/api/v1/timeline", get(timeline::read)),
        read("/api/v1/events", get(events::stream)),
    ];
    all.extend(of_reading());
    all.extend(of_alerts());
    all.extend(of_executions());
    all.extend(of_topology());
    all
}

/// What letters are judged and read by.
fn of_reading() -> Vec<Endpoint> {
    let read = |path, handler| Endpoint::new(Method::GET, path, Role::Viewer, handler);
    let act = |path, handler| Endpoint::new(Method::POST, path, Role::Operator, handler);
    let manage = |method, path, handler| Endpoint::new(method, path, Role::Admin, handler);
    let (rules, rule) = ("/api/v1/rules/{kind}", "/api/v1/rules/{kind}/{id}");
    let (schemas, schema) = ("/api/v1/schemas", "/api/v1/schemas/{name}");
    let type_rules = "/api/v1/type-rules";
    vec![
        read(rules, get(rules::list)),
        manage(Method::POST, rules, post(rules::create)),
        manage(Method::PUT, rules, put(rules::order)),
        read(rule, get(rules::one)),
        manage(Method::PUT, rule, put(rules::change)),
        manage(Method::DELETE, rule, delete(rules::remove)),
        read(schemas, get(schemas::list)),
        read("/api/v1/registry-schemas", get(schemas::of_registry)),
        manage(Method::POST, schemas, post(schemas::create)),
        read(schema, get(schemas::one)),
        manage(Method::DELETE, schema, delete(schemas::remove)),
        read(type_rules, get(schemas::type_rules)),
        manage(Method::POST, type_rules, post(schemas::add_type_rule)),
        manage(Method::DELETE, "/api/v1/type-rules/{id}", delete(schemas::remove_type_rule)),
        act("/api/v1/rules/preview", post(rules::preview)),
    ]
}

/// Alerts, their rules, silences, and channels.
fn of_alerts() -> Vec<Endpoint> {
    let read = |path, handler| Endpoint::new(Method::GET, path, Role::Viewer, handler);
    let act = |path, handler| Endpoint::new(Method::POST, path, Role::Operator, handler);
    let (silences, silence) = ("/api/v1/silences", "/api/v1/silences/{id}");
    let (channels, channel) = ("/api/v1/channels", "/api/v1/channels/{id}");
    let (rules, rule) = ("/api/v1/alert-rules", "/api/v1/alert-rules/{id}");
    let manage = |method, path, handler| Endpoint::new(method, path, Role::Admin, handler);
    vec![
        read("/api/v1/alerts", get(alerts::list)),
        read("/api/v1/alerts/{id}", get(alerts::one)),
        act("/api/v1/alerts/{id}/acknowledge", post(alerts::acknowledge)),
        act("/api/v1/alerts/{id}/mute", post(alerts::mute)),
        read(rules, get(alerts::rules)),
        manage(Method::POST, rules, post(alerts::add_rule)),
        act("/api/v1/alert-rules/preview", post(alerts::preview_rule)),
        manage(Method::PUT, rule, put(alerts::change_rule)),
        manage(Method::DELETE, rule, delete(alerts::remove_rule)),
        read(silences, get(alerts::silences)),
        act(silences, post(alerts::silence)),
        Endpoint::new(Method::DELETE, silence, Role::Operator, delete(alerts::end_silence)),
        read(channels, get(channels::list)),
        manage(Method::POST, channels, post(channels::create)),
        manage(Method::PUT, channel, put(channels::change)),
        manage(Method::DELETE, channel, delete(channels::remove)),
        manage(Method::POST, "/api/v1/channels/{id}/test", post(channels::test)),
    ]
}

/// What is reported of executions and errors, and asked about them.
fn of_executions() -> Vec<Endpoint> {
    let report = |path, handler| Endpoint::new(Method::POST, path, Role::Worker, handler);
    let read = |path, handler| Endpoint::new(Method::GET, path, Role::Viewer, handler);
    let act = |path, handler| Endpoint::new(Method::POST, path, Role::Operator, handler);
    vec![
        read("/api/v1/executions", get(executions::list)),
        report("/api/v1/executions", post(executions::report_many)),
        read("/api/v1/execution-figures", get(executions::figures)),
        read("/api/v1/executions/{id}", get(executions::one)),
        report("/api/v1/executions/{id}", post(executions::report)),
        act("/api/v1/executions/{id}/fail", post(executions::fail)),
        act("/api/v1/executions/{id}/cancel", post(executions::cancel)),
        report("/api/v1/error-reports", post(error_reports::create)),
        read("/api/v1/error-reports/{id}", get(error_reports::one)),
    ]
}

/// What is asked about the queues of brokers.
fn of_topology() -> Vec<Endpoint> {
    let read = |path, handler| Endpoint::new(Method::GET, path, Role::Viewer, handler);
    let act = |method, path, handler| Endpoint::new(method, path, Role::Operator, handler);
    let finding = "/api/v1/topology/findings/{id}";
    let check = "/api/v1/topology/check";
    let discover = "/api/v1/sources/discover";
    let setting = "/api/v1/queues/{vhost}/{name}/dead-lettering";
    vec![
        read("/api/v1/topology", get(topology::brokers)),
        act(Method::POST, check, post(topology::check)),
        act(Method::POST, discover, post(sources::discover)),
        read("/api/v1/topology/findings", get(topology::findings)),
        read(finding, get(topology::finding)),
        act(Method::PATCH, finding, patch(topology::edit)),
        read("/api/v1/queues", get(topology::queues)),
        read("/api/v1/queues/{vhost}/{name}", get(topology::queue)),
        Endpoint::new(Method::PUT, setting, Role::Admin, put(topology::set_dead_lettering)),
        Endpoint::new(Method::DELETE, setting, Role::Admin, delete(topology::unset_dead_lettering)),
        Endpoint::new(
            Method::POST,
            "/api/v1/queues/{vhost}/{name}/lift-delivery-limit",
            Role::Admin,
            post(topology::lift_delivery_limit),
        ),
    ]
}
