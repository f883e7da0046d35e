//! Servers that only one test has, since it stops them.

use std::time::Duration;

use dlo_sandbox::{Sandbox, SandboxOptions};
use dlo_server::store;
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;

use crate::support::broker::Vhost;

/// A database, its address, and connections that are waited for so long.
pub async fn own_database(patience: Duration) -> (Sandbox, String, PgPool) {
    let options = SandboxOptions { rabbitmq: false, ..SandboxOptions::default() };
    let sandbox = Sandbox::start_own(options).await.expect("a database");
    let server = sandbox.postgres().expect("a database");
    let url = server.create_database("own").await.expect("created");
    let pool = PgPoolOptions::new()
        .max_connections(12)
        .acquire_timeout(patience)
        .connect_lazy(&url)
        .expect("an address");
    store::migrate(&pool).await.expect("migrated");
    (sandbox, url, pool)
}

/// A broker, and a vhost there.
pub async fn own_broker() -> (Sandbox, Vhost) {
    let options = SandboxOptions { postgres: false, ..SandboxOptions::default() };
    let sandbox = Sandbox::start_own(options).await.expect("a broker");
    let endpoints = sandbox.endpoints();
    let vhost = Vhost::create_at(&endpoints.amqp, &endpoints.management).await;
    (sandbox, vhost)
}
