//! Grouping.

mod evidence;
mod lexer;
mod mask;
mod miner;
mod phrase;
mod token;
mod variable;
mod vocabulary;

pub use mask::{MOST_MASKED_BYTES, MOST_PIECES, Masked, Masker, mask};
pub use miner::Miner;
pub use variable::Variable;
