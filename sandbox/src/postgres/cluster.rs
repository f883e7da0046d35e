//! The files of one Postgres cluster: made once by `initdb`, found again at the next start.
//! Starts no server.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use tokio::process::Command;
use uuid::Uuid;

use crate::account::{self, Account};
use crate::certificate::{CertificateFiles, ServerCertificate};
use crate::data_dir::DataDir;
use crate::error::{SandboxError, at};
use crate::janitor::Janitor;
use crate::process::{Goodbye, Launch, Process};
use crate::programs::{self, PostgresPrograms};
use crate::server_log::ServerLog;

use super::SERVER;

/// The superuser of the cluster.
pub(super) const USER: &str = "dlo";

const CREATION_PATIENCE: Duration = Duration::from_mins(2);

/// A cluster and the programs that run it.
#[derive(Debug)]
pub(super) struct Cluster {
    pub(super) programs: PostgresPrograms,
    pub(super) account: Option<Account>,
    pub(super) password: String,
    pub(super) log: ServerLog,
    folder: PathBuf,
}

impl Cluster {
    /// Opens the cluster of a data directory, and creates it at the first time.
    pub(super) async fn open(
        data_dir: &DataDir,
        janitor: &Arc<Janitor>,
    ) -> Result<Self, SandboxError> {
        let programs = programs::postgres()?;
        let account = server_account()?;
        let folder = data_dir.path().join("postgres");
        account::own_directory(&folder, account)?;
        let log = ServerLog::new(folder.join("server.log"), data_dir.is_kept());
        let password = password(&folder, account)?;
        let cluster = Self { programs, account, password, log, folder };
        if !cluster.files().exists() {
            cluster.create(janitor).await?;
        }
        Ok(cluster)
    }

    /// Where Postgres keeps its files (its PGDATA).
    pub(super) fn files(&self) -> PathBuf {
        self.folder.join("cluster")
    }

    /// A start of one of the programs, as the user who owns the files.
    pub(super) fn launch(
        &self,
        program: &Path,
        arguments: Vec<String>,
    ) -> Result<Launch, SandboxError> {
        Ok(Launch {
            program: program.to_owned(),
            arguments,
            environment: Vec::new(),
            account: self.account,
            directory: self.folder.clone(),
            log: self.log.open()?,
        })
    }

    /// Keeps a certificate where the server can read it.
    pub(super) fn keep(
        &self,
        certificate: &ServerCertificate,
    ) -> Result<CertificateFiles, SandboxError> {
        certificate.write(&self.folder, self.account)
    }

    /// Creates a database through the running server.
    pub(super) async fn create_database(&self, port: u16, name: &str) -> Result<(), String> {
        let output = Command::new(&self.programs.createdb)
            .args(["--host=127.0.0.1", "--no-password", "--username", USER])
            .args(["--port", &port.to_string(), "--", name])
            .env_clear()
            .env("PGPASSWORD", &self.password)
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .output()
            .await
            .map_err(|error| error.to_string())?;
        if output.status.success() {
            return Ok(());
        }
        Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
    }

    async fn create(&self, janitor: &Arc<Janitor>) -> Result<(), SandboxError> {
        // Made under another name first: a half-made cluster is never taken for a whole one.
        let draft = self.folder.join("cluster.draft");
        if draft.exists() {
            fs::remove_dir_all(&draft).map_err(at(&draft))?;
        }
        let arguments = [
            "--pgdata=cluster.draft",
            "--username=dlo",
            "--pwfile=password",
            // Only 127.0.0.1 can reach the server, and the password is random: hashing it in
            // every client would only slow the tests down.
            "--auth=password",
            "--encoding=UTF8",
            "--locale=C.UTF-8",
            // A crash of the machine during creation loses an empty cluster.
            "--no-sync",
        ];
        let arguments = arguments.map(str::to_owned).to_vec();
        let launch = self.launch(&self.programs.initdb, arguments)?;
        let mut initdb = Process::start(launch, janitor, Goodbye::Terminate).await?;
        let status = initdb.wait(CREATION_PATIENCE).await;
        initdb.end(Goodbye::Kill, CREATION_PATIENCE).await?;
        match status {
            Some(status) if status.success() => {
                fs::rename(&draft, self.files()).map_err(at(&draft))
            }
            Some(status) => Err(SandboxError::Ended {
                server: "initdb",
                status: status.to_string(),
                log: self.log.ending(),
            }),
            None => Err(SandboxError::TooSlow {
                server: SERVER,
                within: CREATION_PATIENCE,
                log: self.log.ending(),
            }),
        }
    }
}

fn server_account() -> Result<Option<Account>, SandboxError> {
    if !account::running_as_root() {
        return Ok(None);
    }
    account::find("postgres")
        .map(Some)
        .ok_or(SandboxError::AccountMissing { account: "postgres", package: "postgresql" })
}

/// The superuser's password: made once, kept beside the cluster.
fn password(folder: &Path, account: Option<Account>) -> Result<String, SandboxError> {
    let path = folder.join("password");
    if !path.exists() {
        account::own_file(&path, &Uuid::new_v4().simple().to_string(), account)?;
    }
    let text = fs::read_to_string(&path).map_err(at(&path))?;
    Ok(text.trim().to_owned())
}
