//! The document that describes the API. It is made from the same functions that answer.

use axum::Json;
use axum::http::Method;
use utoipa::openapi::path::Operation;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{ContentBuilder, PathItem, Ref, Response as OneResponse, ResponseBuilder};
use utoipa::{Modify, OpenApi};

use super::{
    alerts, causes, changes, channels, discards, error_reports, events, executions, groups, holds,
    letters, overview, policies, replays, restores, rules, schemas, sources, timeline, topology,
    views, workers,
};
use crate::access::Role;

/// The API as `OpenAPI` 3.1.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Dead Letter Office",
        description = "Triage of RabbitMQ dead letters. Send `Authorization: Bearer dlo_…`; \
            `dlo token create` makes a token. Roles: worker sends heartbeats, error reports and reports of executions and nothing else, viewer reads, operator decides and replays, \
            admin manages sources, rules, schemas, retry policies, alert rules and channels. Errors are problem details (RFC 9457). Times are RFC 3339, UTC.",
    ),
    paths(
        letters::list, letters::one, letters::arrival, letters::changes, letters::related, letters::body, letters::decoded, letters::processed,
        letters::published, discards::create, restores::create, replays::list, replays::create,
        replays::one, replays::items, replays::pause, replays::resume, replays::cancel, replays::search, groups::list, groups::one, groups::breakdown, groups::edit,
        groups::merge, groups::split, rules::list, rules::create, rules::order, rules::one,
        rules::change, rules::remove, rules::preview, schemas::list, schemas::of_registry, schemas::create, schemas::one, schemas::remove, schemas::type_rules, schemas::add_type_rule, schemas::remove_type_rule, holds::create, policies::list,
        policies::create, policies::order, policies::one, policies::change, policies::remove,
        policies::preview, policies::apply, sources::list, sources::one, sources::create,
        sources::change, sources::remove, sources::accept_loss,
        sources::withdraw_loss, topology::lift_delivery_limit, sources::discover, views::list, views::create, views::remove,
        workers::list, workers::one, workers::heartbeat, workers::drain, workers::activate,
        overview::figures, causes::figures, causes::of_group, timeline::read, events::stream, changes::preview, changes::approve, changes::reject,
        changes::sent, executions::list, executions::report_many, executions::figures,
        executions::one, executions::report, executions::fail, executions::cancel, error_reports::create, error_reports::one,
        topology::brokers, topology::check, topology::findings, topology::finding,
        topology::edit, topology::queues, topology::queue,
        topology::set_dead_lettering, topology::unset_dead_lettering, alerts::list, alerts::one, alerts::acknowledge, alerts::mute,
        alerts::rules, alerts::add_rule,
        alerts::change_rule, alerts::remove_rule, alerts::preview_rule, alerts::silences, alerts::silence, alerts::end_silence, channels::list, channels::create,
        channels::change, channels::remove, channels::test, document,
    ),
    components(schemas(crate::http::problem::ProblemBody, dlo_domain::rule::RuleKind, dlo_domain::topology::FindingScope, dlo_domain::timeline::Reach)),
    modifiers(&Token, &EveryAnswer),
    security(("token" = [])),
)]
pub struct Document;

struct Token;

impl Modify for Token {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("token", SecurityScheme::Http(scheme));
    }
}

/// The answers that endpoints have in common.
struct EveryAnswer;

impl Modify for EveryAnswer {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        for endpoint in super::endpoints() {
            let path = document.paths.paths.get_mut(endpoint.path);
            let operation = path.and_then(|path| operation(path, &endpoint.method));
            let Some(operation) = operation else { continue };
            let mut answers = vec![
                (401, "No token, or one that is unknown or revoked"),
                (503, "The database does not answer; nothing was done"),
            ];
            if !Role::Viewer.may(endpoint.role) {
                answers.push((403, "The token's role does not allow it"));
            }
            if endpoint.path.contains('{') {
                answers.push((
                    400,
                    "The path names nothing that can be, such as an id that is no UUID",
                ));
            }
            if operation.request_body.is_some() {
                answers.push((413, "The body is too large"));
                answers.push((415, "The body is not sent as JSON"));
            }
            for (status, why) in answers {
                let known = &mut operation.responses.responses;
                known.entry(status.to_string()).or_insert_with(|| problem(why).into());
            }
        }
    }
}

