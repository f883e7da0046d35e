//! A program that is told of alerts over a webhook: it keeps what it is sent, with the headers.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dlo_domain::channel::secret_bytes;
use hmac::{Hmac, Mac as _};
use serde_json::Value;
use sha2::Sha256;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// What was posted.
#[derive(Debug, Clone)]
pub struct Sent {
    headers: HeaderMap,
    body: Bytes,
}

impl Sent {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }

    /// How many of its signatures this secret made, as a receiver would find out.
    pub fn signed_with(&self, secret: &str) -> usize {
        let mut mac = Hmac::<Sha256>::new_from_slice(&secret_bytes(secret).expect("a secret"))
            .expect("a key");
        mac.update(
            format!("{}.{}.", self.header("webhook-id"), self.header("webhook-timestamp"))
                .as_bytes(),
        );
        mac.update(&self.body);
        let signature = format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
        self.header("webhook-signature").split(' ').filter(|one| *one == signature).count()
    }
}

#[derive(Debug, Default)]
struct Kept {
    sent: Vec<Sent>,
    refusals: usize,
}

/// A receiver under way.
pub struct Receiver {
    pub address: String,
    kept: Arc<Mutex<Kept>>,
    task: JoinHandle<()>,
}

impl Receiver {
    pub async fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let address = format!("http://{}/hooks/secret-wxyz", listener.local_addr().expect("bound"));
        let kept: Arc<Mutex<Kept>> = Arc::default();
        let app = Router::new().route("/hooks/secret-wxyz", post(take)).with_state(kept.clone());
        #[expect(clippy::disallowed_methods, reason = "the test owns the task and ends it")]
        let task = tokio::spawn(async move {
            axum::serve(listener, app).await.expect("served");
        });
        Self { address, kept, task }
    }

    /// Takes the next ones, and says that it did not.
    pub fn will_refuse(&self, times: usize) {
        self.kept.lock().expect("alone").refusals = times;
    }

    pub fn sent(&self) -> Vec<Sent> {
        self.kept.lock().expect("alone").sent.clone()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn take(State(kept): State<Arc<Mutex<Kept>>>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let mut kept = kept.lock().expect("alone");
    kept.sent.push(Sent { headers, body });
    match kept.refusals.checked_sub(1) {
        None => StatusCode::NO_CONTENT,
        Some(left) => {
            kept.refusals = left;
            StatusCode::INTERNAL_SERVER_ERROR
        }
    }
}
