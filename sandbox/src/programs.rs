//! Where the programs of the servers are installed. Looks only, starts nothing.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::environment;
use crate::error::SandboxError;

/// The programs of one Postgres installation.
#[derive(Clone, Debug)]
pub(crate) struct PostgresPrograms {
    pub(crate) initdb: PathBuf,
    pub(crate) postgres: PathBuf,
    pub(crate) createdb: PathBuf,
}

/// The programs of RabbitMQ.
#[derive(Clone, Debug)]
pub(crate) struct RabbitPrograms {
    pub(crate) server: PathBuf,
    /// Whether `DLO_TEST_RABBITMQ` names it: then it runs as whoever we are.
    pub(crate) is_named: bool,
    pub(crate) epmd: PathBuf,
}

/// The newest Postgres under Debian's directory, else the one on the search path.
pub(crate) fn postgres() -> Result<PostgresPrograms, SandboxError> {
    let missing = |program| SandboxError::ProgramMissing { program, package: "postgresql" };
    let folder = newest_postgres(Path::new("/usr/lib/postgresql"))
        .or_else(|| on_search_path("postgres").and_then(|found| parent(&found)))
        .ok_or_else(|| missing("postgres"))?;
    let program = |name: &'static str| {
        let path = folder.join(name);
        if path.is_file() { Ok(path) } else { Err(missing(name)) }
    };
    Ok(PostgresPrograms {
        initdb: program("initdb")?,
        postgres: program("postgres")?,
        createdb: program("createdb")?,
    })
}

/// The one that `DLO_TEST_RABBITMQ` names, to test with another version; else Debian's own script, else the one
/// on the search path. Debian's `/usr/sbin/rabbitmq-server` is a wrapper that insists on root or the user rabbitmq,
/// so it comes last.
pub(crate) fn rabbitmq() -> Result<RabbitPrograms, SandboxError> {
    let missing = |program| SandboxError::ProgramMissing { program, package: "rabbitmq-server" };
    let named = environment::variable("DLO_TEST_RABBITMQ").filter(|path| !path.is_empty());
    let is_named = named.is_some();
    let usual = named.map_or("/usr/lib/rabbitmq/bin/rabbitmq-server".into(), PathBuf::from);
    let server = Some(usual)
        .filter(|path| path.is_file())
        .or_else(|| on_search_path("rabbitmq-server").filter(|_| !is_named))
        .ok_or_else(|| missing("rabbitmq-server"))?;
    let epmd = on_search_path("epmd").ok_or_else(|| missing("epmd"))?;
    Ok(RabbitPrograms { server, is_named, epmd })
}

fn newest_postgres(root: &Path) -> Option<PathBuf> {
    fs::read_dir(root)
        .ok()?
        .filter_map(|entry| {
            let folder = entry.ok()?.path();
            let version: u32 = folder.file_name()?.to_str()?.parse().ok()?;
            let programs = folder.join("bin");
            programs.join("postgres").is_file().then_some((version, programs))
        })
        .max()
        .map(|(_, programs)| programs)
}

fn on_search_path(program: &str) -> Option<PathBuf> {
    find_in(&environment::search_path(), program)
}

fn find_in(search_path: &OsStr, program: &str) -> Option<PathBuf> {
    std::env::split_paths(search_path)
        .map(|folder| folder.join(program))
        .find(|path| path.is_file())
}

fn parent(path: &Path) -> Option<PathBuf> {
    // A link in /usr/local/bin stands for the whole installation that it points into.
    Some(fs::canonicalize(path).ok()?.parent()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_postgres_is_chosen_by_number() {
        let root = std::env::temp_dir().join(format!("dlo-programs-{}", uuid::Uuid::new_v4()));
        for version in ["9", "15", "16beta", "100"] {
            let bin = root.join(version).join("bin");
            fs::create_dir_all(&bin).expect("as the test arranged it");
            if version != "100" {
                fs::write(bin.join("postgres"), "").expect("as the test arranged it");
            }
        }
        let newest = newest_postgres(&root);
        fs::remove_dir_all(&root).expect("as the test arranged it");
        assert_eq!(newest, Some(root.join("15/bin")));
    }

    #[test]
    fn a_program_is_looked_for_in_every_folder() {
        assert!(find_in(OsStr::new("/nonexistent:/bin"), "sh").is_some());
        assert_eq!(find_in(OsStr::new("/nonexistent"), "sh"), None);
    }
}
