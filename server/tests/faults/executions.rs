//! Executions while a server stands still.

mod standing_still;
