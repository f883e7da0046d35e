//! Which failures are the same one: signatures, and the miner that folds them into groups.
//!
//! A message is split into words and values (`lexer`, `token`, `phrase`), its values are masked
//! (`mask`, and `shared` for what only the letter's body can tell), and what is left is hashed with
//! the error's class and place in the code (`stack`) to a `signature`. The `miner` folds signatures
//! that differ in words which turn out to be values. Everything here is deterministic and bounded;
//! nothing here stores, counts or asks.

mod evidence;
mod hashing;
mod lexer;
mod lines;
mod mask;
mod miner;
mod phrase;
mod repetition;
mod rule;
mod shared;
mod signature;
mod stack;
mod structure;
mod token;
mod variable;
mod vocabulary;
mod words;

pub use lines::Lines;
pub use mask::{MOST_MASKED_BYTES, MOST_PIECES, Masked, Masker, mask};
pub use miner::{
    Absorbed, Explanation, MOST_MINED_MESSAGES, Miner, MinerStateError, Placement, Segment,
};
pub use rule::{Outcome, Rule, RuleError, apply};
pub use shared::Shared;
pub use signature::{CURRENT, Layer, NotASignature, Signature, SignatureId, SignatureVersion};
pub use stack::{Frame, Language, TracePart, TracePartKind, top_frame, trace_parts};
pub use variable::Variable;
