//! The pages and their server functions, with the desk as context, under a policy that lets a
//! browser run our own scripts only.

use std::path::Path;
use std::sync::LazyLock;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::{from_fn_with_state, map_response};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use dlo_app::desk::Desk;
use dlo_app::{Pages, Scripts, shell};
use leptos::config::LeptosOptions;
use leptos::nonce::use_nonce;
use leptos::prelude::{provide_context, use_context};
use leptos_axum::{
    AxumRouteListing, LeptosRoutes as _, ResponseOptions, generate_route_list,
    render_app_async_with_context,
};

use tower_http::compression::CompressionLayer;

use super::Front;
use super::limits::{self, PagePlaces};
use super::markers;
use super::problem::Problem;
use super::site::Site;
use super::tasks;

/// Where pages are. They are listed once: while Leptos lists them, it lets no page of the process read anything, and a
/// second listing at the same time would read without a desk.
static PAGES: LazyLock<Vec<AxumRouteListing>> = LazyLock::new(|| {
    tasks::begin();
    generate_route_list(Pages)
});

/// The paths of pages, with their parameters.
pub(super) fn paths() -> impl Iterator<Item = String> {
    PAGES.iter().map(|page| page.path().to_owned())
}

/// Pages, their server functions, the files they load, and the page for what is not there.
pub(super) fn routes(front: &Front) -> Router {
    let options = options(&front.site_root);
    let context = context(front);
    let of_pages = options.clone();
    let rest =
        Rest { site: Site::new(&front.site_root), options: options.clone(), front: front.clone() };
    Router::new()
        .leptos_routes_with_context(&options, PAGES.clone(), context, move || {
            shell(of_pages.clone())
        })
        .layer(from_fn_with_state(PagePlaces::new(&front.pool), limits::in_turn))
        .layer(map_response(markers::within_islands_only))
        .layer(CompressionLayer::new())
        .with_state(options)
        .fallback_service(get(file_or_nothing).fallback(file_or_nothing).with_state(rest))
}

fn options(site_root: &Path) -> LeptosOptions {
    // An absolute path, because Leptos looks for a relative one beside the program.
    let hashes = std::path::absolute(site_root.join("hash.txt")).ok().filter(|file| file.exists());
    LeptosOptions::builder()
        .output_name("dlo")
        .site_root(site_root.display().to_string())
        .site_pkg_dir("pkg")
        .hash_files(hashes.is_some())
        .hash_file(hashes.unwrap_or_default().display().to_string().into())
        .build()
}

fn context(front: &Front) -> impl Fn() + Clone + Send + Sync + 'static {
    let desk = Desk::new(front.desk.clone());
    let scripts = scripts(&front.site_root);
    move || {
        provide_context(desk.clone());
        provide_context(scripts.clone());
        permit_own_scripts();
        keep_for_the_way_back();
    }
}

/// Where the scripts of this site are: their folder is named by what is in them, but in a site that is made while
/// somebody works on it.
fn scripts(site_root: &Path) -> Scripts {
    let hashes = std::fs::read_to_string(site_root.join("hash.txt")).unwrap_or_default();
    let hash = hashes.lines().find_map(|line| line.strip_prefix("scripts: "));
    Scripts(hash.map_or_else(|| "/scripts".into(), |hash| format!("/scripts.{hash}").into()))
}

/// The nonce that Leptos gives its scripts is made for each page, so the policy is, too. Server
/// functions have none, and keep the policy that permits nothing.
fn permit_own_scripts() {
    let (Some(nonce), Some(response)) = (use_nonce(), use_context::<ResponseOptions>()) else {
        return;
    };
    let policy = format!(
        "default-src 'none'; script-src 'self' 'nonce-{nonce}' 'wasm-unsafe-eval'; \
         style-src 'self' 'nonce-{nonce}'; img-src 'self' data:; font-src 'self'; \
         connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; \
         object-src 'none'; frame-ancestors 'none'"
    );
    let policy = HeaderValue::try_from(policy).expect("a nonce is plain text");
    response.insert_header(header::CONTENT_SECURITY_POLICY, policy);
}

/// A page may be kept by the browser that asked for it, which shows it again to somebody who goes back: with
/// `no-store` it would be made anew, and what was unfolded, checked and written in it would be lost.
fn keep_for_the_way_back() {
    if let Some(response) = use_context::<ResponseOptions>() {
        let keep = HeaderValue::from_static("private, no-cache");
        response.insert_header(header::CACHE_CONTROL, keep);
    }
}

/// What answers where no page is.
#[derive(Clone)]
struct Rest {
    site: Site,
    options: LeptosOptions,
    front: Front,
}

async fn file_or_nothing(State(rest): State<Rest>, request: Request) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let why = format!(
            "there is nothing at {} that takes a {}",
            request.uri().path(),
            request.method()
        );
        return Problem::new(StatusCode::NOT_FOUND, why).into_response();
    }
    let file = rest.site.file(&request);
    if let Some(file) = file.await {
        return file;
    }
    let (context, options) = (context(&rest.front), rest.options);
    let page = render_app_async_with_context(context, move || shell(options.clone()));
    let mut response = markers::within_islands_only(page(request).await).await;
    *response.status_mut() = StatusCode::NOT_FOUND;
    response
}
