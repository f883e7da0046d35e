//! Dead Letter Office as a person sees it: pages, components, and the server functions that feed
//! them. Nothing here knows of Postgres or RabbitMQ: what it needs is asked of the desk (`desk`).
#![recursion_limit = "256"]
#![expect(
    clippy::needless_pass_by_value,
    reason = "a component takes its properties by value, whether or not it keeps them"
)]

pub mod api;
mod app;
mod codec;
mod components;
#[cfg(feature = "ssr")]
pub mod desk;
#[cfg(feature = "ssr")]
mod documents;
pub mod error;
pub mod links;
mod pages;
#[cfg(feature = "ssr")]
mod request;
mod shell;
mod visible;
mod wording;

pub use app::App;
#[cfg(feature = "ssr")]
pub use documents::{Documents, PostedMessage, UPLOAD as SCHEMA_UPLOAD, schema_uploaded};
#[cfg(feature = "ssr")]
pub use shell::document;
pub use shell::shell;
