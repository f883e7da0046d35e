//! The demo's stand-in for Slack: takes what is posted to an incoming webhook, and shows it as Slack would.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse};
use axum::routing::{get, post};
use axum::{Json, Router};
use chrono::{DateTime, Utc};
use dlo_app::PostedMessage;
use dlo_domain::channel::{ChannelKind, NewChannel, Route};
use dlo_domain::ids::ChannelId;
use dlo_domain::severity::Severity;
use leptos::prelude::*;
use serde_json::Value;
use sqlx::PgConnection;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::clock::{Clock as _, SystemClock, new_id};
use crate::store::{StoreError, channels};

/// Messages that are shown; older ones are forgotten.
const MOST_SHOWN: usize = 50;

/// What the demo's channel is called.
const CHANNEL: &str = "#dead-letters";

/// The path of the webhook: shaped like Slack's.
const WEBHOOK: &str = "/services/T0DEMO/B0DEMO/demo";

const STYLE: &str = concat!(
    include_str!("../../../../style/tokens.css"),
    include_str!("../../../../style/base.css"),
    include_str!("../../../../style/components/controls.css"),
    include_str!("../../../../style/components/posted-message.css"),
    "body { max-inline-size: 44rem; margin-inline: auto; padding: 1.5rem; display: grid; gap: 1rem; }",
);

/// What was posted, the newest first.
type Posted = Arc<Mutex<Vec<(DateTime<Utc>, Value)>>>;

/// A stand-in that has its address, and is to be served.
#[derive(Debug)]
pub(super) struct StandIn {
    listener: TcpListener,
    address: SocketAddr,
}

impl StandIn {
    /// One at a free port of this machine.
    ///
    /// # Errors
    /// When there is none.
    pub(super) async fn bind() -> std::io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }

    /// Where its messages are shown.
    pub(super) fn page(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Has alerts of this office posted here, and nowhere else than before.
    ///
    /// # Errors
    /// When Postgres does not do it.
    pub(super) async fn join(&self, conn: &mut PgConnection) -> Result<(), StoreError> {
        let channel = NewChannel {
            name: CHANNEL.to_owned(),
            kind: ChannelKind::Slack,
            address: Some(format!("http://{}{WEBHOOK}", self.address)),
            secret: None,
            route: Route {
                severities: vec![Severity::Critical, Severity::High, Severity::Normal],
                ..Route::default()
            },
            enabled: true,
        };
        let address = channel.address.as_deref().unwrap_or_default();
        let by = ("the demo", SystemClock.now());
        let id = ChannelId(new_id(&SystemClock));
        if channels::insert(conn, id, (&channel, address), by).await? {
            return Ok(());
        }
        // A demo that kept its data has one, of an address that is gone.
        let kept = channels::all(conn).await?.into_iter().find(|kept| kept.name == CHANNEL);
        if let Some(kept) = kept {
            channels::change(conn, kept.id, &channel, by).await?;
        }
        Ok(())
    }

    /// Serves until it is to stop.
    ///
    /// # Errors
    /// When the listener fails.
    pub(super) async fn serve(self, stop: CancellationToken) -> std::io::Result<()> {
        let router = Router::new()
            .route("/", get(shown))
            .route("/style.css", get(|| async { ([(header::CONTENT_TYPE, "text/css")], STYLE) }))
            .route(WEBHOOK, post(taken))
            .with_state(Posted::default());
        axum::serve(self.listener, router).with_graceful_shutdown(stop.cancelled_owned()).await
    }
}

async fn taken(State(posted): State<Posted>, Json(payload): Json<Value>) -> impl IntoResponse {
    let mut posted = posted.lock().unwrap_or_else(PoisonError::into_inner);
    posted.insert(0, (SystemClock.now(), payload));
    posted.truncate(MOST_SHOWN);
    (StatusCode::OK, "ok")
}

async fn shown(State(posted): State<Posted>) -> Html<String> {
    let posted = posted.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let none = posted.is_empty().then(|| {
        view! { <p>"Nothing was posted yet. The first alert comes within a minute."</p> }
    });
    let messages = posted.into_iter().map(|(at, payload)| {
        view! {
            <section>
                <p>
                    <b>"Dead Letter Office"</b>
                    " "
                    {at.format("%H:%M:%S UTC").to_string()}
                </p>
                <PostedMessage kind=ChannelKind::Slack payload />
            </section>
        }
    });
    let messages = messages.collect_view();
    let page = view! {
        <html lang="en">
            <head>
                <meta charset="utf-8" />
                <meta name="viewport" content="width=device-width, initial-scale=1" />
                <meta http-equiv="refresh" content="2" />
                <title>"What Slack would show"</title>
                <link rel="icon" href="data:," />
                <link rel="stylesheet" href="/style.css" />
            </head>
            <body>
                <h1>"#dead-letters, as Slack would show it"</h1>
                {none}
                {messages}
            </body>
        </html>
    };
    Html(format!("<!DOCTYPE html>{}", page.to_html()))
}
