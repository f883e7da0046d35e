//! Alert rules, alerts and silences. What they mean is `dlo_domain::alert`'s; who looks and tells is
//! `crate::alerts`'s.

pub mod bands;
pub mod behind;
pub mod figures;
pub mod forgetting;
pub mod history;
pub mod list;
pub mod matches;
pub mod open;
pub mod pace;
pub mod rules;
pub mod silences;
