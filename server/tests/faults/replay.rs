//! Replays whose office is killed, whose connection is cut, and the goals that count what came of every letter.

mod attribution;
mod canary;
mod claims;
mod ended_connections;
#[cfg(debug_assertions)]
mod failpoints;
mod full_speed;
mod interruptions;
#[cfg(debug_assertions)]
mod kills;
mod matrix;
mod order;
mod races;
mod steering;
mod watch;
