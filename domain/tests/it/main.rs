//! The domain from outside.

mod corpora;
mod filter;
mod grouping_accuracy;
mod type_ranking;
