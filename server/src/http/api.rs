//! HTTP API v1: for programs. One file for each thing of the API; all go through the desk, as the
//! pages do.

pub(super) mod discards;
pub(super) mod events;
pub(super) mod input;
pub(super) mod letters;
pub mod openapi;
pub(super) mod replays;
pub(super) mod restores;
pub(super) mod sources;

use axum::http::Method;
use axum::routing::{MethodRouter, delete, get, post};

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

/// All endpoints.
pub fn endpoints() -> Vec<Endpoint> {
    use Role::{Admin, Operator, Viewer};
    let mut all = Vec::new();
    let mut add = |method, path, role, handler| {
        all.push(Endpoint { method, path, role, handler });
    };
    add(Method::GET, "/api/v1/letters", Viewer, get(letters::list));
    add(Method::GET, "/api/v1/letters/{id}", Viewer, get(letters::one));
    add(Method::GET, "/api/v1/letters/{id}/body", Viewer, get(letters::body));
    add(Method::GET, "/api/v1/letters/{id}/decoded", Viewer, get(letters::decoded));
    add(Method::POST, "/api/v1/letters/{id}/processed", Operator, post(letters::processed));
    add(Method::POST, "/api/v1/letters/{id}/published", Operator, post(letters::published));
    add(Method::POST, "/api/v1/discards", Operator, post(discards::create));
    add(Method::POST, "/api/v1/restores", Operator, post(restores::create));
    add(Method::GET, "/api/v1/replays", Viewer, get(replays::list));
    add(Method::POST, "/api/v1/replays", Operator, post(replays::create));
    add(Method::GET, "/api/v1/replays/{id}", Viewer, get(replays::one));
    add(Method::GET, "/api/v1/replays/{id}/items", Viewer, get(replays::items));
    add(Method::GET, "/api/v1/sources", Viewer, get(sources::list));
    add(Method::POST, "/api/v1/sources", Admin, post(sources::create));
    add(Method::GET, "/api/v1/sources/{id}", Viewer, get(sources::one));
    add(Method::DELETE, "/api/v1/sources/{id}", Admin, delete(sources::remove));
    add(Method::POST, "/api/v1/sources/{id}/eject-head", Admin, post(sources::eject_head));
    add(Method::GET, "/api/v1/events", Viewer, get(events::stream));
    add(Method::GET, "/api/v1/openapi.json", Viewer, get(openapi::document));
    all
}
