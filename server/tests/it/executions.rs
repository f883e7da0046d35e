//! Executions against real servers: what is reported of them, what the monitor fails, what dead
//! letters do to them, and what is published of it.

mod announcing;
mod causes;
mod handing_on;
mod handler;
mod monitor;
mod reporting;
mod waiting;
