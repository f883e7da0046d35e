//! Signatures and groups: what failed alike. Letters point to signatures and signatures to groups,
//! so that whatever people or the miner arrange moves a few rows and never a letter.

pub mod arrange;
mod claimed;
pub mod edit;
pub mod impact;
pub mod mine;
pub mod read;
pub mod signatures;
pub mod totals;
pub mod worst;

#[cfg(test)]
mod tests;
