//! The one place that lists what is served.

use axum::Router;
use axum::http::Method;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{MethodRouter, any, get, post};
use tower_http::request_id::{PropagateRequestIdLayer, SetRequestIdLayer};

use super::bearer::{Admission, admit};
use super::limits::StreamPlaces;
use super::{Front, api, download, guard, health, islands, live, observe, pages, problem, uploads};
use crate::access::Role;

/// A route as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// What it is called with; `None` if with anything.
    pub method: Option<Method>,
    /// The path with its parameters.
    pub path: String,
    /// The least role that its token needs; `None` if it asks for none.
    pub role: Option<Role>,
}

/// A route that asks for no token.
struct OpenRoute {
    method: Option<Method>,
    path: &'static str,
    handler: MethodRouter<Front>,
}

/// Every route that is served, with the files of the site left out.
#[must_use]
pub fn listed() -> Vec<Listed> {
    let open = open_routes().into_iter().map(|route| Listed {
        method: route.method,
        path: route.path.to_owned(),
        role: None,
    });
    let endpoints = api::endpoints().into_iter().map(|endpoint| Listed {
        method: Some(endpoint.method),
        path: endpoint.path.to_owned(),
        role: Some(endpoint.role),
    });
    let pages = pages::paths().map(|path| (Method::GET, path));
    let functions = leptos::server_fn::axum::server_fn_paths();
    let functions = functions.map(|(path, method)| (method, path.to_owned()));
    let of_leptos = pages.chain(functions).map(|(method, path)| Listed {
        method: Some(method),
        path,
        role: None,
    });
    open.chain(endpoints).chain(of_leptos).collect()
}

/// Everything, behind the guards.
pub fn router(front: &Front) -> Router {
    let everything = open(front)
        .merge(api_routes(front))
        .merge(pages::routes(front))
        .layer(from_fn(observe::observe));
    guard::guarded(everything, &front.limits)
        .layer(PropagateRequestIdLayer::x_request_id())
        .layer(SetRequestIdLayer::x_request_id(observe::RandomId))
}

fn open(front: &Front) -> Router {
    let mut routes = Router::new();
    for route in open_routes() {
        let handler = if route.path.starts_with("/api") {
            route.handler.layer(from_fn(problem::everywhere))
        } else {
            route.handler
        };
        routes = routes.route(route.path, handler);
    }
    let places = StreamPlaces::new(&front.limits);
    routes.layer(axum::Extension(places)).with_state(front.clone())
}

/// The routes that ask for no token. What a page asks for is held back by the guards.
fn open_routes() -> Vec<OpenRoute> {
    let read = |path, handler| OpenRoute { method: Some(Method::GET), path, handler };
    let nowhere = |path| OpenRoute { method: None, path, handler: any(nothing) };
    vec![
        read("/healthz", get(health::healthz)),
        read("/readyz", get(health::readyz)),
        read("/metrics", get(health::metrics)),
        read("/events", get(live::stream)),
        read("/letters/arrived", get(islands::arrived)),
        read("/letters/values", get(islands::known_values)),
        read("/letters/{id}/body", get(download::body)),
        OpenRoute {
            method: Some(Method::POST),
            path: dlo_app::SCHEMA_UPLOAD,
            handler: post(uploads::schema),
        },
        read("/api/v1/openapi.json", get(api::openapi::document)),
        nowhere("/api"),
        nowhere("/api/{*rest}"),
    ]
}

/// The API. Each endpoint names the role that it asks for, so none can be added without.
fn api_routes(front: &Front) -> Router {
    let mut routes = Router::new();
    for endpoint in api::endpoints() {
        let admission = Admission { pool: front.pool.clone(), role: endpoint.role };
        let admitted = endpoint.handler.route_layer(from_fn_with_state(admission, admit));
        routes = routes.route(endpoint.path, admitted);
    }
    routes
        .layer(from_fn(problem::everywhere))
        .layer(axum::Extension(StreamPlaces::new(&front.limits)))
        .with_state(front.clone())
}

async fn nothing() -> axum::http::StatusCode {
    axum::http::StatusCode::NOT_FOUND
}
