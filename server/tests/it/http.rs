//! What is served over HTTP, asked over real connections.

mod access;
mod causes;
mod executions;
mod guards;
mod health;
mod live;
mod pages;
mod policies;
mod problems;
mod requests;
mod rules;
mod shown;
mod topology;
mod unkept;
mod workers;
