//! What is logged says what it belongs to: queries to the request that asked them, publishes to their replay.

use std::io;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use sqlx::PgPool;
use tracing::subscriber::DefaultGuard;

use crate::support::desk::at_work;
use crate::support::front::Counter;

/// What is logged on this thread.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    /// Begins to log as an office does that is to tell its queries.
    fn begin() -> (Self, DefaultGuard) {
        let log = Self::default();
        let writer = log.clone();
        let subscriber = tracing_subscriber::fmt()
            .json()
            .with_env_filter("info,sqlx=debug,dlo_server=debug,lapin=off")
            .with_writer(move || writer.clone())
            .finish();
        (log, tracing::subscriber::set_default(subscriber))
    }

    /// The spans around each line of this target, the outermost first.
    fn spans(&self, target: &str) -> Vec<Vec<Value>> {
        let text = String::from_utf8(self.0.lock().expect("alone").clone()).expect("text");
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        let of_target = lines.filter(|line| line["target"] == target);
        of_target.map(|line| line["spans"].as_array().cloned().unwrap_or_default()).collect()
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("alone").extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_query_belongs_to_the_request_that_asked_it(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    for (path, route) in [
        ("/api/v1/letters", "/api/v1/letters"),
        // A document, and a page whose parts are asked for by tasks of their own.
        ("/alerts/rules", "/alerts/rules"),
        ("/", "/"),
    ] {
        let (log, guard) = Log::begin();
        let answer = counter.get(path).await;
        let id = answer.headers()["x-request-id"].to_str().expect("text").to_owned();
        assert_eq!(answer.status(), 200, "{path}");
        answer.text().await.expect("a body");
        drop(guard);
        let queries = log.spans("sqlx::query");
        assert!(!queries.is_empty(), "{path}");
        for spans in queries {
            let request = spans.first().unwrap_or(&Value::Null);
            assert_eq!(request["name"], "request", "{path}");
            assert_eq!(
                (&request["route"], &request["id"]),
                (&route.into(), &(*id).into()),
                "{path}"
            );
        }
    }
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_publish_belongs_to_its_replay(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let letters = bench.letters(3).await;
    let engine = bench.engine().await;
    let (log, guard) = Log::begin();
    let replay = bench.replay_home(&letters).await;
    bench.finished(replay).await;
    engine.stop().await;
    drop(guard);
    let publishes = log.spans("dlo_server::broker::publisher");
    assert!(!publishes.is_empty());
    let mut messages = 0;
    for spans in publishes {
        let [of_replay, publish] = &spans[..] else { panic!("{spans:?}") };
        assert_eq!(of_replay["name"], "replay");
        assert_eq!(of_replay["id"], replay.to_string());
        assert_eq!(publish["name"], "publish");
        messages += publish["messages"].as_u64().expect("a number");
    }
    assert_eq!(messages, 3);
    vhost.delete().await;
}
