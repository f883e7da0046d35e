//! jq programs within a test.

use std::sync::Arc;

use dlo_domain::decoding::{BodyHead, MessageTypes};
use dlo_server::transform::{Transformer, Unchanged};

/// What may be made of bodies, in bytes.
pub const MOST_BYTES: usize = 64 * 1024 * 1024;

/// No message types.
pub fn no_types() -> Arc<MessageTypes> {
    Arc::new(MessageTypes::default())
}

pub fn transformer() -> Transformer {
    Transformer::new(env!("CARGO_BIN_EXE_dlo").into())
}

pub fn bodies(texts: &[&str]) -> Vec<Unchanged> {
    let body =
        |text: &&str| Unchanged { head: BodyHead::default(), body: text.as_bytes().to_vec() };
    texts.iter().map(body).collect()
}
