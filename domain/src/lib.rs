//! The vocabulary and the rules of Dead Letter Office.
//!
//! Everything here is pure: no clock, no randomness, no network, no database. It compiles for
//! the server and for the browser, so that both speak of the same things in the same words.

pub mod alert;
pub mod arrival;
pub mod audit;
pub mod breakdown;
pub mod budget;
pub mod causes;
pub mod changing;
pub mod channel;
pub mod comparing;
pub mod death;
pub mod decoding;
pub mod delivery_limit;
pub mod error_report;
pub mod event;
pub mod execution;
pub mod extract;
pub mod failure;
pub mod filter;
pub mod fingerprint;
pub mod globs;
pub mod group;
pub mod grouping;
pub mod ids;
pub mod json_schema;
pub mod judge;
pub mod letter;
pub mod named;
pub mod notice;
pub mod office;
pub mod origin;
pub mod overview;
pub mod page;
pub mod payload;
pub mod policy;
pub mod reading;
pub mod redelivery;
pub mod register;
pub mod replay;
pub mod republish;
pub mod retention;
pub mod routing;
pub mod rule;
pub mod schema;
pub mod selection;
pub mod severity;
pub mod source;
pub mod state;
pub mod timeline;
pub mod topology;
pub mod view;
pub mod visible_text;
pub mod wire;
pub mod worker;
