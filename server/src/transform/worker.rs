//! The worker: the side of a transform that runs in a process of its own, and may be ended at any
//! moment. It reads values as JSON from its input, asks the jq program of them, and writes answers.
//!
//! What holds it: its memory is limited before the program is read; a watch ends the process when a
//! letter takes too long; the office ends it when it does not answer; without its office it finds
//! its input closed. It has no environment, and the program no function that reaches out.

use std::io::{BufReader, BufWriter, Read, Write};
use std::process::ExitCode;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::time::{ClockId, clock_gettime};

use super::frames::{Answer, MOST_FRAME_BYTES};
use super::program::{Asked, Program};

/// What makes `dlo` a worker, as its only argument.
pub const ARGUMENT: &str = "transform-worker";

/// The processor time for one letter: the same program does the same on a busy machine.
pub const LETTER_WITHIN: Duration = Duration::from_secs(2);

/// How often the watch looks how much of it is used.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The memory for a body and all that is made of it, in bytes.
pub const MOST_MEMORY_BYTES: u64 = 512 * 1024 * 1024;

/// How a worker ends whose letter took too long.
pub const OUT_OF_TIME: i32 = 3;

/// The stack of the thread that carries programs out: a program may call itself some 100,000 times.
const STACK_BYTES: usize = 64 * 1024 * 1024;

/// Does a worker's work, if that is what this process was started for.
#[must_use]
pub fn if_asked() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    let asked = arguments.next().is_some_and(|first| first == ARGUMENT);
    (asked && arguments.next().is_none()).then(run)
}

/// What the watch is told.
enum Watched {
    Begun,
    Ended,
}

fn run() -> ExitCode {
    let (tell, watch) = mpsc::channel();
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(move || serve(&tell));
    // From here on nothing can be had beyond the limit, whatever the program does.
    let (Ok(thread), Ok(())) = (thread, limit_memory()) else {
        return ExitCode::FAILURE;
    };
    loop {
        match watch.recv() {
            Ok(Watched::Begun) => watch_letter(&watch),
            Ok(Watched::Ended) => {}
            Err(_) => break,
        }
    }
    match thread.join() {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(_)) | Err(_) => ExitCode::FAILURE,
    }
}

/// Waits for the end of a letter, and ends the process when that takes too much processor time.
fn watch_letter(watch: &Receiver<Watched>) {
    let used = || Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap_or_default();
    let begun = used();
    while let Err(RecvTimeoutError::Timeout) = watch.recv_timeout(LOOK_EVERY) {
        if used().saturating_sub(begun) >= LETTER_WITHIN {
            std::process::exit(OUT_OF_TIME);
        }
    }
}

/// Limits what the process may take beyond what it has.
fn limit_memory() -> std::io::Result<()> {
    let has = std::fs::read_to_string("/proc/self/statm")?;
    let pages = has.split_ascii_whitespace().next();
    let pages: u64 = pages
        .and_then(|text| text.parse().ok())
        .ok_or_else(|| std::io::Error::other("the size of this process is not told"))?;
    let page = u64::try_from(rustix::param::page_size()).unwrap_or(4096);
    let limit = |resource, most: u64| {
        let maximum = getrlimit(resource).maximum;
        let most = maximum.map_or(most, |maximum| maximum.min(most));
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })
    };
    limit(Resource::As, pages * page + MOST_MEMORY_BYTES)?;
    limit(Resource::Core, 0)?;
    Ok(())
}

/// Answers until the input ends.
fn serve(tell: &Sender<Watched>) -> std::io::Result<()> {
    let mut from = BufReader::new(std::io::stdin());
    let mut to = BufWriter::new(std::io::stdout());
    let Some(jq) = read_frame(&mut from)? else {
        return Ok(());
    };
    let jq = String::from_utf8_lossy(&jq).into_owned();
    let begun = |what| {
        // Whoever watches lives as long as this thread.
        let _ = tell.send(what);
    };
    begun(Watched::Begun);
    let program = Program::read(&jq);
    begun(Watched::Ended);
    let program = match program {
        Ok(program) => program,
        Err(fault) => {
            Answer::Fault { why: fault.why, position: fault.position, length: fault.length }
                .write(&mut to)?;
            return to.flush();
        }
    };
    Answer::Ready.write(&mut to)?;
    to.flush()?;
    while let Some(frame) = read_frame(&mut from)? {
        begun(Watched::Begun);
        let answer = answer(&program, &frame);
        begun(Watched::Ended);
        answer.write(&mut to)?;
        // At once: the next letter may be the end of this process.
        to.flush()?;
    }
    Ok(())
}

fn answer(program: &Program, frame: &[u8]) -> Answer {
    match program.ask(frame) {
        Ok(Asked::Same) => Answer::Same,
        Ok(Asked::Changed(json)) => Answer::Changed(json),
        Err(why) => Answer::Failed(why),
    }
}

fn read_frame(from: &mut impl Read) -> std::io::Result<Option<Vec<u8>>> {
    let mut length = [0; 4];
    match from.read_exact(&mut length) {
        Err(why) if why.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(None),
        done => done?,
    }
    let length = usize::try_from(u32::from_le_bytes(length)).unwrap_or(usize::MAX);
    if length > MOST_FRAME_BYTES {
        return Err(std::io::Error::other("more than a frame may have"));
    }
    let mut bytes = vec![0; length];
    from.read_exact(&mut bytes)?;
    Ok(Some(bytes))
}
