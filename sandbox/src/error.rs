//! What can go wrong with a sandbox, each told so that a person knows what to do next.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// A sandbox did not start, stop, or do what a fault test asked of it.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// A program is not installed.
    #[error(
        "`{program}` was not found: install the Debian package {package} \
         (apt-get install {package}) and start again"
    )]
    ProgramMissing {
        /// The program that was looked for.
        program: &'static str,
        /// The Debian package that has it.
        package: &'static str,
    },
    /// Postgres refuses to run as root, and the user that it should run as does not exist.
    #[error(
        "PostgreSQL refuses to run as root and there is no user `{account}`: install the \
         Debian package {package}, which creates it, or start as another user than root"
    )]
    AccountMissing {
        /// The name of the system user.
        account: &'static str,
        /// The Debian package that creates it.
        package: &'static str,
    },
    /// The data directory, or something in it, cannot be used.
    #[error("cannot use {}: {source}; nothing was started there", path.display())]
    Directory {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another sandbox runs on the same data directory.
    #[error(
        "{} is in use by another sandbox: stop that one first, or name another directory",
        path.display()
    )]
    DirectoryInUse {
        /// The data directory.
        path: PathBuf,
    },
    /// A program could not be started at all.
    #[error(
        "cannot start {program} in {}: {source}; if it is a matter of permission, every folder \
         above must be open (chmod o+x) to the user that the server runs as",
        directory.display()
    )]
    Launch {
        /// The program.
        program: String,
        /// Its working directory.
        directory: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A server ended before it answered.
    #[error("{server} ended ({status}) before it answered. {log}")]
    Ended {
        /// The server's name.
        server: &'static str,
        /// How it ended.
        status: String,
        /// What its log said last, and where the log is.
        log: String,
    },
    /// A server did not answer in time; it was ended.
    #[error("{server} did not answer within {} s and was ended. {log}", within.as_secs())]
    TooSlow {
        /// The server's name.
        server: &'static str,
        /// How long it was given.
        within: Duration,
        /// What its log said last, and where the log is.
        log: String,
    },
    /// A port was taken by somebody else between its choice and its use; the next try may do.
    #[error(
        "a port that {server} was to use was taken meanwhile, in every try; start again. {log}"
    )]
    PortTaken {
        /// The server's name.
        server: &'static str,
        /// What its log said last, and where the log is.
        log: String,
    },
    /// No free port was found.
    #[error("found no free port on 127.0.0.1: end some programs that listen there and start again")]
    NoFreePort,
    /// A fault method was called on a broker that the sandbox did not start.
    #[error(
        "the broker is not ours to stop: it was given by DLO_TEST_BROKER; \
         unset that variable for tests that stop the broker"
    )]
    NotOurs,
    /// Only one of the two variables that name a given broker is set.
    #[error(
        "{missing} is not set: DLO_TEST_BROKER and DLO_TEST_MANAGEMENT go together, set both or none"
    )]
    BrokerHalfGiven {
        /// The variable that is missing.
        missing: &'static str,
    },
    /// The server is not running, so it cannot be paused, resumed or asked.
    #[error("{server} is not running: call start_again() first")]
    NotRunning {
        /// The server's name.
        server: &'static str,
    },
    /// The server runs already.
    #[error("{server} is running already: stop it before it is started again")]
    AlreadyRunning {
        /// The server's name.
        server: &'static str,
    },
    /// A process could not be signalled.
    #[error("cannot signal {program}: {source}")]
    Signal {
        /// The program.
        program: String,
        /// What the system said.
        source: io::Error,
    },
    /// A database was not created.
    #[error("the database {name} was not created: {message}")]
    CreateDatabase {
        /// The database's name.
        name: String,
        /// What `createdb` said.
        message: String,
    },
    /// The process that cleans up behind a killed sandbox could not be started or has ended.
    #[error(
        "the janitor process is not running ({0}), so nothing would end the servers of a killed \
         sandbox: stop this sandbox and start another"
    )]
    Janitor(io::Error),
}

/// Names the file in an error about it.
pub(crate) fn at(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> SandboxError {
    let path = path.into();
    move |source| SandboxError::Directory { path, source }
}
