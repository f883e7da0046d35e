//! The directory that a sandbox keeps everything in: a given one, which stays, or a temporary
//! one, which the janitor removes. Also starts the janitor, since a directory that nobody
//! would remove must not be made.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use uuid::Uuid;

use crate::error::{SandboxError, at};
use crate::janitor::Janitor;

/// Servers run as other users, who must be able to pass through; their own folders below
/// are closed to everybody else.
const PASSABLE: u32 = 0o755;

/// The janitor of a sandbox that was killed a moment ago may still be ending its servers.
const LOCK_PATIENCE: Duration = Duration::from_secs(30);

/// Where a sandbox keeps its files.
#[derive(Clone, Debug)]
pub(crate) struct DataDir {
    path: PathBuf,
    kept: bool,
}

impl DataDir {
    /// Makes or reopens the directory, which nobody else uses from now on.
    pub(crate) async fn open(given: Option<PathBuf>) -> Result<(Self, Janitor), SandboxError> {
        match given {
            Some(path) => Self::keep(&path).await,
            None => Self::make_temporary(),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it outlives the sandbox.
    pub(crate) fn is_kept(&self) -> bool {
        self.kept
    }

    fn make_temporary() -> Result<(Self, Janitor), SandboxError> {
        let path = std::env::temp_dir().join(format!("dlo-sandbox-{}", Uuid::new_v4().simple()));
        let janitor = Janitor::start(Some(&path), None)?;
        DirBuilder::new().mode(PASSABLE).create(&path).map_err(at(&path))?;
        // Whatever the umask took away.
        fs::set_permissions(&path, fs::Permissions::from_mode(PASSABLE)).map_err(at(&path))?;
        Ok((Self { path, kept: false }, janitor))
    }

    async fn keep(given: &Path) -> Result<(Self, Janitor), SandboxError> {
        let mut builder = DirBuilder::new();
        builder.recursive(true).mode(PASSABLE).create(given).map_err(at(given))?;
        let path = fs::canonicalize(given).map_err(at(given))?;
        let lock = lock(&path).await?;
        // The lock lasts as long as the janitor: as long as a server may still run here.
        let janitor = Janitor::start(None, Some(lock))?;
        Ok((Self { path, kept: true }, janitor))
    }
}

async fn lock(directory: &Path) -> Result<File, SandboxError> {
    let path = directory.join("lock");
    let mut options = OpenOptions::new();
    let file = options.create(true).truncate(false).write(true).open(&path).map_err(at(&path))?;
    let deadline = Instant::now() + LOCK_PATIENCE;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(source)) => return Err(at(&path)(source)),
            Err(TryLockError::WouldBlock) if Instant::now() >= deadline => {
                return Err(SandboxError::DirectoryInUse { path: directory.to_owned() });
            }
            Err(TryLockError::WouldBlock) => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_kept_directory_is_locked_until_its_janitor_has_ended() {
        let directory = std::env::temp_dir().join(format!("dlo-lock-{}", Uuid::new_v4()));
        let (_, janitor) =
            DataDir::open(Some(directory.clone())).await.expect("as the test arranged it");
        let again = DataDir::open(Some(directory.clone()));
        let waiting = tokio::time::timeout(Duration::from_millis(500), again).await;
        assert!(waiting.is_err(), "opened twice: {waiting:?}");
        drop(janitor);
        let (data_dir, janitor) =
            DataDir::open(Some(directory.clone())).await.expect("as the test arranged it");
        assert!(data_dir.is_kept());
        janitor.finish().await.expect("as the test arranged it");
        assert!(directory.exists());
        fs::remove_dir_all(&directory).expect("as the test arranged it");
    }

    #[tokio::test]
    async fn a_temporary_directory_goes_with_its_janitor() {
        let (data_dir, janitor) = DataDir::open(None).await.expect("as the test arranged it");
        assert!(data_dir.path().is_dir() && !data_dir.is_kept());
        janitor.finish().await.expect("as the test arranged it");
        assert!(!data_dir.path().exists());
    }
}
