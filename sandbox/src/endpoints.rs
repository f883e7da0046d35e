//! Where the servers of a sandbox answer. Holds addresses only: it opens no connection.

use serde::{Deserialize, Serialize};

/// The addresses of a running sandbox, with the passwords in them. The address of a server
/// that the options left out is an empty text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Endpoints {
    /// `postgres://user:password@127.0.0.1:port/dlo`; the user may create databases.
    pub database: String,
    /// `amqp://guest:guest@127.0.0.1:port/%2f`
    pub amqp: String,
    /// `http://guest:guest@127.0.0.1:port`, the management API without its `/api`.
    pub management: String,
}
