//! A file system of a few hundred MiB in memory, for servers whose disk is to be full.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// A mounted file system; it is taken away when it is dropped.
pub struct SmallDisk {
    place: TempDir,
}

impl SmallDisk {
    /// Mounts one. Only root may.
    pub fn mount(mebibytes: u32) -> Self {
        let place =
            tempfile::Builder::new().prefix("dlo-small-disk-").tempdir().expect("a directory");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={mebibytes}m,mode=755"), "tmpfs"])
            .arg(place.path())
            .status()
            .expect("mount runs");
        assert!(
            mounted.success(),
            "a small file system could not be mounted: run this test as root, or in a namespace that \
             allows it (unshare --map-root-user --mount)"
        );
        Self { place }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.place.path()
    }

    /// Takes all the room that is left but so much.
    pub fn fill_up_to(&self, left_mebibytes: u64) -> Ballast {
        let path = self.place.path().join("ballast");
        let free = self.free_mebibytes();
        let size = free.saturating_sub(left_mebibytes);
        let made = Command::new("fallocate")
            .args(["-l", &format!("{size}MiB")])
            .arg(&path)
            .status()
            .expect("fallocate runs");
        assert!(made.success(), "{size} MiB of {free} could not be taken");
        Ballast { path }
    }

    /// The room that is left, in MiB.
    pub fn free_mebibytes(&self) -> u64 {
        let told = Command::new("df")
            .args(["--output=avail", "-B", "1M"])
            .arg(self.place.path())
            .output()
            .expect("df runs");
        let told = String::from_utf8(told.stdout).expect("text");
        let last = told.lines().last().expect("two lines");
        last.trim().parse().expect("MiB")
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // What still runs there keeps it until it ends.
        let _ = Command::new("umount").arg("-l").arg(self.place.path()).status();
    }
}

/// A file that takes room.
pub struct Ballast {
    path: PathBuf,
}

impl Ballast {
    /// Gives the room back.
    pub fn remove(self) {
        std::fs::remove_file(&self.path).expect("removed");
    }
}
