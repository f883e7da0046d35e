//! The faults that tests ask for: killed, stopped, paused, and back with everything kept.

use std::net::TcpListener;
use std::time::Duration;

use dlo_sandbox::{Sandbox, SandboxError, SandboxOptions};
use tokio::time::timeout;

use super::leftovers::port_of;
use super::traffic::{ask, publish, take};

/// Longer than a server on a busy machine takes to answer a small question.
const SILENCE: Duration = Duration::from_secs(3);

#[tokio::test]
async fn postgres_comes_back_with_its_port_and_data() {
    let options = SandboxOptions { rabbitmq: false, ..SandboxOptions::default() };
    let sandbox = Sandbox::start_own(options).await.unwrap();
    let database = sandbox.endpoints().database.clone();
    let server = sandbox.postgres().unwrap();
    let running = server.start_again().await.unwrap_err();
    assert!(matches!(running, SandboxError::AlreadyRunning { .. }), "{running}");

    server.create_database("before_the_kill").await.unwrap();
    server.kill().await.unwrap();
    assert!(ask(&database, "SELECT ''").await.is_err());
    let paused = server.pause().await.unwrap_err();
    assert!(matches!(paused, SandboxError::NotRunning { .. }), "{paused}");
    let stranger = TcpListener::bind(("127.0.0.1", port_of(&database))).unwrap();
    let taken = server.start_again().await.unwrap_err();
    assert!(matches!(taken, SandboxError::PortTaken { .. }), "{taken}");
    drop(stranger);
    server.start_again().await.unwrap();
    assert_eq!(ask(&server.url("before_the_kill"), "SELECT 'here'").await.unwrap(), "here");

    server.stop_immediately().await.unwrap();
    assert!(ask(&database, "SELECT ''").await.is_err());
    server.start_again().await.unwrap();
    assert_eq!(ask(&database, "SELECT 'here'").await.unwrap(), "here");

    server.pause().await.unwrap();
    let silence = timeout(SILENCE, ask(&database, "SELECT 'here'")).await;
    assert!(silence.is_err(), "{silence:?}");
    server.resume().await.unwrap();
    assert_eq!(ask(&database, "SELECT 'here'").await.unwrap(), "here");

    assert_eq!(sandbox.endpoints().amqp, "");
    assert!(sandbox.rabbitmq().is_none());
    sandbox.stop().await.unwrap();
}

#[tokio::test]
async fn rabbitmq_comes_back_with_its_port_and_data() {
    let options = SandboxOptions { postgres: false, ..SandboxOptions::default() };
    let sandbox = Sandbox::start_own(options).await.unwrap();
    let amqp = sandbox.endpoints().amqp.clone();
    let server = sandbox.rabbitmq().unwrap();

    // In order first: Mnesia keeps a new queue in its memory for a while, so that a kill right
    // after the declaration can lose the queue itself. An orderly stop writes it down.
    publish(&amqp, b"confirmed before the stop").await.unwrap();
    server.stop_immediately().await.unwrap();
    assert!(take(&amqp).await.is_err());
    server.start_again().await.unwrap();
    assert_eq!(take(&amqp).await.unwrap().unwrap(), b"confirmed before the stop");

    publish(&amqp, b"confirmed before the kill").await.unwrap();
    server.kill().await.unwrap();
    assert!(take(&amqp).await.is_err());
    let stranger = TcpListener::bind(("127.0.0.1", port_of(&amqp))).unwrap();
    let taken = server.start_again().await.unwrap_err();
    assert!(matches!(taken, SandboxError::PortTaken { .. }), "{taken}");
    drop(stranger);
    server.start_again().await.unwrap();
    assert_eq!(take(&amqp).await.unwrap().unwrap(), b"confirmed before the kill");

    server.pause().await.unwrap();
    let silence = timeout(SILENCE, take(&amqp)).await;
    assert!(silence.is_err(), "{silence:?}");
    server.resume().await.unwrap();
    publish(&amqp, b"after the pause").await.unwrap();
    assert_eq!(take(&amqp).await.unwrap().unwrap(), b"after the pause");
    sandbox.stop().await.unwrap();
}
