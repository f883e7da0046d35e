//! The only place that reads the environment of our process.

use std::ffi::OsString;

/// The value of a variable, when it is set.
#[expect(
    clippy::disallowed_methods,
    reason = "the sandbox serves test programs as well, which have no configuration to pass on"
)]
pub(crate) fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// Where programs are looked for; empty when it is not set.
pub(crate) fn search_path() -> OsString {
    variable("PATH").unwrap_or_default()
}
