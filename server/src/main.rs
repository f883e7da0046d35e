//! The program `dlo`.

use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    dlo_server::cli::run().await
}
