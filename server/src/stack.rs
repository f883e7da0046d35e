//! Room on the stack of every thread.
//!
//! The AMQP client writes the headers of a message one call in another, and a frame has room for
//! 26,000 tables in tables: on a usual stack of 2 MiB a replay of such a letter ends the process, again
//! and again. (Intake takes them without the client: see `broker::octets`.) The client makes its threads itself, with what the
//! standard library takes from `RUST_MIN_STACK`, which is read once: so the program begins anew
//! with it set. Pages that are never touched cost nothing.

use std::convert::Infallible;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

const VARIABLE: &str = "RUST_MIN_STACK";
/// Ten times what the deepest header takes in a release build.
const ENOUGH_BYTES: usize = 512 * 1024 * 1024;

/// Begins the program anew with room, in the same process, unless it has room.
///
/// # Errors
/// When the program cannot be found any more; it then works, except for such headers.
#[expect(
    clippy::disallowed_methods,
    reason = "this concerns the process and comes before any configuration"
)]
pub fn make_room() -> std::io::Result<()> {
    let given = std::env::var(VARIABLE).ok();
    if given.and_then(|text| text.parse().ok()) >= Some(ENOUGH_BYTES) {
        return Ok(());
    }
    let anew: Result<Infallible, _> = Err(Command::new(std::env::current_exe()?)
        .args(std::env::args_os().skip(1))
        .env(VARIABLE, ENOUGH_BYTES.to_string())
        .exec());
    anew.map(|never| match never {})
}
