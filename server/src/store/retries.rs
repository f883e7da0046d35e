//! Tries that retry policies plan and make.
//!
//! Whoever touches them locks in this order: the policy, letters, tries. A letter's waiting try is
//! only changed while the letter is locked, and ends with the letter's being scheduled (a trigger,
//! migration 20261129000001), whoever ends that.

mod due;
pub mod figures;
mod letter;
mod planned;
pub mod shadows;

pub use due::{
    Due, earliest, held_up, put_off, rebase, samples, take, take_due, withdraw_left_out,
};
pub use letter::of_letter;
pub use planned::{Held, Plan, exhaust, held, let_go, plan};
