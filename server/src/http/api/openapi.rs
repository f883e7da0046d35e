//! The document that describes the API. It is made from the same functions that answer.

use axum::Json;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{Modify, OpenApi};

use super::{discards, events, groups, letters, replays, restores, sources, views};

/// The API as `OpenAPI` 3.1.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Dead Letter Office",
        description = "Triage of RabbitMQ dead letters. Send `Authorization: Bearer dlo_…`; \
            `dlo token create` makes a token. Roles: viewer reads, operator decides and replays, \
            admin manages sources. Errors are problem details (RFC 9457). Times are RFC 3339, UTC.",
    ),
    paths(
        letters::list, letters::one, letters::body, letters::decoded, letters::processed,
        letters::published, discards::create, restores::create, replays::list, replays::create,
        replays::one, replays::items, groups::list, groups::one, groups::edit,
        groups::merge, groups::split, sources::list, sources::one, sources::create,
        sources::change, sources::remove, sources::eject_head, views::list, views::create, views::remove,
        events::stream, document,
    ),
    components(schemas(crate::http::problem::ProblemBody)),
    modifiers(&Token),
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

/// This document.
#[utoipa::path(
    get, path = "/api/v1/openapi.json", tag = "about",
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
            assert!(
                entry["summary"].is_string(),
                "{} {}",
                endpoint.method,
                endpoint.path
            );
        }
        assert_eq!(described, endpoints.len());
    }

    #[test]
    fn every_reference_leads_somewhere() {
        let text = serde_json::to_string(&Document::openapi()).expect("is JSON");
        let document: serde_json::Value = serde_json::from_str(&text).expect("is JSON");
        for part in text.split("\"#/components/schemas/").skip(1) {
            let name = part.split('"').next().expect("ends");
            assert!(
                document["components"]["schemas"][name].is_object(),
                "{name}"
            );
        }
    }
}
