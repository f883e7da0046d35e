//! Alerts of offices that are processes, told to a stand-in for Slack.

mod outbox;
mod thresholds;
