//! What intake writes: new letters with their first arrivals, and later arrivals of letters
//! that were replayed and died again.

mod again;
mod incoming;

pub use again::append_returned;
pub use incoming::{Incoming, Stored, insert_new};
