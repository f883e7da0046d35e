//! How each worker of `docs/workers` is started. `scripts/setup full` installs what they need.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use tokio::process::Command;

use crate::support::variable;

/// A program that works.
pub(super) struct Program {
    executable: OsString,
    arguments: Vec<PathBuf>,
    variables: Vec<(&'static str, &'static str)>,
    /// What a stack trace of it names; `None` where errors have none.
    pub(super) place: Option<&'static str>,
}

impl Program {
    /// A command that starts it, in an environment that holds nothing else.
    pub(super) fn command(&self) -> Command {
        let mut command = Command::new(&self.executable);
        command.args(&self.arguments).env_clear();
        command.env("PATH", variable("PATH").unwrap_or_default());
        command.envs(self.variables.iter().copied());
        command
    }
}

fn folder(language: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/workers").join(language)
}

/// Debian's own Python, which has Debian's pika.
pub(super) fn python() -> Program {
    Program {
        executable: "/usr/bin/python3".into(),
        arguments: vec![folder("python").join("worker.py")],
        variables: Vec::new(),
        place: Some("worker.py"),
    }
}

pub(super) fn node() -> Program {
    Program {
        executable: "node".into(),
        arguments: vec![folder("node").join("worker.mjs")],
        variables: Vec::new(),
        place: Some("worker.mjs"),
    }
}

pub(super) fn php() -> Program {
    Program {
        executable: "php".into(),
        arguments: vec![folder("php").join("worker.php")],
        variables: vec![("PHP_AUTOLOAD", "/usr/share/php/PhpAmqpLib/autoload.php")],
        place: Some("worker.php"),
    }
}

/// Built with Debian's library, which lies where Go looked for libraries before it had modules.
pub(super) async fn go() -> Program {
    let built = std::env::temp_dir().join("dlo-worker-in-go");
    let made = Command::new("go")
        .args(["build", "-o"])
        .arg(&built)
        .arg(folder("go").join("worker.go"))
        .env("GO111MODULE", "off")
        .env("GOPATH", "/usr/share/gocode")
        .output()
        .await
        .expect("go is installed");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    Program { executable: built.into(), arguments: Vec::new(), variables: Vec::new(), place: None }
}

/// Built by `scripts/test-rust --full`, as an example of the sandbox.
pub(super) fn rust() -> Program {
    let tests = std::env::current_exe().expect("a path");
    let profile = tests.parent().and_then(Path::parent).expect("the folder of the profile");
    Program {
        executable: profile.join("examples/worker").into(),
        arguments: Vec::new(),
        variables: Vec::new(),
        place: None,
    }
}
