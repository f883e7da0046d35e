//! The one owner of tasks. Nothing runs outside it: every task is waited for, a task that ends by
//! itself, fails or panics stops the whole process with a failing exit code, and the process ends
//! within a limit whatever hangs.
//!
//! The first signal is soft: consumers and work in hand finish, then what serves HTTP, then the
//! caller closes the pool. The second signal, or too long a wait, is hard: tasks are cut off.

use std::fmt::Display;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::process::ExitCode;
use std::time::Duration;

use futures_util::{FutureExt as _, Stream, StreamExt as _};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How long a soft end may take.
pub const SOFT_LIMIT: Duration = Duration::from_secs(20);

/// How long tasks that were cut off may take to let go.
const HARD_LIMIT: Duration = Duration::from_secs(2);

/// Tasks that end together.
#[derive(Debug, Clone, Default)]
struct Stage {
    tasks: TaskTracker,
    soft: CancellationToken,
}

/// Spawns tasks; cheap to clone, so that a task can spawn others.
#[derive(Debug, Clone)]
pub struct Lifecycle {
    work: Stage,
    front: Stage,
    hard: CancellationToken,
    broken: mpsc::UnboundedSender<String>,
}

/// Waits for the end. There is one for each lifecycle.
#[derive(Debug)]
pub struct Ending {
    lifecycle: Lifecycle,
    broken: mpsc::UnboundedReceiver<String>,
    soft_limit: Duration,
}

/// A lifecycle, and what waits for its end.
#[must_use]
pub fn begin(soft_limit: Duration) -> (Lifecycle, Ending) {
    let (tell, broken) = mpsc::unbounded_channel();
    let lifecycle = Lifecycle {
        work: Stage::default(),
        front: Stage::default(),
        hard: CancellationToken::new(),
        broken: tell,
    };
    let ending = Ending { lifecycle: lifecycle.clone(), broken, soft_limit };
    (lifecycle, ending)
}

impl Lifecycle {
    /// Runs a service until its token is cancelled. It must not end before.
    pub fn spawn<F, E>(&self, name: impl Into<String>, service: impl FnOnce(CancellationToken) -> F)
    where
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: Display,
    {
        self.spawn_in(&self.work, name, service);
    }

    /// Runs a service that is stopped when all others have ended: what shows and tells.
    pub fn spawn_front<F, E>(
        &self,
        name: impl Into<String>,
        service: impl FnOnce(CancellationToken) -> F,
    ) where
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: Display,
    {
        self.spawn_in(&self.front, name, service);
    }

    fn spawn_in<F, E>(
        &self,
        stage: &Stage,
        name: impl Into<String>,
        service: impl FnOnce(CancellationToken) -> F,
    ) where
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: Display,
    {
        let name = name.into();
        let soft = stage.soft.clone();
        let hard = self.hard.clone();
        let broken = self.broken.clone();
        let service = AssertUnwindSafe(service(soft.child_token())).catch_unwind();
        stage.tasks.spawn(async move {
            let ended = tokio::select! {
                () = hard.cancelled() => return,
                ended = service => ended,
            };
            let why = match ended {
                Ok(Ok(())) if soft.is_cancelled() => return,
                Ok(Ok(())) => format!("{name} ended by itself"),
                Ok(Err(why)) => format!("{name} failed: {why}"),
                Err(_) => format!("{name} panicked"),
            };
            // Whoever waits for the end may be gone already.
            let _ = broken.send(why);
        });
    }
}

impl Ending {
    /// Waits for a signal or a broken task, then ends everything in order. Says whether all
    /// went well.
    pub async fn wait(mut self, signals: impl Stream<Item = ()> + Unpin) -> Outcome {
        let mut signals = signals.fuse();
        let mut outcome = Outcome::Done;
        tokio::select! {
            _ = signals.next() => tracing::info!("ending; once more to end at once"),
            why = self.broken.recv() => outcome = failed(why),
        }
        let soft = tokio::select! {
            () = self.lifecycle.end_softly() => true,
            () = tokio::time::sleep(self.soft_limit) => {
                tracing::warn!(limit = ?self.soft_limit, "not everything ended in time: cutting off");
                false
            }
            Some(()) = signals.next() => {
                tracing::warn!("ending at once");
                false
            }
        };
        if !soft {
            outcome = Outcome::Failed;
            self.lifecycle.end_hard().await;
        }
        while let Ok(why) = self.broken.try_recv() {
            outcome = failed(Some(why));
        }
        outcome
    }
}

fn failed(why: Option<String>) -> Outcome {
    let why = why.unwrap_or_default();
    tracing::error!("{why}; ending, with what is in hand given back");
    Outcome::Failed
}

impl Lifecycle {
    async fn end_softly(&self) {
        for stage in [&self.work, &self.front] {
            stage.soft.cancel();
            stage.tasks.close();
            stage.tasks.wait().await;
        }
    }

    async fn end_hard(&self) {
        self.hard.cancel();
        for stage in [&self.work, &self.front] {
            stage.soft.cancel();
            stage.tasks.close();
            // A task that blocks its thread cannot be cut off; the process ends all the same.
            let _ = tokio::time::timeout(HARD_LIMIT, stage.tasks.wait()).await;
        }
    }
}

/// How it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// As asked.
    Done,
    /// A task broke, or had to be cut off.
    Failed,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Done => Self::SUCCESS,
            Outcome::Failed => Self::FAILURE,
        }
    }
}

/// SIGTERM and SIGINT, as they come.
///
/// # Errors
/// When the system does not allow to listen for them.
pub fn signals() -> std::io::Result<impl Stream<Item = ()> + Unpin> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let terminate = futures_util::stream::poll_fn(move |context| terminate.poll_recv(context));
    let interrupt = futures_util::stream::poll_fn(move |context| interrupt.poll_recv(context));
    Ok(futures_util::stream::select(terminate, interrupt))
}

#[cfg(test)]
mod tests;
