//! What servers show who are reached over TLS. Whoever starts a sandbox makes it, and decides what is trusted.

use std::path::{Path, PathBuf};

use crate::account::{self, Account};
use crate::error::SandboxError;

/// A certificate for 127.0.0.1, and the key to it, both as PEM.
#[derive(Clone)]
pub struct ServerCertificate {
    /// The certificate, and those between it and its authority.
    pub chain: String,
    /// Its private key.
    pub key: String,
}

impl std::fmt::Debug for ServerCertificate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ServerCertificate(…)")
    }
}

/// A certificate as files that a server reads.
#[derive(Debug, Clone)]
pub(crate) struct CertificateFiles {
    pub(crate) chain: PathBuf,
    pub(crate) key: PathBuf,
}

impl ServerCertificate {
    /// Writes both into a server's folder, for the server alone.
    pub(crate) fn write(
        &self,
        folder: &Path,
        account: Option<Account>,
    ) -> Result<CertificateFiles, SandboxError> {
        let files =
            CertificateFiles { chain: folder.join("certificate.pem"), key: folder.join("key.pem") };
        account::own_file(&files.chain, &self.chain, account)?;
        account::own_file(&files.key, &self.key, account)?;
        Ok(files)
    }
}
