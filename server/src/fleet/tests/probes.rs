//! Workers' own addresses, asked.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use axum::routing::get;
use dlo_domain::worker::{Heartbeat, Probe};
use sqlx::PgPool;
use tokio::net::TcpListener;

use super::workforce::Workforce;
use crate::fleet::Prober;
use crate::outbound::{Allowed, Outbound};

impl Workforce {
    pub(super) fn probing(&self, allowed: &[&str]) -> Prober {
        let networks = allowed.iter().map(|text| text.parse().expect("a network"));
        let allowed = Allowed(networks.collect());
        Prober {
            pool: self.pool.clone(),
            clock: self.clock.clone(),
            outbound: Outbound::new((allowed, crate::fleet::PROBE_ALLOW), Duration::from_mins(1))
                .expect("a client"),
        }
    }

    pub(super) async fn beat_with(&self, name: &str, url: String) {
        let beat = Heartbeat { probe_url: Some(url), ..Heartbeat::default() };
        self.beat(name, beat).await;
    }

    async fn probe(&self, name: &str) -> Probe {
        self.report(name).await.worker.probe.expect("an address")
    }
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn workers_are_probed_each_30_seconds_while_they_are_not_stale(pool: PgPool) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("bound"));
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = asked.clone();
    let well = move || {
        counted.fetch_add(1, Ordering::SeqCst);
        async { "well" }
    };
    let ill = || async { StatusCode::SERVICE_UNAVAILABLE };
    let app = Router::new().route("/well", get(well)).route("/ill", get(ill));
    let serving = async move { axum::serve(listener, app).await };
    let probing = async {
        let mut force = Workforce::open(&pool).await;
        let prober = force.probing(&["127.0.0.0/8"]);
        force.beat_with("well", format!("{address}/well")).await;
        force.beat_with("ill", format!("{address}/ill")).await;
        force.beat_with("nobody", "http://127.0.0.1:1/".to_owned()).await;
        for _ in 0..3 {
            prober.round().await.expect("probed");
        }
        assert_eq!(asked.load(Ordering::SeqCst), 1, "once in 30 s");
        let well = force.probe("well").await;
        assert_eq!((well.status, well.fault), (Some(200), None));
        let ill = force.probe("ill").await;
        assert_eq!(ill.status, Some(503));
        assert!(ill.fault.is_some_and(|why| why.contains("not say")));
        let nobody = force.probe("nobody").await;
        assert_eq!(nobody.status, None);
        assert!(nobody.fault.is_some_and(|why| why.contains("no answer")));
        force.pass(30).await;
        prober.round().await.expect("probed");
        assert_eq!(asked.load(Ordering::SeqCst), 2);
        force.pass(31).await;
        prober.round().await.expect("probed");
        assert_eq!(asked.load(Ordering::SeqCst), 2, "it is stale by now");
    };
    tokio::select! {
        _ = serving => panic!("it serves until the end"),
        () = probing => {}
    }
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn an_address_of_our_own_network_is_not_asked_unless_it_is_allowed(pool: PgPool) {
    let force = Workforce::open(&pool).await;
    let prober = force.probing(&[]);
    force.beat_with("a", "http://169.254.169.254/latest/meta-data".to_owned()).await;
    prober.round().await.expect("probed");
    let probe = force.probe("a").await;
    assert_eq!(probe.status, None);
    let why = probe.fault.expect("a fault");
    assert!(why.contains("DLO_FLEET_PROBE_ALLOW"), "{why}");
}
