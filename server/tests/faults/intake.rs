//! Intake that is interrupted, limited, or given what nobody expects.

mod auto_delete;
mod deep;
mod idle;
mod limits;
mod mutated;
mod odd;
mod receipts;
mod undecodable;
