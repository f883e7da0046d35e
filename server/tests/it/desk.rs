//! The desk over a real database: decisions and plans. A broker is asked only where it says so.

mod arrivals;
mod breakdowns;
mod decisions;
pub mod groups;
mod plans;
mod reading;
mod related;
mod shown;
mod sources;
mod warnings;
