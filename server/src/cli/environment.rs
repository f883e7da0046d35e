//! Where commands take their configuration from. The only place that reads the environment.

use std::path::PathBuf;

use crate::config::{Config, Faults, Needs, Surroundings};

/// Which file to read.
#[derive(Debug, clap::Args)]
pub(super) struct ConfigFile {
    /// The configuration file; `dlo.toml` is read when it is there. Variables win over it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl ConfigFile {
    /// Reads the configuration for what a command needs of it.
    pub(super) fn load(self, needs: Needs) -> Result<Config, Faults> {
        let surroundings =
            Surroundings { file: self.config, lookup: &variable, program_dir: program_dir() };
        surroundings.load(needs)
    }
}

/// A variable of the environment; one that is not UTF-8 counts as not set.
#[expect(clippy::disallowed_methods, reason = "this is the place that reads the environment")]
pub(super) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The names of all variables of the environment.
pub(super) fn variable_names() -> impl Iterator<Item = String> {
    std::env::vars_os().filter_map(|(name, _)| name.into_string().ok())
}

/// The directory of this program.
pub(super) fn program_dir() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    program.parent().map(PathBuf::from)
}
