//! The desk over a real database: decisions and plans. No broker is asked.

mod decisions;
mod groups;
mod plans;
mod reading;
mod sources;
