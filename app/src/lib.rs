//! Dead Letter Office as a person sees it: the pages that the server makes, and the forms on them. Nothing here
//! knows of Postgres or RabbitMQ: what it needs is asked of the desk (`desk`).
#![recursion_limit = "256"]
#![expect(
    clippy::needless_pass_by_value,
    reason = "a component takes its properties by value, whether or not it keeps them"
)]

pub mod api;
mod components;
pub mod desk;
pub mod error;
pub mod links;
mod pages;
mod query;
mod reads;
mod request;
mod shell;
mod visible;
mod wording;

pub use pages::{Pages, PostedMessage, UPLOAD as SCHEMA_UPLOAD, schema_uploaded};
pub use shell::{Scripts, shell};
