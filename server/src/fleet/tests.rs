//! Workers whose time a test moves on.

mod announcing;
mod denied;
mod hearing;
mod listing;
mod probes;
mod silence;
mod workforce;