fn operation<'a>(path: &'a mut PathItem, method: &Method) -> Option<&'a mut Operation> {
    let operation = match method.as_str() {
        "GET" => &mut path.get,
        "PUT" => &mut path.put,
        "POST" => &mut path.post,
        "DELETE" => &mut path.delete,
        "PATCH" => &mut path.patch,
        _ => return None,
    };
    operation.as_mut()
}

fn problem(why: &str) -> OneResponse {
    let body = Ref::from_schema_name("ProblemBody");
    let content = ContentBuilder::new().schema(Some(body)).build();
    ResponseBuilder::new().description(why).content("application/problem+json", content).build()
}

/// This document. It needs no token: it says what every copy of the program says.
#[utoipa::path(
    get, path = "/api/v1/openapi.json", tag = "about", security(()),
    responses((status = 200, content_type = "application/json"))
)]
pub(crate) async fn document() -> Json<utoipa::openapi::OpenApi> {
    Json(Document::openapi())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_endpoint_is_described_and_nothing_else() {
        let document = serde_json::to_value(Document::openapi()).expect("is JSON");
        let described: usize = document["paths"]
            .as_object()
            .expect("paths")
            .values()
            .map(|methods| methods.as_object().map_or(0, serde_json::Map::len))
            .sum();
        let endpoints = super::super::endpoints();
        for endpoint in &endpoints {
            let method = endpoint.method.as_str().to_lowercase();
            let entry = &document["paths"][endpoint.path][method];
            assert!(entry["summary"].is_string(), "{} {}", endpoint.method, endpoint.path);
        }
        assert_eq!(described, endpoints.len() + 1, "and the document itself");
    }

    #[test]
    fn the_answers_that_endpoints_have_in_common_are_described() {
        let document = serde_json::to_value(Document::openapi()).expect("is JSON");
        let answers = |path: &str, method: &str| {
            let known = &document["paths"][path][method]["responses"];
            let known = known.as_object().expect("answers").keys().cloned();
            known.collect::<Vec<_>>()
        };
        let list = answers("/api/v1/letters", "get");
        assert_eq!(list, ["200", "400", "401", "503"]);
        let change = answers("/api/v1/sources/{id}", "put");
        let wanted = ["200", "400", "401", "403", "404", "409", "413", "415", "503"];
        assert_eq!(change, wanted);
        let pause = answers("/api/v1/replays/{id}/pause", "post");
        assert_eq!(pause, ["200", "400", "401", "403", "404", "409", "503"]);
        let replay = answers("/api/v1/replays", "post");
        let wanted = ["200", "201", "400", "401", "403", "404", "409", "413", "415", "422", "503"];
        assert_eq!(replay, wanted);
        for path in ["discards", "restores", "holds", "replays/preview", "retry-policies/preview"] {
            let known = answers(&format!("/api/v1/{path}"), "post");
            assert!(known.contains(&"404".to_owned()), "{path}: {known:?}");
        }
        assert_eq!(answers("/api/v1/openapi.json", "get"), ["200"]);
        let limit = &document["paths"]["/api/v1/letters"]["get"]["parameters"];
        let mut limit = limit.as_array().expect("parameters").iter();
        let limit = limit.find(|one| one["name"] == "limit");
        let schema = &limit.expect("a limit")["schema"];
        assert_eq!((&schema["minimum"], &schema["maximum"]), (&1.into(), &500.into()));
    }

    #[test]
    fn every_reference_leads_somewhere() {
        let text = serde_json::to_string(&Document::openapi()).expect("is JSON");
        let document: serde_json::Value = serde_json::from_str(&text).expect("is JSON");
        for part in text.split("\"#/components/schemas/").skip(1) {
            let name = part.split('"').next().expect("ends");
            assert!(document["components"]["schemas"][name].is_object(), "{name}");
        }
    }
}
