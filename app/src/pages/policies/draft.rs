//! A policy as the fields of its form hold it, and as an address does.

use crate::query::Query;
use serde::{Deserialize, Serialize};

/// A policy that is being written. Boxes that are checked say `on`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct PolicyDraft {
    /// The policy that it is written for; empty for a new one.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its filter.
    pub filter: String,
    /// Whether an empty filter is meant to discard everything.
    pub all: String,
    /// `retry`, `hold` or `discard`.
    pub verdict: String,
    /// The delays before each try, as `10s 2m 1h`.
    pub delays: String,
    /// In percent.
    pub jitter: String,
    /// Retries a minute.
    pub budget: String,
    /// Days of the week, as `mon tue`; empty for all.
    pub days: String,
    /// From this time of the day.
    pub from: String,
    /// Until this one.
    pub until: String,
    /// Whether it has a circuit breaker.
    pub breaker: String,
    /// In percent.
    pub stop_above: String,
    /// Of so many.
    pub of_last: String,
    /// In seconds.
    pub watch: String,
    /// In seconds.
    pub pause: String,
    /// Headers to leave out, `-name`, and to set, `name=value`, with commas between them.
    pub headers: String,
    /// Whether what is inside of envelopes is sent.
    pub open_envelopes: String,
    /// Whether it only looks.
    pub shadow: String,
    /// Whether it is asked.
    pub enabled: String,
}

/// The fields, without the id.
const FIELDS: usize = 19;

impl PolicyDraft {
    /// The draft that the address of a form holds, and whether it holds one. `id` is the path's.
    pub(super) fn of(id: String, query: &Query) -> (Self, bool) {
        let mut draft = Self::default();
        for (name, field) in draft.fields() {
            if let Some(value) = query.get_str(name) {
                value.clone_into(field);
            }
        }
        draft.id = id;
        (draft, query.get_str("name").is_some())
    }

    fn fields(&mut self) -> [(&'static str, &mut String); FIELDS] {
        [
            ("name", &mut self.name),
            ("filter", &mut self.filter),
            ("all", &mut self.all),
            ("verdict", &mut self.verdict),
            ("delays", &mut self.delays),
            ("jitter", &mut self.jitter),
            ("budget", &mut self.budget),
            ("days", &mut self.days),
            ("from", &mut self.from),
            ("until", &mut self.until),
            ("breaker", &mut self.breaker),
            ("stop_above", &mut self.stop_above),
            ("of_last", &mut self.of_last),
            ("watch", &mut self.watch),
            ("pause", &mut self.pause),
            ("headers", &mut self.headers),
            ("open_envelopes", &mut self.open_envelopes),
            ("shadow", &mut self.shadow),
            ("enabled", &mut self.enabled),
        ]
    }

    /// The form with this in it, with what is wrong or would be done.
    pub(super) fn address(&self) -> String {
        let mut draft = self.clone();
        let path = crate::links::policy_form(&self.id);
        let fields = draft.fields();
        let pairs = fields.iter().map(|(name, value)| (*name, value.as_str()));
        // A name that is not there would be no draft.
        let is_nameless = self.name.is_empty().then_some(("name", " "));
        crate::links::with_query(&path, pairs.chain(is_nameless).chain([("look", "yes")]))
    }
}
