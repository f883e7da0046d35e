//! The program itself, in an environment that holds nothing but what the test says.

use std::process::{Output, Stdio};

use tokio::process::Command;

/// `dlo` with these arguments, in an empty directory.
pub fn command(
    arguments: &[&str],
    variables: &[(&str, &str)],
    directory: &std::path::Path,
) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dlo"));
    command
        .args(arguments)
        .env_clear()
        .env("PATH", path())
        .envs(variables.iter().copied())
        .current_dir(directory)
        .stdin(Stdio::null())
        .kill_on_drop(true);
    command
}

#[expect(clippy::disallowed_methods, reason = "the sandbox looks for its programs there")]
fn path() -> String {
    std::env::var("PATH").unwrap_or_default()
}

/// What a command said, and whether it went well.
#[derive(Debug)]
pub struct Said {
    /// Exit code 0.
    pub well: bool,
    /// For programs.
    pub out: String,
    /// For people.
    pub err: String,
}

/// Runs a command to its end, with a `dlo.toml` if one is given.
pub async fn run(arguments: &[&str], variables: &[(&str, &str)], file: Option<&str>) -> Said {
    let directory = tempfile::tempdir().expect("a directory");
    if let Some(text) = file {
        std::fs::write(directory.path().join("dlo.toml"), text).expect("written");
    }
    let ending = command(arguments, variables, directory.path()).output();
    let ended = tokio::time::timeout(crate::support::patience(), ending).await;
    let Output { status, stdout, stderr } = ended.expect("in time").expect("it runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    Said { well: status.success(), out: text(stdout), err: text(stderr) }
}
