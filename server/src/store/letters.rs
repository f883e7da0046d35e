//! letters
