//! Intake that is interrupted, limited, or given what nobody expects.

mod auto_delete;
mod deep;
mod limits;
mod odd;
mod undecodable;
