//! What is served over HTTP, asked over real connections.

mod access;
mod agree;
mod causes;
mod crowded;
mod executions;
mod guards;
mod health;
mod live;
mod odd_names;
mod pages;
mod policies;
mod problems;
mod requests;
mod roles;
mod rules;
mod shown;
mod sites;
mod topology;
mod unkept;
mod workers;
