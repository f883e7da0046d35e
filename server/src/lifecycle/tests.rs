//! Every way to end.

use std::sync::{Arc, Mutex};

use futures_util::stream;

use super::*;

type Log = Arc<Mutex<Vec<&'static str>>>;

fn note(log: &Log, what: &'static str) {
    log.lock().expect("not poisoned").push(what);
}

fn one_signal() -> impl Stream<Item = ()> + Unpin {
    stream::iter([()]).chain(stream::pending())
}

async fn until_stopped(stop: CancellationToken) -> Result<(), String> {
    stop.cancelled().await;
    Ok(())
}

#[tokio::test]
async fn a_signal_ends_work_first_and_the_front_after_it() {
    let (lifecycle, ending) = begin(SOFT_LIMIT);
    let log = Log::default();
    let (of_front, of_work) = (log.clone(), log.clone());
    lifecycle.spawn_front("front", |stop| async move {
        stop.cancelled().await;
        note(&of_front, "front");
        Ok::<_, String>(())
    });
    lifecycle.spawn("work", |stop| async move {
        stop.cancelled().await;
        tokio::task::yield_now().await;
        note(&of_work, "work");
        Ok::<_, String>(())
    });
    assert_eq!(ending.wait(one_signal()).await, Outcome::Done);
    assert_eq!(*log.lock().expect("not poisoned"), ["work", "front"]);
}

#[tokio::test]
async fn a_task_that_fails_stops_the_others_and_fails_the_process() {
    let (lifecycle, ending) = begin(SOFT_LIMIT);
    lifecycle.spawn("well", until_stopped);
    lifecycle.spawn("ill", |_| async { Err("no luck") });
    assert_eq!(ending.wait(stream::pending()).await, Outcome::Failed);
}

#[tokio::test]
async fn a_task_that_panics_or_ends_by_itself_fails_the_process() {
    let (lifecycle, ending) = begin(SOFT_LIMIT);
    lifecycle.spawn("panics", |_| async {
        assert!(std::hint::black_box(false), "on purpose");
        Ok::<_, String>(())
    });
    assert_eq!(ending.wait(stream::pending()).await, Outcome::Failed);

    let (lifecycle, ending) = begin(SOFT_LIMIT);
    lifecycle.spawn("too early", |_| async { Ok::<_, String>(()) });
    assert_eq!(ending.wait(stream::pending()).await, Outcome::Failed);
}

#[tokio::test]
async fn what_does_not_end_in_time_is_cut_off() {
    let (lifecycle, ending) = begin(Duration::from_millis(50));
    lifecycle.spawn("deaf", |_| std::future::pending::<Result<(), String>>());
    assert_eq!(ending.wait(one_signal()).await, Outcome::Failed);
}

#[tokio::test]
async fn a_second_signal_ends_at_once() {
    let (lifecycle, ending) = begin(Duration::MAX);
    lifecycle.spawn("deaf", |_| std::future::pending::<Result<(), String>>());
    let two = stream::iter([(), ()]).chain(stream::pending());
    assert_eq!(ending.wait(two).await, Outcome::Failed);
}

#[tokio::test]
async fn a_task_that_fails_while_ending_is_noticed() {
    let (lifecycle, ending) = begin(SOFT_LIMIT);
    lifecycle.spawn("last words", |stop| async move {
        stop.cancelled().await;
        Err("could not give back")
    });
    assert_eq!(ending.wait(one_signal()).await, Outcome::Failed);
}

#[tokio::test]
async fn a_task_can_spawn_others() {
    let (lifecycle, ending) = begin(SOFT_LIMIT);
    let log = Log::default();
    let (inner, of_inner) = (lifecycle.clone(), log.clone());
    let (started, has_started) = tokio::sync::oneshot::channel();
    lifecycle.spawn("outer", |stop| async move {
        inner.spawn("inner", |stop| async move {
            let _ = started.send(());
            stop.cancelled().await;
            note(&of_inner, "inner");
            Ok::<_, String>(())
        });
        until_stopped(stop).await
    });
    has_started.await.expect("starts");
    assert_eq!(ending.wait(one_signal()).await, Outcome::Done);
    assert_eq!(*log.lock().expect("not poisoned"), ["inner"]);
}
