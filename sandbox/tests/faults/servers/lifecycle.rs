//! Starting, stopping, being killed, starting again.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use dlo_sandbox::{Endpoints, Sandbox, SandboxError, SandboxOptions};

use super::leftovers::{Belongings, assert_idle};
use super::traffic::{ask, directory_of, management_user, publish, take};

/// Set for the copy of this test that is to be killed.
const TO_BE_KILLED: &str = "DLO_SANDBOX_TEST_TO_BE_KILLED";
const READY: &str = "ready: ";

#[tokio::test]
async fn both_servers_answer_and_stopping_leaves_nothing_behind() {
    let sandbox = Sandbox::start_own(SandboxOptions::default()).await.unwrap();
    let endpoints = sandbox.endpoints().clone();
    assert_eq!(ask(&endpoints.database, "SELECT current_database()::text").await.unwrap(), "dlo");
    assert_eq!(ask(&endpoints.database, "SHOW fsync").await.unwrap(), "on");
    let other = sandbox.postgres().unwrap().create_database("other \"one\"").await;
    assert!(other.is_ok(), "{other:?}");
    let twice = sandbox.postgres().unwrap().create_database("dlo").await.unwrap_err();
    assert!(twice.to_string().contains("already exists"), "{twice}");
    publish(&endpoints.amqp, b"first").await.unwrap();
    assert_eq!(take(&endpoints.amqp).await.unwrap().unwrap(), b"first");
    assert_eq!(management_user(&endpoints.management).await, "guest");

    let belongings = Belongings::of(&endpoints, &directory_of(&endpoints.database).await);
    assert!(belongings.remaining().len() > 5, "{:?}", belongings.remaining());
    sandbox.stop().await.unwrap();
    belongings.assert_gone_within(Duration::from_secs(5)).await;
}

#[tokio::test]
async fn dropping_a_sandbox_ends_it_as_well() {
    let options = SandboxOptions { rabbitmq: false, ..SandboxOptions::default() };
    let sandbox = Sandbox::start_own(options).await.unwrap();
    let database = sandbox.endpoints().database.clone();
    let directory = directory_of(&database).await;
    drop(sandbox);
    let belongings = Belongings { directory, ports: Vec::new() };
    belongings.assert_gone_within(Duration::from_secs(30)).await;
    assert!(ask(&database, "SELECT ''").await.is_err());
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "tells the copy of this test from this test")]
async fn killing_the_process_leaves_nothing_behind() {
    if std::env::var_os(TO_BE_KILLED).is_some() {
        return wait_to_be_killed().await;
    }
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "servers::lifecycle::killing_the_process_leaves_nothing_behind",
            "--nocapture",
        ])
        .env(TO_BE_KILLED, "1")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let ready = tokio::task::spawn_blocking(|| {
        let mut lines = output.lines().map_while(Result::ok);
        lines.find_map(|line| Some(line.split_once(READY)?.1.to_owned()))
    });
    let ready = ready.await.unwrap().expect("the child told its addresses");
    let (endpoints, directory): (Endpoints, String) = serde_json::from_str(&ready).unwrap();
    let belongings = Belongings::of(&endpoints, directory.as_ref());
    assert!(belongings.remaining().len() > 5, "{:?}", belongings.remaining());

    child.kill().unwrap();
    child.wait().unwrap();
    belongings.assert_gone_within(Duration::from_mins(1)).await;
}

/// Also leaves Postgres paused: a stopped process does not act on a mere request to end.
async fn wait_to_be_killed() {
    let sandbox = Sandbox::start_own(SandboxOptions::default()).await.unwrap();
    let endpoints = sandbox.endpoints();
    let directory = directory_of(&endpoints.database).await;
    sandbox.postgres().unwrap().pause().await.unwrap();
    println!("{READY}{}", serde_json::to_string(&(endpoints, directory)).unwrap());
    std::future::pending::<()>().await;
}

#[tokio::test]
async fn a_kept_directory_is_used_again() {
    let directory = std::env::temp_dir().join(format!("dlo-kept-{}", uuid::Uuid::new_v4()));
    let options = SandboxOptions { data_dir: Some(directory.clone()), ..SandboxOptions::default() };

    let sandbox = Sandbox::start_own(options.clone()).await.unwrap();
    let endpoints = sandbox.endpoints().clone();
    ask(&endpoints.database, "CREATE TABLE kept AS SELECT 'a row' AS what").await.unwrap_err();
    publish(&endpoints.amqp, b"kept").await.unwrap();
    sandbox.stop().await.unwrap();
    assert_idle(&directory).await;

    let sandbox = Sandbox::start_own(options).await.unwrap();
    let endpoints = sandbox.endpoints().clone();
    assert_eq!(ask(&endpoints.database, "SELECT what FROM kept").await.unwrap(), "a row");
    assert_eq!(take(&endpoints.amqp).await.unwrap().unwrap(), b"kept");
    sandbox.stop().await.unwrap();
    assert_idle(&directory).await;
    fs::remove_dir_all(&directory).unwrap();
}

#[tokio::test]
async fn a_start_that_fails_says_why_and_ends_what_was_started() {
    let directory = std::env::temp_dir().join(format!("dlo-broken-{}", uuid::Uuid::new_v4()));
    fs::create_dir_all(directory.join("postgres/cluster")).unwrap();
    let options = SandboxOptions { data_dir: Some(directory.clone()), ..SandboxOptions::default() };

    let error = Sandbox::start_own(options).await.unwrap_err();
    assert!(matches!(error, SandboxError::Ended { server: "PostgreSQL", .. }), "{error}");
    let log = directory.join("postgres/server.log").display().to_string();
    assert!(error.to_string().contains(&log), "{error}");
    assert!(error.to_string().contains("postgresql.conf"), "{error}");
    assert_idle(&directory).await;
    fs::remove_dir_all(&directory).unwrap();
}
