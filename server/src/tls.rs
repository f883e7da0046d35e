//! TLS of what we ask over HTTP: rustls with ring, and the certificate authorities that the machine
//! trusts. `SSL_CERT_FILE` and `SSL_CERT_DIR` name others, for HTTPS, AMQPS and Postgres alike.

use std::sync::LazyLock;

use reqwest::{Client, ClientBuilder};
use rustls::{ClientConfig, RootCertStore};

/// Read once: it takes some milliseconds, and clients are made often.
static CONFIG: LazyLock<ClientConfig> = LazyLock::new(|| {
    install_provider();
    let mut trusted = RootCertStore::empty();
    let found = rustls_native_certs::load_native_certs();
    for why in found.errors {
        tracing::debug!(%why, "some certificate authorities of this machine cannot be read");
    }
    // Where none can be read, plain HTTP goes on and HTTPS fails with a reason.
    let (_, unusable) = trusted.add_parsable_certificates(found.certs);
    if unusable > 0 {
        tracing::debug!(unusable, "some certificate authorities cannot be used");
    }
    ClientConfig::builder().with_root_certificates(trusted).with_no_client_auth()
});

/// Begins an HTTP client that trusts what the machine trusts.
pub fn client() -> ClientBuilder {
    Client::builder().tls_backend_preconfigured(CONFIG.clone())
}

/// Makes ring the cryptography of this process. A second call changes nothing.
pub fn install_provider() {
    // Fails only when there is one already.
    let _ = rustls::crypto::ring::default_provider().install_default();
}
