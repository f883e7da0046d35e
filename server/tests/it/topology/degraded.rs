//! What cannot be known is said, and nothing is forgotten meanwhile.

use std::sync::Arc;

use axum::Router;
use axum::http::{HeaderMap, StatusCode, Uri};
use dlo_domain::topology::{FindingKind, Gap};
use dlo_server::broker::Brokers;
use dlo_server::store::topology as kept;
use dlo_server::topology::{Surveyor, look};
use serde_json::json;
use sqlx::PgPool;
use tokio::net::TcpListener;

use crate::support::topology::{Watcher, dying};

/// What is said of the broker after a look with another management address.
async fn said(watcher: &Watcher, management: Option<&str>) -> Option<String> {
    let amqp = &watcher.vhost.brokers.get("main").expect("main").amqp;
    let surveyor =
        Surveyor { brokers: Arc::new(Brokers::main(amqp, management)), ..watcher.surveyor.clone() };
    watcher.clock.advance(chrono::TimeDelta::minutes(1));
    assert!(look(&surveyor, "main").await.expect("looked"));
    let mut conn = watcher.pool.acquire().await.expect("a connection");
    let mut brokers = kept::brokers(&mut conn).await.expect("read");
    let broker = brokers.remove(0);
    assert_eq!(broker.trouble.is_some(), broker.trouble_since.is_some());
    broker.trouble
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_management_api_that_does_not_answer_is_said_and_what_was_read_stays(pool: PgPool) {
    let watcher = Watcher::start(&pool, "management").await;
    watcher.vhost.queue("work", &dying("fan")).await;
    watcher.finds(&[("exchange_missing", "work")]).await;
    let none = said(&watcher, None).await.expect("a trouble");
    assert!(none.contains("DLO_MANAGEMENT_URL"), "{none}");
    let secret = "http://someone:secret@127.0.0.1:1";
    let away = said(&watcher, Some(secret)).await.expect("a trouble");
    assert!(away.contains("did not answer") && !away.contains("secret"), "{away}");
    assert_eq!(watcher.open().await.len(), 1, "nothing is taken for mended");
    watcher.look().await;
    let mut conn = pool.acquire().await.expect("a connection");
    let broker = kept::brokers(&mut conn).await.expect("read").remove(0);
    assert_eq!((broker.trouble, broker.trouble_since), (None, None));
    watcher.end().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_user_without_rights_is_told_which_ones_it_needs(pool: PgPool) {
    let untagged = Watcher::start(&pool, "").await;
    untagged.look().await;
    let mut conn = pool.acquire().await.expect("a connection");
    let broker = kept::brokers(&mut conn).await.expect("read").remove(0);
    let trouble = broker.trouble.expect("it may see nothing");
    assert!(trouble.contains("`monitoring`"), "{trouble}");
    let wrong = format!("http://{}:wrong@{}", untagged.user, untagged.vhost.management_host());
    let told = said(&untagged, Some(&wrong)).await.expect("a trouble");
    assert!(told.contains("refuses (401)"), "{told}");
    untagged.end().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn policies_that_may_not_be_read_are_a_gap_that_is_said(pool: PgPool) {
    let watcher = Watcher::start(&pool, "management").await;
    let vhost = &watcher.vhost;
    vhost.dead_letter_pair("fan", "dead").await;
    vhost.queue("orders", &[]).await;
    let letters = json!({"dead-letter-exchange": "fan"});
    vhost.policy("letters", "^orders", 1, letters).await;
    let limits = json!({"max-length": 9});
    vhost.policy("limits", "orders$", 5, limits).await;
    let shadowed = [("policy_shadowed", "letters")];
    watcher.finds(&shadowed).await;
    // From now on this user may read all but the policies, and the cause is mended.
    let door = Door::refusing(&watcher, "policies").await;
    vhost.delete_policy("limits").await;
    assert_eq!(said(&watcher, Some(&door.address)).await, None);
    let mut conn = pool.acquire().await.expect("a connection");
    let broker = kept::brokers(&mut conn).await.expect("read").remove(0);
    let seen = &broker.vhosts[0];
    assert_eq!(seen.queues, 2);
    // Queues that are seconds old may have no figures yet.
    let gaps: Vec<Gap> = seen.gaps.iter().copied().filter(|gap| *gap != Gap::Figures).collect();
    assert_eq!(gaps, [Gap::Policies]);
    let said = Gap::Policies.says().to_owned();
    assert!(seen.notes.contains(&said), "{:?}", seen.notes);
    assert!(!FindingKind::PolicyShadowed.can_be_told(&seen.gaps));
    assert_eq!(watcher.open().await, shadowed.map(|(kind, of)| (kind, of.to_owned())));
    door.close();
    watcher.finds(&[]).await;
    watcher.end().await;
}

/// Before the management API: it refuses one path, as a broker does whose user may not read that.
struct Door {
    address: String,
    serving: tokio::task::JoinHandle<()>,
}

impl Door {
    async fn refusing(watcher: &Watcher, path: &'static str) -> Self {
        let known = watcher.surveyor.brokers.get("main").expect("main");
        let behind = known.management.clone().expect("an address");
        let mut address: reqwest::Url = behind.parse().expect("an address");
        let mut behind = address.clone();
        // Whoever asks says who it is.
        behind.set_username("").expect("set");
        behind.set_password(None).expect("set");
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let port = listener.local_addr().expect("bound").port();
        address.set_port(Some(port)).expect("set");
        address.set_host(Some("127.0.0.1")).expect("set");
        let refused = format!("/api/{path}");
        let forward = move |uri: Uri, headers: HeaderMap| {
            let (mut target, refused) = (behind.clone(), refused.clone());
            async move {
                if uri.path().starts_with(&refused) {
                    return (StatusCode::UNAUTHORIZED, Vec::new());
                }
                target.set_path(uri.path());
                target.set_query(uri.query());
                let asked = reqwest::Client::new().get(target);
                let authorization = headers.get("authorization").expect("says who it is");
                let asked = asked.header("authorization", authorization);
                let answer = asked.send().await.expect("answers");
                let status = answer.status();
                (status, answer.bytes().await.expect("a body").to_vec())
            }
        };
        let router = Router::new().fallback(forward);
        #[expect(clippy::disallowed_methods, reason = "the test owns the task and ends it")]
        let serving = tokio::spawn(async move {
            axum::serve(listener, router).await.expect("served");
        });
        Self { address: address.to_string().trim_end_matches('/').to_owned(), serving }
    }

    fn close(self) {
        self.serving.abort();
    }
}
