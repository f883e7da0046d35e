//! The plan that a dry run showed, as a token. Whoever makes a replay hands the token back, and it is made
//! of that plan or not at all.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{Address, Canary, NewReplay};
use crate::ids::LetterId;
use crate::selection::Selection;

/// Begins every token, so that one of an older form is told from one that was cut.
const VERSION: &str = "3";

/// What people are told whose plan is another by now.
pub const NOT_AS_SHOWN: &str = "this is not the plan that was shown: the letters, the target or a \
    setting changed. Nothing was published: check the plan again";

/// The token of a plan. Only the server reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PlanToken(pub String);

/// A plan that was shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownPlan {
    /// When the youngest of its letters had arrived, or when it was shown if that was later: what arrives after
    /// this moment was not shown.
    pub shown_until: DateTime<Utc>,
    /// Which letters, which arrival of each, where each goes, and how; in hexadecimal.
    digest: String,
    /// The canary, apart from all else: a page that shows a plan without one offers the same plan with one.
    canary: String,
}

/// The text is no token of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("`plan` is not a token of a dry run of this release: make a dry run first")]
pub struct BadPlanToken;

/// A letter of a plan, as far as its token goes.
#[derive(Debug, Clone, Copy)]
pub struct PlannedLetter<'a> {
    /// The letter.
    pub id: LetterId,
    /// The ordinal of its last arrival.
    pub arrival: i32,
    /// When that was.
    pub arrived_at: DateTime<Utc>,
    /// The broker.
    pub broker: &'a str,
    /// The vhost.
    pub vhost: &'a str,
    /// Where it goes.
    pub address: &'a Address,
}

/// The digest of a plan that is being made, letter by letter.
#[derive(Debug)]
pub struct PlanDigest {
    shown_until: DateTime<Utc>,
    canary: String,
    hash: Sha256,
}

impl PlanDigest {
    /// The digest of a plan that has no letters yet. `now` is when it is shown.
    #[must_use]
    pub fn begin(new: &NewReplay, now: DateTime<Utc>) -> Self {
        let terms = [new.in_order, new.keep_expiration, new.ignore_loop_cap, new.needs_approval];
        let settings = (&new.target, new.rate_per_second, new.start_at, terms);
        let mut hash = Sha256::new();
        part(&mut hash, &as_json(&sorted(&new.selection)));
        part(
            &mut hash,
            &as_json(&(settings, &new.transform, &new.edit, &new.headers, new.open_envelopes)),
        );
        Self { shown_until: now, canary: canary_mark(new.canary.as_ref()), hash }
    }

    /// Adds the next letter, in the order of publishing.
    pub fn add(&mut self, letter: PlannedLetter<'_>) {
        self.shown_until = self.shown_until.max(letter.arrived_at);
        self.hash.update(letter.id.0.as_bytes());
        self.hash.update(letter.arrival.to_be_bytes());
        for text in
            [letter.broker, letter.vhost, &letter.address.exchange, &letter.address.routing_key]
        {
            part(&mut self.hash, text.as_bytes());
        }
    }

    /// The plan, once every letter was added.
    #[must_use]
    pub fn finish(self) -> ShownPlan {
        let Self { shown_until, canary, hash } = self;
        ShownPlan { shown_until, digest: hex::encode(hash.finalize()), canary }
    }
}

impl PlanToken {
    /// The plan that it stands for.
    ///
    /// # Errors
    /// Returns an error if the text is not a token of this release.
    pub fn read(&self) -> Result<ShownPlan, BadPlanToken> {
        let parts: Vec<&str> = self.0.split('.').collect();
        let [VERSION, until, digest, canary] = parts[..] else {
            return Err(BadPlanToken);
        };
        let is_hash =
            |text: &str| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let until = until.parse().ok().and_then(DateTime::from_timestamp_micros);
        let shown_until = until.filter(|_| is_hash(digest) && is_hash(canary));
        Ok(ShownPlan {
            shown_until: shown_until.ok_or(BadPlanToken)?,
            digest: digest.to_owned(),
            canary: canary.to_owned(),
        })
    }
}

impl ShownPlan {
    /// Its token.
    #[must_use]
    pub fn token(&self) -> PlanToken {
        let Self { shown_until, digest, canary } = self;
        let until = shown_until.timestamp_micros();
        PlanToken(format!("{VERSION}.{until}.{digest}.{canary}"))
    }

    /// The same plan with another canary.
    #[must_use]
    pub fn with_canary(self, canary: &Canary) -> Self {
        Self { canary: canary_mark(Some(canary)), ..self }
    }

    /// Whether the plan that would be carried out `now` is this one.
    #[must_use]
    pub fn is_still(&self, now: &Self) -> bool {
        (&self.digest, &self.canary) == (&now.digest, &now.canary)
    }
}

fn canary_mark(canary: Option<&Canary>) -> String {
    hex::encode(Sha256::digest(as_json(&canary)))
}

/// Adds a part with its length, so that no two lists of parts read alike.
fn part(hash: &mut Sha256, bytes: &[u8]) {
    hash.update((bytes.len() as u64).to_be_bytes());
    hash.update(bytes);
}

fn as_json(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("members of a replay always have a JSON form")
}

/// The same selection, its ids in their order: they mean the same letters however they stand.
fn sorted(selection: &Selection) -> Selection {
    let mut sorted = selection.clone();
    if let Some(ids) = &mut sorted.ids {
        ids.sort_unstable();
        ids.dedup();
    }
    sorted
}

#[cfg(test)]
mod tests;
