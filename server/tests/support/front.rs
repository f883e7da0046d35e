//! The HTTP server of an office within the test.

use std::convert::Infallible;
use std::sync::Arc;

use dlo_app::desk::TriageDesk;
use dlo_server::access::{Role, Token};
use dlo_server::events::Hub;
use dlo_server::http::{self, Beginning, Front, Limits};
use reqwest::{Client, Method, RequestBuilder, Response};
use serde_json::Value;
use sqlx::PgPool;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::desk::Bench;
pub use super::problem::problem;
pub use super::token::token;

/// An id that there is nothing behind.
pub const ID: &str = "019a0f3e-5a4b-7c2d-8e1f-0123456789ab";

/// A server on a port of its own.
pub struct Counter {
    /// Where its live events come from.
    pub hub: Hub,
    /// How far its office pretends to be.
    pub beginning: watch::Sender<Beginning>,
    /// `http://127.0.0.1:port`
    pub address: String,
    /// Asks, without following redirects.
    pub client: Client,
    tokens: [Token; 4],
    stop: CancellationToken,
    serving: JoinHandle<Result<(), Infallible>>,
    /// The directory of the site's files.
    pub site: tempfile::TempDir,
}

impl Counter {
    /// Opens it before a desk that asks no broker, with a token for each role.
    pub async fn open(pool: &PgPool) -> Self {
        Self::open_within(pool, Limits::default()).await
    }

    /// Opens it with other limits.
    pub async fn open_within(pool: &PgPool, limits: Limits) -> Self {
        let bench = Bench::offline(pool).await;
        Self::before(pool, bench.desk, limits).await
    }

    /// Opens it before a desk that the test has in hand, too.
    pub async fn open_before(pool: &PgPool, desk: Arc<dyn TriageDesk>) -> Self {
        Self::before(pool, desk, Limits::default()).await
    }

    async fn before(pool: &PgPool, desk: Arc<dyn TriageDesk>, limits: Limits) -> Self {
        dlo_server::tls::install_provider();
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("bound"));
        let (hub, stop) = (Hub::default(), CancellationToken::new());
        let (beginning, begun) = watch::channel(Beginning::Done);
        let site = tempfile::tempdir().expect("a directory");
        let front = Front {
            desk,
            pool: pool.clone(),
            hub: hub.clone(),
            beginning: begun,
            figures: None,
            site_root: site.path().to_owned(),
            limits,
            stop: stop.clone(),
        };
        #[expect(clippy::disallowed_methods, reason = "the test owns the task and ends it")]
        let serving = tokio::spawn(http::serve(listener, front));
        let redirects = reqwest::redirect::Policy::none();
        let client = Client::builder().redirect(redirects).build().expect("a client");
        let mut tokens = Vec::new();
        for role in Role::ALL {
            tokens.push(token(pool, role.as_str(), role).await);
        }
        let tokens = tokens.try_into().expect("one for each role");
        Self { hub, beginning, address, client, tokens, stop, serving, site }
    }

    /// The token of a role.
    pub fn token(&self, role: Role) -> &str {
        self.tokens[role as usize].reveal()
    }

    /// A request without a token.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.address))
    }

    /// A request with the token of a role.
    pub fn as_role(&self, role: Role, method: Method, path: &str) -> RequestBuilder {
        self.request(method, path).bearer_auth(self.token(role))
    }

    /// Reads as a viewer.
    pub async fn get(&self, path: &str) -> Response {
        let request = self.as_role(Role::Viewer, Method::GET, path);
        request.send().await.expect("an answer")
    }

    /// Sends JSON as an admin.
    pub async fn post(&self, path: &str, body: &Value) -> Response {
        let request = self.as_role(Role::Admin, Method::POST, path).json(body);
        request.send().await.expect("an answer")
    }

    /// Ends it in order; whoever still reads a stream is let go.
    pub async fn close(self) {
        self.stop.cancel();
        let ended = tokio::time::timeout(crate::support::patience(), self.serving).await;
        ended.expect("in time").expect("no panic").expect("in order");
    }
}
