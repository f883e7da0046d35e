//! Changing bodies with jq, in a process of its own.
//!
//! A program that loops for ever, fills the memory or nests without end can only be stopped from
//! outside: so it never runs within the office. The office starts itself anew as a *worker*
//! (`worker.rs`) without environment, with a limit on its memory and a watch on its time, hands it
//! one body after the other and ends it when it does not answer. Nothing here touches the database.

pub mod diff;
mod frames;
pub mod offload;
mod process;
mod program;
mod rewriting;
mod slots;
mod strict;
pub mod worker;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use dlo_domain::decoding::MessageTypes;
use tokio::time::{Instant, timeout_at};

use process::{NoAnswer, Worker};
use rewriting::Part;
pub use rewriting::Unchanged;
use slots::{Slot, Slots};
pub use strict::check as check_json;

use crate::config::Patience;

/// The largest body that is changed, in bytes, unpacked and as it is made.
pub const MOST_UNPACKED_BYTES: usize = 16 * 1024 * 1024;

/// The longest program that is taken, in bytes.
pub const MOST_PROGRAM_BYTES: usize = 16 * 1024;

/// Letters on which the program may go beyond its limits; then the others are not tried.
const MOST_OVERRUNS: u32 = 5;

/// A limit in words.
pub(crate) fn size_in_words(bytes: usize) -> String {
    match bytes / 1024 {
        kib if kib >= 1024 && kib % 1024 == 0 => format!("{} MiB", kib / 1024),
        kib => format!("{kib} KiB"),
    }
}

/// What is said of a body that is too large.
fn too_large() -> String {
    format!("its body has more than {}", size_in_words(MOST_UNPACKED_BYTES))
}

/// Starts workers.
#[derive(Debug, Clone)]
pub struct Transformer {
    program: PathBuf,
    slots: Slots,
    turn: Duration,
    /// All letters of one action together. A worker ends itself when one takes more processor time than it may.
    within: Duration,
}

/// Why a program cannot be carried out at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TransformError {
    /// The program cannot be read.
    #[error("the jq program cannot be read: {why}")]
    Fault {
        /// What is wrong.
        why: String,
        /// Where it begins, in characters from 0.
        position: usize,
        /// How many characters it has.
        length: usize,
    },
    /// It is too long.
    #[error("the jq program has {0} bytes; at most {MOST_PROGRAM_BYTES} are taken")]
    TooLong(usize),
    /// All letters together took too long.
    #[error(
        "the jq program took more than {:?} for all letters, and nothing was changed: choose \
         fewer letters, or a simpler program", .0
    )]
    OutOfTime(Duration),
    /// What it makes of letters is too much together.
    #[error(
        "the changed bodies have more than {} together, and nothing was changed: choose fewer letters",
        size_in_words(*.0)
    )]
    TooMuch(usize),
    /// Others are carried out, and more wait than may.
    #[error(
        "too many jq programs are under way, so this one was not tried and nothing was changed: \
         try again in some seconds"
    )]
    Busy,
    /// No worker could be started.
    #[error("the process that carries out jq programs could not be started: {0}")]
    NoWorker(String),
}

/// What the program made of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Made {
    /// The value is as it was: the bytes stay.
    Same,
    /// Another body, in the format of the one before and packed as it was.
    Changed(Vec<u8>),
    /// None, and why.
    Failed(String),
}

impl Transformer {
    /// Workers are started from this program, which must be a `dlo`.
    #[must_use]
    pub fn new(program: PathBuf) -> Self {
        let Patience { turn, transform, .. } = Patience::default();
        Self { program, slots: Slots::default(), turn, within: transform }
    }

    /// The same where a program waits so long for others, and may take so long.
    #[must_use]
    pub fn with_patience(mut self, patience: &Patience) -> Self {
        self.turn = patience.turn;
        self.within = patience.transform;
        self
    }

    /// Workers are started from the program that runs, even after its file was replaced.
    #[must_use]
    pub fn own() -> Self {
        Self::new(PathBuf::from("/proc/self/exe"))
    }

