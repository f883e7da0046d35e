//! The program `dlo`.

use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(done) = dlo_server::transform::worker::if_asked() {
        return done;
    }
    if let Err(why) = dlo_server::stack::make_room() {
        eprintln!("going on with less room for deeply nested headers: {why}");
    }
    dlo_server::heap::keep_windows();
    run()
}

#[tokio::main]
async fn run() -> ExitCode {
    dlo_server::cli::run().await
}
