//! The HTTP server: address and site files.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use super::file::Reader;
use super::value::switch;

/// What is wrong with an address that others can reach.
pub const LOOPBACK_ONLY: &str = "there are no accounts yet, so anybody who reaches this address \
     could read and replay letters: use a loopback address such as 127.0.0.1:8484, and a tunnel \
     (ssh -L) to reach it from elsewhere";

/// The section `[http]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpConfig {
    /// Whether this office serves pages and the API.
    pub enabled: bool,
    /// Where it listens; loopback only while there are no accounts.
    pub address: SocketAddr,
    /// The directory of the files that a browser loads.
    pub site_root: PathBuf,
}

impl Default for HttpConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, 8484)),
            site_root: PathBuf::from("target/site"),
        }
    }
}

pub(super) fn read(reader: &mut Reader<'_>, program_dir: Option<&Path>) -> HttpConfig {
    let usual = HttpConfig::default();
    let mut table = reader.table("http");
    let enabled = reader.setting(&mut table, "enabled", Some("DLO_HTTP"), switch);
    let address = reader.setting(&mut table, "address", Some("DLO_HTTP_ADDRESS"), address);
    let site_root = reader
        .setting(&mut table, "site_root", Some("DLO_SITE_ROOT"), |text| Ok(PathBuf::from(text)));
    reader.close(table);
    HttpConfig {
        enabled: enabled.unwrap_or(usual.enabled),
        address: address.unwrap_or(usual.address),
        site_root: site_root.or_else(|| site_of_program(program_dir?)).unwrap_or(usual.site_root),
    }
}

/// The site beside the program as it is installed, or beside its directory as it is built.
pub fn site_of_program(program_dir: &Path) -> Option<PathBuf> {
    [program_dir.join("site"), program_dir.parent()?.join("site")]
        .into_iter()
        .find(|site| site.is_dir())
}

fn address(text: &str) -> Result<SocketAddr, String> {
    let numeric = text.replacen("localhost:", "127.0.0.1:", 1);
    let address: SocketAddr = numeric.parse().map_err(|_| {
        format!("`{text}` is not an address with a port: write it as 127.0.0.1:8484 or [::1]:8484")
    })?;
    if address.ip().is_loopback() {
        Ok(address)
    } else {
        Err(format!("{text} is not a loopback address, and {LOOPBACK_ONLY}"))
    }
}
