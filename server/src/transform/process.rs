//! A worker as the office sees it: a process that is started, asked and ended.

use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, BufReader, BufWriter};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use super::frames::{self, Answer, Head, MOST_FRAME_BYTES};
use super::worker::{self, OUT_OF_TIME};
use super::{Made, TransformError};

/// Why a worker is not asked any further.
pub(super) enum NoAnswer {
    /// It does not answer any more.
    Silent,
    /// It answers with more than is taken.
    TooMuch,
}

/// A worker, and the ways to it and from it.
#[derive(Debug)]
pub(super) struct Worker {
    child: Child,
    to: BufWriter<ChildStdin>,
    from: BufReader<ChildStdout>,
}

impl Worker {
    /// Starts one from this program, and has it read a jq program within this time.
    pub(super) async fn start(
        program: &Path,
        within: Duration,
        jq: &str,
    ) -> Result<Self, TransformError> {
        let failed = |why: &dyn ToString| TransformError::NoWorker(why.to_string());
        let mut child = Command::new(program)
            .arg(worker::ARGUMENT)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .map_err(|why| failed(&why))?;
        let to = child.stdin.take().expect("it was asked for");
        let from = child.stdout.take().expect("it was asked for");
        let mut worker = Self { child, to: BufWriter::new(to), from: BufReader::new(from) };
        let said = async {
            say(&mut worker.to, jq.as_bytes()).await?;
            worker.to.flush().await?;
            worker.hear().await
        };
        match timeout(within, said).await {
            Ok(Ok(Answer::Ready)) => Ok(worker),
            Ok(Ok(Answer::Fault { why, position, length })) => {
                Err(TransformError::Fault { why, position, length })
            }
            Ok(Ok(_)) => Err(failed(&"it answers with what was not asked")),
            Ok(Err(why)) => Err(failed(&why)),
            Err(_) => Err(failed(&"it does not answer")),
        }
    }

    /// Asks for bodies and adds the answers, as long as there are any; other bodies have `left` bytes together.
    pub(super) async fn ask(
        &mut self,
        texts: &[&str],
        made: &mut Vec<Made>,
        left: &mut usize,
    ) -> Result<(), NoAnswer> {
        let (to, from) = (&mut self.to, &mut self.from);
        let asking = async {
            for text in texts {
                say(to, text.as_bytes()).await?;
            }
            to.flush().await
        };
        let hearing = async {
            for _ in texts {
                made.push(match hear(from).await {
                    Ok(Answer::Same) => Made::Same,
                    Ok(Answer::Changed(body)) => {
                        *left = left.checked_sub(body.len()).ok_or(NoAnswer::TooMuch)?;
                        Made::Changed(body)
                    }
                    Ok(Answer::Failed(why)) => Made::Failed(why),
                    Ok(Answer::Ready | Answer::Fault { .. }) | Err(_) => {
                        return Err(NoAnswer::Silent);
                    }
                });
            }
            Ok(())
        };
        tokio::pin!(asking);
        tokio::pin!(hearing);
        tokio::select! {
            biased;
            heard = &mut hearing => heard,
            // Whether all could be said shows in what is heard.
            _ = &mut asking => hearing.await,
        }
    }

    async fn hear(&mut self) -> std::io::Result<Answer> {
        hear(&mut self.from).await
    }

    /// Ends it, and tells why it fell silent.
    pub(super) async fn end(mut self) -> String {
        // Where it ended by itself this finds nobody.
        let _ = self.child.start_kill();
        let status = self.child.wait().await.ok();
        let out_of_time = status.and_then(|status: ExitStatus| status.code()) == Some(OUT_OF_TIME);
        if out_of_time {
            format!(
                "the jq program took more than {} s of processor time for this letter",
                worker::LETTER_WITHIN.as_secs()
            )
        } else {
            format!(
                "the jq program ended without an answer: it needs more than {} MiB of memory, or \
                 calls itself too deeply",
                worker::MOST_MEMORY_BYTES / 1024 / 1024
            )
        }
    }
}

async fn say(to: &mut BufWriter<ChildStdin>, text: &[u8]) -> std::io::Result<()> {
    to.write_all(&frames::length(text.len())).await?;
    to.write_all(text).await
}

async fn hear(from: &mut BufReader<ChildStdout>) -> std::io::Result<Answer> {
    let mut head = Head::default();
    from.read_exact(&mut head.0).await?;
    let length = head.length();
    if length > MOST_FRAME_BYTES {
        return Err(std::io::Error::other("it answers with too much"));
    }
    let mut bytes = vec![0; length];
    from.read_exact(&mut bytes).await?;
    Answer::read(head.kind(), bytes)
}
