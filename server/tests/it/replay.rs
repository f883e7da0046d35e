//! Letters published again to a real broker, and what came of each.

mod canary;
mod changes;
mod full_speed;
mod interruptions;
mod order;
mod outcomes;
mod races;
mod sizes;
mod steering;
mod targets;
mod watch;
