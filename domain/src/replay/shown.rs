//! The plan that a dry run showed, as a token. Whoever makes a replay hands the token back, and it is made
//! of that plan or not at all.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{Address, Canary, NewReplay};
use crate::ids::LetterId;
use crate::selection::Selection;

/// Begins every token, so that one of an older form is told from one that was cut.
const VERSION: &str = "1";

/// The first 8 bytes of a SHA-256, in hexadecimal. Nobody gains by a collision: who could make one may
/// make the replay anyway.
type Mark = String;

/// The token of a plan. Only the server reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PlanToken(pub String);

/// A plan that was shown: what it was made of, field by field, as short digests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownPlan {
    /// How many letters it held.
    letters: u64,
    /// When the youngest of them had arrived, or when it was shown if that was later: what arrives after
    /// this moment was not shown.
    shown_until: DateTime<Utc>,
    /// Which letters, which arrival of each, and how they were chosen.
    which: Mark,
    /// Where each letter goes.
    target: Mark,
    canary: Mark,
    rate: Mark,
    start: Mark,
    /// Order, time to live, loop cap and second person.
    terms: Mark,
    /// The jq program, or the edited body.
    bodies: Mark,
}

/// The text is no token of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("`plan` is not a token that a dry run of this release gives: try the replay again first")]
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
    letters: u64,
    shown_until: DateTime<Utc>,
    which: Sha256,
    target: Sha256,
}

impl PlanDigest {
    /// The digest of a plan that has no letters yet. `now` is when it is shown.
    #[must_use]
    pub fn begin(selection: &Selection, now: DateTime<Utc>) -> Self {
        let mut which = Sha256::new();
        part(&mut which, &as_json(&sorted(selection)));
        Self { letters: 0, shown_until: now, which, target: Sha256::new() }
    }

    /// Adds the next letter, in the order of publishing.
    pub fn add(&mut self, letter: PlannedLetter<'_>) {
        self.letters += 1;
        self.shown_until = self.shown_until.max(letter.arrived_at);
        self.which.update(letter.id.0.as_bytes());
        self.which.update(letter.arrival.to_be_bytes());
        for text in
            [letter.broker, letter.vhost, &letter.address.exchange, &letter.address.routing_key]
        {
            part(&mut self.target, text.as_bytes());
        }
    }

    /// The plan, once every letter was added.
    #[must_use]
    pub fn finish(self, new: &NewReplay) -> ShownPlan {
        let Self { letters, shown_until, which, mut target } = self;
        part(&mut target, &as_json(&new.target));
        ShownPlan {
            letters,
            shown_until,
            which: mark(which),
            target: mark(target),
            canary: mark_of(&new.canary),
            rate: mark_of(&new.rate_per_second),
            start: mark_of(&new.start_at),
            terms: mark_of(&[
                new.in_order,
                new.keep_expiration,
                new.ignore_loop_cap,
                new.needs_approval,
            ]),
            bodies: mark_of(&(&new.transform, &new.edit)),
        }
    }
}

impl PlanToken {
    /// The plan that it stands for.
    ///
    /// # Errors
    /// Returns an error if the text is not a token of this release.
    pub fn read(&self) -> Result<ShownPlan, BadPlanToken> {
        self.0.parse()
    }
}

impl ShownPlan {
    /// Its token.
    #[must_use]
    pub fn token(&self) -> PlanToken {
        PlanToken(self.to_string())
    }

    /// Until when letters arrived that were shown.
    #[must_use]
    pub fn shown_until(&self) -> DateTime<Utc> {
        self.shown_until
    }

    /// The same plan with another canary.
    #[must_use]
    pub fn with_canary(&self, canary: &Canary) -> Self {
        Self { canary: mark_of(&Some(canary)), ..self.clone() }
    }

    /// What is different in the plan that would be carried out `now`, as a sentence; `None` if it is the
    /// plan that was shown.
    #[must_use]
    pub fn differs_from(&self, now: &Self) -> Option<String> {
        let letters = if self.letters == now.letters {
            (self.which != now.which).then(|| "the letters".to_owned())
        } else {
            Some(other_number(self.letters, now.letters))
        };
        let fields = [
            (self.target != now.target, "where they go"),
            (self.canary != now.canary, "the canary"),
            (self.rate != now.rate, "the rate"),
            (self.start != now.start, "when it begins"),
            (self.terms != now.terms, "the order, the time to live, the loop cap or the approval"),
            (self.bodies != now.bodies, "the bodies that are sent"),
        ];
        let fields = fields.into_iter().filter(|(differs, _)| *differs);
        let fields = fields.map(|(_, name)| name.to_owned());
        let different: Vec<String> = letters.into_iter().chain(fields).collect();
        (!different.is_empty()).then(|| {
            format!(
                "this is not the plan that was shown. Different now: {}. Nothing was published: look \
                 at the plan again",
                different.join("; ")
            )
        })
    }
}

fn other_number(shown: u64, now: u64) -> String {
    let change = shown.abs_diff(now);
    let letters = if change == 1 { "letter" } else { "letters" };
    let word = if now > shown { "more" } else { "fewer" };
    format!("{change} {word} {letters} than the {shown} that were shown")
}

impl fmt::Display for ShownPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { letters, shown_until, which, target, canary, rate, start, terms, bodies } = self;
        let until = shown_until.timestamp_micros();
        write!(
            f,
            "{VERSION}.{letters}.{until}.{which}.{target}.{canary}.{rate}.{start}.{terms}.{bodies}"
        )
    }
}

impl FromStr for ShownPlan {
    type Err = BadPlanToken;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts: Vec<&str> = text.split('.').collect();
        let [VERSION, letters, until, which, target, canary, rate, start, terms, bodies] =
            parts[..]
        else {
            return Err(BadPlanToken);
        };
        let until: i64 = until.parse().map_err(|_| BadPlanToken)?;
        Ok(Self {
            letters: letters.parse().map_err(|_| BadPlanToken)?,
            shown_until: DateTime::from_timestamp_micros(until).ok_or(BadPlanToken)?,
            which: read_mark(which)?,
            target: read_mark(target)?,
            canary: read_mark(canary)?,
            rate: read_mark(rate)?,
            start: read_mark(start)?,
            terms: read_mark(terms)?,
            bodies: read_mark(bodies)?,
        })
    }
}

fn read_mark(text: &str) -> Result<Mark, BadPlanToken> {
    let is_mark = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_mark.then(|| text.to_owned()).ok_or(BadPlanToken)
}

fn mark_of(value: &impl Serialize) -> Mark {
    let mut hash = Sha256::new();
    hash.update(as_json(value));
    mark(hash)
}

fn mark(hash: Sha256) -> Mark {
    let bytes = hash.finalize();
    bytes[..8].iter().fold(Mark::new(), |mut mark, byte| {
        let _ = write!(mark, "{byte:02x}");
        mark
    })
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
