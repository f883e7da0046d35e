//! HTTP clients for servers on this machine: plain HTTP, so no certificate authority is looked for,
//! which a small machine may not have.

use reqwest::{Client, ClientBuilder};

/// Begins a client.
pub(crate) fn http_client() -> ClientBuilder {
    install_provider();
    Client::builder().tls_certs_only([])
}

/// Makes ring the cryptography of this process. A second call changes nothing.
pub(crate) fn install_provider() {
    // Fails only when there is one already.
    let _ = rustls::crypto::ring::default_provider().install_default();
}
