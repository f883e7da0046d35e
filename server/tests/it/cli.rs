//! The command line, run as a program.

mod configuration;
mod demo;
mod offices;
mod tokens;
