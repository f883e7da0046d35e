//! The one place that lists what is served.

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{any, get};
use tower_http::request_id::{PropagateRequestIdLayer, SetRequestIdLayer};

use super::bearer::{Admission, admit};
use super::{Front, api, guard, health, observe, pages, problem};

/// Everything, behind the guards.
pub fn router(front: &Front) -> Router {
    let everything = Router::new()
        .route("/healthz", get(health::healthz))
        .route("/readyz", get(health::readyz))
        .route("/metrics", get(health::metrics))
        .with_state(front.clone())
        .merge(api_routes(front))
        .merge(pages::routes(front))
        .layer(from_fn(observe::observe));
    guard::guarded(everything)
        .layer(PropagateRequestIdLayer::x_request_id())
        .layer(SetRequestIdLayer::x_request_id(observe::RandomId))
}

/// The API. Each endpoint names the role that it asks for, so none can be added without.
fn api_routes(front: &Front) -> Router {
    let mut routes = Router::new();
    for endpoint in api::endpoints() {
        let admission = Admission {
            pool: front.pool.clone(),
            role: endpoint.role,
        };
        let admitted = endpoint
            .handler
            .route_layer(from_fn_with_state(admission, admit));
        routes = routes.route(endpoint.path, admitted);
    }
    routes
        .route("/api/v1/openapi.json", get(api::openapi::document))
        .route("/api", any(nothing))
        .route("/api/{*rest}", any(nothing))
        .layer(from_fn(problem::everywhere))
        .with_state(front.clone())
}

async fn nothing() -> axum::http::StatusCode {
    axum::http::StatusCode::NOT_FOUND
}
