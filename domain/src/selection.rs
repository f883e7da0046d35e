//! Which letters an action is for.

use serde::{Deserialize, Serialize};

use crate::ids::{GroupId, LetterId};

/// Letters by id, all that a filter matches at this moment, or all of a group.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Selection {
    /// These letters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ids: Option<Vec<LetterId>>,
    /// All letters that match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<String>,
    /// All letters of this group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<GroupId>,
    /// Says that an empty filter really means all letters.
    #[serde(skip_serializing_if = "is_false")]
    pub all: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

/// Letters that a replay or a discard does not touch, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LeftOut {
    /// Why, as a sentence.
    pub reason: String,
    /// How many letters.
    pub letters: i64,
    /// Some of them.
    pub examples: Vec<LetterId>,
}

/// What a discard or a restore did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Changed {
    /// Letters that changed.
    pub changed: i64,
    /// Letters that did not, and why.
    pub left_out: Vec<LeftOut>,
    /// The letters that changed, with which just these can be changed back; empty when they are more than
    /// 10,000.
    #[serde(default)]
    pub ids: Vec<LetterId>,
}

/// At most this many letters by id in one action.
pub const MOST_IDS: usize = 10_000;

/// A selection that cannot be followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SelectionFault {
    /// Nothing said.
    #[error("the selection is empty: give `ids`, `filter` or `group`")]
    Nothing,
    /// More than one said.
    #[error("the selection has more than one of `ids`, `filter` and `group`: give one of them")]
    Several,
    /// An empty list.
    #[error("`ids` is empty: name at least one letter")]
    NoIds,
    /// A list that is too long.
    #[error("`ids` names {0} letters, more than {MOST_IDS}: use a filter or several calls")]
    TooManyIds(usize),
    /// An empty filter without its safety catch.
    #[error("an empty filter means every letter: say `\"all\": true` if that is meant")]
    AllNotSaid,
}

/// A selection that was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chosen<'a> {
    /// These letters.
    Ids(&'a [LetterId]),
    /// Those that match this filter text.
    Matching(&'a str),
    /// Those of this group.
    Group(GroupId),
}

impl Selection {
    /// These letters.
    #[must_use]
    pub fn of_ids(ids: Vec<LetterId>) -> Self {
        Self { ids: Some(ids), ..Self::default() }
    }

    /// Checks what is chosen.
    ///
    /// # Errors
    /// `SelectionFault` when nothing, too much or everything by accident is chosen.
    pub fn chosen(&self) -> Result<Chosen<'_>, SelectionFault> {
        match (&self.ids, &self.filter, self.group) {
            (None, None, None) if self.all => Ok(Chosen::Matching("")),
            (None, None, None) => Err(SelectionFault::Nothing),
            (Some(ids), None, None) if ids.is_empty() => Err(SelectionFault::NoIds),
            (Some(ids), None, None) if ids.len() > MOST_IDS => {
                Err(SelectionFault::TooManyIds(ids.len()))
            }
            (Some(ids), None, None) => Ok(Chosen::Ids(ids)),
            (None, Some(filter), None) if filter.trim().is_empty() && !self.all => {
                Err(SelectionFault::AllNotSaid)
            }
            (None, Some(filter), None) => Ok(Chosen::Matching(filter)),
            (None, None, Some(group)) => Ok(Chosen::Group(group)),
            _ => Err(SelectionFault::Several),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(json: &str) -> SelectionFault {
        let selection: Selection = serde_json::from_str(json).expect("readable");
        selection.chosen().expect_err("a fault")
    }

    #[test]
    fn everything_is_never_chosen_by_accident() {
        assert_eq!(fault("{}"), SelectionFault::Nothing);
        assert_eq!(fault(r#"{"filter": "  "}"#), SelectionFault::AllNotSaid);
        assert_eq!(fault(r#"{"ids": []}"#), SelectionFault::NoIds);
        assert_eq!(fault(r#"{"ids": [], "filter": "state:held"}"#), SelectionFault::Several);
        assert_eq!(
            fault(&format!(r#"{{"filter": "", "all": true, "group": "{}"}}"#, uuid::Uuid::nil())),
            SelectionFault::Several
        );
        let all: Selection =
            serde_json::from_str(r#"{"filter": "", "all": true}"#).expect("readable");
        assert_eq!(all.chosen(), Ok(Chosen::Matching("")));
    }

    #[test]
    fn unknown_members_are_refused_and_not_ignored() {
        assert!(serde_json::from_str::<Selection>(r#"{"queue": "a"}"#).is_err());
    }
}
