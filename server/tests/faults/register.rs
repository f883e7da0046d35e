//! A foreign register that fails in the middle.

mod faults;
