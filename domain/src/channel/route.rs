//! Which alerts go where, and when.

use serde::{Deserialize, Serialize};

use super::time_of_day::TimeOfDay;
use super::{ChannelFault, MOST_NAME_CHARS};
use crate::alert::AlertSubject;
use crate::filter::LetterFilter;
use crate::ids::SourceId;
use crate::severity::Severity;

/// Owners of groups that a route names.
pub(super) const MOST_OWNERS: usize = 50;

/// When a channel is told of an alert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// At once.
    Now,
    /// With all others of its kind, once a day.
    Digest,
}

/// Which alerts a channel is told of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Route {
    /// At once of those that are so bad.
    pub severities: Vec<Severity>,
    /// Once a day, in one message, of those that are so bad.
    pub digest: Vec<Severity>,
    /// When that is, UTC.
    #[cfg_attr(feature = "openapi", schema(value_type = String, example = "07:00"))]
    pub digest_at: TimeOfDay,
    /// Those about one of these sources, or about none; empty means any.
    pub sources: Vec<SourceId>,
    /// Of those about a group, those about one of these owners' groups; empty means any.
    #[cfg_attr(feature = "openapi", schema(max_items = 50))]
    pub owners: Vec<String>,
    /// Of those about a group, those about one whose newest letter this filter matches; empty means any.
    #[cfg_attr(feature = "openapi", schema(example = "queue:payments.*"))]
    pub filter: String,
}

impl Default for Route {
    fn default() -> Self {
        Self {
            severities: vec![Severity::Critical, Severity::High],
            digest: vec![Severity::Normal],
            digest_at: TimeOfDay::morning(),
            sources: Vec::new(),
            owners: Vec::new(),
            filter: String::new(),
        }
    }
}

impl Route {
    /// When an alert goes there, as far as severity and source say: owners and filter ask for its group. `None`
    /// if it does not.
    #[must_use]
    pub fn delivery(&self, severity: Severity, subject: &AlertSubject) -> Option<Delivery> {
        let is_of_ours = |source: SourceId| self.sources.contains(&source);
        if !self.sources.is_empty() && !subject.source.is_none_or(is_of_ours) {
            return None;
        }
        if self.severities.contains(&severity) {
            Some(Delivery::Now)
        } else {
            self.once_a_day().any(|one| one == severity).then_some(Delivery::Digest)
        }
    }

    /// The severities that are told once a day: those of its digest that are not told at once.
    pub fn once_a_day(&self) -> impl Iterator<Item = Severity> {
        self.digest.iter().copied().filter(|one| !self.severities.contains(one))
    }

    /// Whether it takes what is about a group of this owner.
    #[must_use]
    pub fn takes_owner(&self, owner: Option<&str>) -> bool {
        let is_one = |owner: &str| self.owners.iter().any(|one| one == owner);
        self.owners.is_empty() || owner.is_some_and(is_one)
    }

    pub(super) fn checked(&self) -> Result<Self, ChannelFault> {
        if self.severities.is_empty() && self.digest.is_empty() {
            return Err(ChannelFault::Route);
        }
        let is_one = |owner: &String| (1..=MOST_NAME_CHARS).contains(&owner.chars().count());
        if self.owners.len() > MOST_OWNERS || !self.owners.iter().all(is_one) {
            return Err(ChannelFault::Owners);
        }
        let filter = LetterFilter::parse(&self.filter);
        let filter = filter.map_err(|why| ChannelFault::Filter(why.to_string()))?;
        Ok(Self { filter: filter.to_string(), ..self.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_bad_goes_at_once_what_is_normal_in_the_morning_and_what_is_low_nowhere() {
        let usual = Route::default();
        let of = |severity| usual.delivery(severity, &AlertSubject::default());
        assert_eq!(
            Severity::ALL.map(of),
            [Some(Delivery::Now), Some(Delivery::Now), Some(Delivery::Digest), None]
        );
        let both = Route { severities: vec![Severity::Normal], ..usual.clone() };
        let subject = AlertSubject::default();
        assert_eq!(both.delivery(Severity::Normal, &subject), Some(Delivery::Now));
        assert_eq!(both.delivery(Severity::High, &subject), None);
        assert_eq!(both.once_a_day().count(), 0, "what is told at once is not told again");
        assert_eq!(usual.once_a_day().collect::<Vec<_>>(), [Severity::Normal]);
        let none = Route { severities: Vec::new(), digest: Vec::new(), ..usual };
        assert_eq!(none.checked(), Err(ChannelFault::Route));
        let digest = Route { digest: vec![Severity::Low], ..none };
        assert!(digest.checked().is_ok());
    }
}
