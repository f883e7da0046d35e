//! jq programs within a test.

use dlo_server::transform::{Transformer, Unchanged};

/// What may be made of bodies, in bytes.
pub const MOST_BYTES: usize = 64 * 1024 * 1024;

pub fn transformer() -> Transformer {
    Transformer::new(env!("CARGO_BIN_EXE_dlo").into())
}

pub fn bodies(texts: &[&str]) -> Vec<Unchanged> {
    let body = |text: &&str| Unchanged { encoding: None, body: text.as_bytes().to_vec() };
    texts.iter().map(body).collect()
}
