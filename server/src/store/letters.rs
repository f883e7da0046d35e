//! What intake writes, and what is judged again: new letters with their first arrivals, and later arrivals of letters
//! that were replayed and died again.

mod again;
mod court;
mod incoming;
mod retold;
mod stored;
mod uploads;

pub use again::append_returned;
pub use court::Court;
pub use incoming::{Incoming, Stored, insert_new};
pub use retold::{name_types, retell};
pub use stored::{StoredLetter, stored};

#[cfg(test)]
mod tests;
