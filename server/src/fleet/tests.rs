//! Workers whose time a test moves on.

mod announcing;
mod hearing;
mod listing;
mod silence;
mod workforce;
