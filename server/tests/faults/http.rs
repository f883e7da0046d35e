//! Limits of the HTTP server on time and on what may run at once.

mod crowd;
mod patience;
