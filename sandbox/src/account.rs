//! The system users that servers run as. Only root can run a program as somebody else, so
//! for everybody else there is no account to choose.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;

use crate::error::{SandboxError, at};

/// A system user, by its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Account {
    pub(crate) uid: u32,
    pub(crate) gid: u32,
}

pub(crate) fn running_as_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// The user of that name, when there is one.
pub(crate) fn find(name: &str) -> Option<Account> {
    parse(&fs::read_to_string("/etc/passwd").ok()?, name)
}

fn parse(passwd: &str, name: &str) -> Option<Account> {
    passwd.lines().find_map(|line| {
        let mut fields = line.split(':');
        if fields.next()? != name {
            return None;
        }
        let uid = fields.nth(1)?.parse().ok()?;
        let gid = fields.next()?.parse().ok()?;
        Some(Account { uid, gid })
    })
}

/// Makes a directory, unless it is there, that only the account (or we) can look into.
pub(crate) fn own_directory(path: &Path, account: Option<Account>) -> Result<(), SandboxError> {
    fs::create_dir_all(path).map_err(at(path))?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o700)).map_err(at(path))?;
    give(path, account)
}

/// Writes a file that only the account (or we) can read. The file is replaced as a whole:
/// whoever reads it sees the old text or the new one.
pub(crate) fn own_file(
    path: &Path,
    text: &str,
    account: Option<Account>,
) -> Result<(), SandboxError> {
    let draft = path.with_extension("draft");
    fs::write(&draft, text).map_err(at(&draft))?;
    fs::set_permissions(&draft, fs::Permissions::from_mode(0o600)).map_err(at(&draft))?;
    give(&draft, account)?;
    fs::rename(&draft, path).map_err(at(path))
}

fn give(path: &Path, account: Option<Account>) -> Result<(), SandboxError> {
    let Some(account) = account else {
        return Ok(());
    };
    chown(path, Some(account.uid), Some(account.gid)).map_err(at(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_is_found_by_its_whole_name() {
        let passwd = "root:x:0:0:root:/root:/bin/sh\npostgres:x:101:104::/var:/bin/sh\n";
        let postgres = Account { uid: 101, gid: 104 };
        assert_eq!(parse(passwd, "postgres"), Some(postgres));
        assert_eq!(parse(passwd, "post"), None);
        assert_eq!(parse("postgres:x:none:104::/:/bin/sh", "postgres"), None);
    }
}