    /// Reads a program, and makes a worker ready for it. Waits while others are carried out: so nothing that
    /// others need is to be held meanwhile, and what is returned is to be dropped as soon as it is done.
    ///
    /// # Errors
    /// Returns an error if the program cannot be read, too many wait, or no worker can be started.
    pub async fn begin(&self, jq: &str) -> Result<Transforming, TransformError> {
        if jq.len() > MOST_PROGRAM_BYTES {
            return Err(TransformError::TooLong(jq.len()));
        }
        let slot = self.slots.take(self.turn).await.map_err(|_| TransformError::Busy)?;
        Ok(Transforming {
            worker: Some(Worker::start(&self.program, self.within, jq).await?),
            transformer: self.clone(),
            jq: jq.to_owned(),
            until: Instant::now() + self.within,
            overruns: 0,
            _slot: slot,
        })
    }
}

/// A program under way: letters after letters.
#[derive(Debug)]
pub struct Transforming {
    transformer: Transformer,
    jq: String,
    worker: Option<Worker>,
    until: Instant,
    overruns: u32,
    _slot: Slot,
}

impl Transforming {
    /// Asks the program of the values of bodies; the answers come in the same order. Those that are other bodies may have
    /// `most` bytes together. Messages are read by these types.
    ///
    /// # Errors
    /// Returns an error if no worker can be started, or if all together take too long or are too much.
    pub async fn change(
        &mut self,
        bodies: Vec<Unchanged>,
        types: &Arc<MessageTypes>,
        most: usize,
    ) -> Result<Vec<Made>, TransformError> {
        let bodies = Arc::new(bodies);
        let mut made = Vec::with_capacity(bodies.len());
        let mut left = most;
        while made.len() < bodies.len() {
            let part = Part { bodies: bodies.clone(), from: made.len(), types: types.clone() };
            let read = self.off_thread(part.clone(), Part::read).await?;
            let texts: Vec<&str> = read.iter().filter_map(|text| text.as_deref().ok()).collect();
            let answers = self.ask(&texts, left).await?;
            let write = move |part: &Part| part.write(read, answers);
            let of_part = self.off_thread(part, write).await?;
            for one in &of_part {
                if let Made::Changed(body) = one {
                    let too_much = TransformError::TooMuch(most);
                    left = left.checked_sub(body.len()).ok_or(too_much)?;
                }
            }
            made.extend(of_part);
        }
        Ok(made)
    }

    /// Asks the program of texts of JSON; those that become others may have `most` bytes together.
    async fn ask(&mut self, texts: &[&str], most: usize) -> Result<Vec<Made>, TransformError> {
        let mut made = Vec::with_capacity(texts.len());
        let mut left = most;
        while made.len() < texts.len() {
            if self.overruns >= MOST_OVERRUNS {
                made.push(Made::Failed(format!(
                    "it was not tried: the jq program went beyond its limits for {MOST_OVERRUNS} \
                     letters before"
                )));
                continue;
            }
            let mut worker = if let Some(worker) = self.worker.take() {
                worker
            } else {
                let Transformer { program, within, .. } = &self.transformer;
                Worker::start(program, *within, &self.jq).await?
            };
            let asked =
                timeout_at(self.until, worker.ask(&texts[made.len()..], &mut made, &mut left));
            match asked.await {
                Err(_) => return Err(TransformError::OutOfTime(self.transformer.within)),
                Ok(Ok(())) => self.worker = Some(worker),
                Ok(Err(NoAnswer::TooMuch)) => return Err(TransformError::TooMuch(most)),
                Ok(Err(NoAnswer::Silent)) => {
                    self.overruns += 1;
                    made.push(Made::Failed(worker.end().await));
                }
            }
        }
        Ok(made)
    }

    /// Works on bodies on a thread that may take its time, as many at once as jq programs run. What is out of time is
    /// done to its end, which is near, and forgotten.
    async fn off_thread<T: Send + 'static>(
        &self,
        part: Part,
        work: impl FnOnce(&Part) -> T + Send + 'static,
    ) -> Result<T, TransformError> {
        let done = tokio::task::spawn_blocking(move || work(&part));
        let done = timeout_at(self.until, done).await;
        let done = done.map_err(|_| TransformError::OutOfTime(self.transformer.within))?;
        Ok(done.unwrap_or_else(|why| std::panic::resume_unwind(why.into_panic())))
    }
}
