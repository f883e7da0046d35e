//! A stand-in for Slack over real HTTP: it holds every message against the documented limits, and answers as it is
//! told to.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// How it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// `ok`, unless the message is over a limit.
    Ok,
    /// This status, and these words.
    Refuse(u16, &'static str),
    /// Too many: again after so many seconds.
    TooMany(u32),
    /// It takes the message, and says so after so many seconds.
    TakeSlowly(u64),
    /// It takes the message, and nobody hears that.
    TakeAndHang,
    /// It does not take the message, and does not say so.
    Hang,
    /// Something that no server would say.
    Garbage,
}

#[derive(Debug, Default)]
struct Said {
    taken: Vec<Value>,
    asked: usize,
    answers: VecDeque<Answer>,
}

/// A stand-in under way.
pub struct Slack {
    pub address: String,
    port: u16,
    said: Arc<Mutex<Said>>,
    task: JoinHandle<()>,
}

impl Slack {
    pub async fn start() -> Self {
        Self::at(0, Arc::default()).await
    }

    /// Dies: nobody listens there any more.
    pub async fn die(&mut self) {
        self.task.abort();
        let _ = (&mut self.task).await;
    }

    /// Comes back, where it was and with what it has taken.
    pub async fn come_back(&mut self) {
        *self = Self::at(self.port, self.said.clone()).await;
    }

    async fn at(port: u16, said: Arc<Mutex<Said>>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port)).await.expect("a port");
        let port = listener.local_addr().expect("bound").port();
        let address = format!("http://127.0.0.1:{port}/services/T000/B000/secret-xyzw");
        let app = Router::new()
            .route("/services/T000/B000/secret-xyzw", post(answer))
            .with_state(said.clone());
        #[expect(clippy::disallowed_methods, reason = "the test owns the task and ends it")]
        let task = tokio::spawn(async move {
            axum::serve(listener, app).await.expect("served");
        });
        Self { address, port, said, task }
    }

    /// Answers the next ones like this, and then `ok`.
    pub fn will(&self, answers: impl IntoIterator<Item = Answer>) {
        self.said.lock().expect("alone").answers.extend(answers);
    }

    /// What it has taken.
    pub fn taken(&self) -> Vec<Value> {
        self.said.lock().expect("alone").taken.clone()
    }

    /// How often it was asked.
    pub fn asked(&self) -> usize {
        self.said.lock().expect("alone").asked
    }

    /// Of how many alerts it was told that they began.
    pub fn begun(&self) -> usize {
        let texts = self.texts().into_iter().filter(|text| !text.starts_with("Over"));
        let more = |text: &str| {
            let (_, more) = text.strip_suffix(" more)")?.rsplit_once("(and ")?;
            more.parse::<usize>().ok()
        };
        texts.map(|text| 1 + more(&text).unwrap_or_default()).sum()
    }

    /// The texts that a phone would have shown.
    pub fn texts(&self) -> Vec<String> {
        let taken = self.taken();
        taken.iter().map(|one| one["text"].as_str().expect("a text").to_owned()).collect()
    }
}

impl Drop for Slack {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(State(said): State<Arc<Mutex<Said>>>, body: Bytes) -> Response {
    let answer = {
        let mut said = said.lock().expect("alone");
        said.asked += 1;
        said.answers.pop_front().unwrap_or(Answer::Ok)
    };
    let Ok(payload) = serde_json::from_slice::<Value>(&body) else {
        return (StatusCode::BAD_REQUEST, "invalid_payload").into_response();
    };
    let take = || said.lock().expect("alone").taken.push(payload.clone());
    match answer {
        Answer::Ok => {
            if let Some(fault) = fault(&payload) {
                return (StatusCode::BAD_REQUEST, fault).into_response();
            }
            take();
            "ok".into_response()
        }
        Answer::Refuse(status, words) => {
            (StatusCode::from_u16(status).expect("a status"), words).into_response()
        }
        Answer::TooMany(seconds) => {
            let after = HeaderMap::from_iter([(
                axum::http::header::RETRY_AFTER,
                HeaderValue::from(seconds),
            )]);
            (StatusCode::TOO_MANY_REQUESTS, after, "").into_response()
        }
        Answer::TakeSlowly(seconds) => {
            take();
            tokio::time::sleep(Duration::from_secs(seconds)).await;
            "ok".into_response()
        }
        Answer::TakeAndHang | Answer::Hang => {
            if answer == Answer::TakeAndHang {
                take();
            }
            tokio::time::sleep(Duration::from_hours(1)).await;
            StatusCode::OK.into_response()
        }
        Answer::Garbage => {
            (StatusCode::from_u16(599).expect("a status"), vec![0xff_u8; 100_000]).into_response()
        }
    }
}

/// What Slack refuses, in its words: reference/block-kit/blocks, and bolt-js#2509 for the sum.
fn fault(payload: &Value) -> Option<&'static str> {
    let length = |value: &Value| value.as_str().map_or(0, |text| text.chars().count());
    if length(&payload["text"]) == 0 {
        return Some("no_text");
    }
    let blocks = payload["blocks"].as_array()?;
    if blocks.len() > 50 {
        return Some("invalid_blocks");
    }
    let all: usize = blocks.iter().map(|block| block.to_string().chars().count()).sum();
    if all > 13_200 {
        return Some("msg_blocks_too_long");
    }
    let within = |value: &Value, most| (1..=most).contains(&length(value));
    let is_well = blocks.iter().all(|block| match block["type"].as_str() {
        Some("header") => within(&block["text"]["text"], 150),
        Some("section") => match block["fields"].as_array() {
            Some(fields) => {
                fields.len() <= 10 && fields.iter().all(|field| within(&field["text"], 2_000))
            }
            None => within(&block["text"]["text"], 3_000),
        },
        Some("context") => block["elements"].as_array().is_some_and(|all| all.len() <= 10),
        Some("actions") => block["elements"].as_array().is_some_and(|all| {
            all.len() <= 25
                && all
                    .iter()
                    .all(|one| within(&one["text"]["text"], 75) && within(&one["url"], 3_000))
        }),
        _ => false,
    });
    (!is_well).then_some("invalid_blocks")
}
