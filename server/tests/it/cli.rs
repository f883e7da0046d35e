//! The command line, run as a program.

mod checking;
mod configuration;
mod schemas;
mod tokens;
