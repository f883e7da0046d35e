//! How a replay is to be carried out, as people write it in a form or an address.

mod reading;

use chrono::SecondsFormat;
use dlo_domain::replay::Replay;
use serde::{Deserialize, Serialize};

/// The fields of the form, as text. What is empty is as usual.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ReplayFields {
    /// The word of a target; without one the queue decides.
    pub mode: String,
    /// A queue.
    pub queue: String,
    /// An exchange, and the routing key for it.
    pub exchange: String,
    /// The routing key.
    pub key: String,
    /// A worker.
    pub worker: String,
    /// Letters a second.
    pub rate: String,
    /// The steps of a canary, such as `1, 10, 100`; the usual ones when only the others of its fields are
    /// filled, and no canary when none is.
    pub steps: String,
    /// Percent that may go wrong.
    pub stop_above: String,
    /// Seconds that a step is watched.
    pub watch: String,
    /// Anything: one at a time, in the order of arrival.
    pub in_order: String,
    /// Anything: letters keep the time to live of their senders.
    pub keep_expiration: String,
    /// Minutes from now, or a time in UTC.
    pub start: String,
    /// Anything: letters at the loop cap too.
    pub ignore_loop_cap: String,
    /// Anything: letters too of which only the message says where they died.
    pub claimed_origins: String,
    /// Headers to leave out, `-name`, and to set, `name=value`, with commas between them.
    pub headers: String,
    /// Anything: what is inside of envelopes is sent.
    pub open_envelopes: String,
    /// A jq program that changes what is sent.
    pub jq: String,
    /// Anything: another person has to approve it.
    pub needs_approval: String,
}

/// The fields with their names in an address, in the order of the form.
pub const FIELDS: [&str; 18] = [
    "mode",
    "queue",
    "exchange",
    "key",
    "worker",
    "rate",
    "steps",
    "stop_above",
    "watch",
    "in_order",
    "keep_expiration",
    "start",
    "ignore_loop_cap",
    "claimed_origins",
    "headers",
    "open_envelopes",
    "jq",
    "needs_approval",
];

impl ReplayFields {
    /// From the fields of an address.
    pub fn read(mut field: impl FnMut(&str) -> Option<String>) -> Self {
        let mut fields = Self::default();
        for name in FIELDS {
            if let Some(value) = field(name)
                && let Some(place) = fields.place(name)
            {
                // A form sends every end of a line as CR LF, our script as LF.
                *place = value.replace("\r\n", "\n");
            }
        }
        fields
    }

    /// A field by its name.
    #[must_use]
    pub fn get(&self, name: &str) -> String {
        let mut copy = self.clone();
        copy.place(name).cloned().unwrap_or_default()
    }

    /// The same as a plan of it was understood: with the steps of its canary, where nobody wrote any, and
    /// with the moment that so many minutes come to. Whoever reads the form again sees what was meant, and
    /// what is sent again means the same.
    #[must_use]
    pub(crate) fn in_terms_of(mut self, plan: &Replay) -> Self {
        if let Some(start) = plan.start_at {
            let start = start.to_rfc3339_opts(SecondsFormat::Secs, true);
            start.trim_end_matches('Z').clone_into(&mut self.start);
        }
        if let Some(canary) = &plan.canary
            && self.steps.trim().is_empty()
        {
            let steps: Vec<String> = canary.steps.iter().map(ToString::to_string).collect();
            self.steps = steps.join(", ");
        }
        self
    }

    /// The fields that change messages; the others are as usual.
    pub(super) fn what_is_sent(self) -> Self {
        Self {
            keep_expiration: self.keep_expiration,
            headers: self.headers,
            open_envelopes: self.open_envelopes,
            jq: self.jq,
            ..Self::default()
        }
    }

    /// Changes more headers.
    pub(super) fn add_headers(&mut self, more: &str) {
        let own = std::mem::take(&mut self.headers);
        self.headers = if own.trim().is_empty() { more.to_owned() } else { own + ", " + more };
    }

    fn place(&mut self, name: &str) -> Option<&mut String> {
        Some(match name {
            "mode" => &mut self.mode,
            "queue" => &mut self.queue,
            "exchange" => &mut self.exchange,
            "key" => &mut self.key,
            "worker" => &mut self.worker,
            "rate" => &mut self.rate,
            "steps" => &mut self.steps,
            "stop_above" => &mut self.stop_above,
            "watch" => &mut self.watch,
            "in_order" => &mut self.in_order,
            "keep_expiration" => &mut self.keep_expiration,
            "start" => &mut self.start,
            "ignore_loop_cap" => &mut self.ignore_loop_cap,
            "claimed_origins" => &mut self.claimed_origins,
            "headers" => &mut self.headers,
            "open_envelopes" => &mut self.open_envelopes,
            "jq" => &mut self.jq,
            "needs_approval" => &mut self.needs_approval,
            _ => return None,
        })
    }
}
