//! Intake that is interrupted, limited, or given what nobody expects.

mod deep;
mod eject;
mod lasting;
mod limits;
mod odd;
mod undecodable;
