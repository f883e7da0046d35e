//! Workers and executions that another database keeps: read, and never written to.

mod executions;
mod faults;
mod workers;
