//! What the fuzz targets do with their input. The gate runs each on its corpus, without a fuzzer
//! (`domain/tests/it/corpora.rs`).

pub mod messages;
pub mod targets;
