//! What kinds of routes there are, for the guards in front of them.

use std::collections::HashSet;
use std::sync::LazyLock;

use axum::extract::{MatchedPath, Request};

use super::pages;

/// Who asks for a route, and what it asks of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RouteKind {
    /// A page or a file of the site: what a person may be led to.
    Page,
    /// What our pages ask for by themselves: server functions, live events, downloads.
    OfPages,
    /// Programs, with a token.
    Api,
    /// Supervisors: health and figures.
    Health,
}

static PAGES: LazyLock<HashSet<String>> = LazyLock::new(|| pages::paths().collect());

impl RouteKind {
    /// The kind of the route that answers a request.
    pub(super) fn of(request: &Request) -> Self {
        let route = request.extensions().get::<MatchedPath>();
        // Where no route is, a file is served, or the page that says that there is nothing.
        route.map_or(Self::Page, |route| Self::of_path(route.as_str()))
    }

    /// The kind of a route as it is listed.
    #[must_use]
    pub fn of_path(route: &str) -> Self {
        match route {
            "/healthz" | "/readyz" | "/metrics" => Self::Health,
            _ if route == "/api" || route.starts_with("/api/") => Self::Api,
            _ if PAGES.contains(route) => Self::Page,
            // What is added later is held to the strictest rule.
            _ => Self::OfPages,
        }
    }
}
