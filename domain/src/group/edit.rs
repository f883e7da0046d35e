//! What people change of a group, and what of it is allowed.

use serde::{Deserialize, Deserializer, Serialize};

use super::{GroupState, Mute};
use crate::grouping::SignatureId;
use crate::ids::GroupId;

const MOST_TAGS: usize = 20;
/// Characters of a tag, of an owner, of an address, of a note.
const MOST_TAG: usize = 50;
const MOST_OWNER: usize = 100;
const MOST_URL: usize = 500;
const MOST_NOTE: usize = 4_000;

/// A change of a group. What is absent stays; what is `null` is taken away.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct GroupEdit {
    /// Where it stands from now on: open, investigating, muted (with `mute`) or resolved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<GroupState>,
    /// When the mute ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mute: Option<Mute>,
    /// Who looks into it. Investigating without an owner makes the caller the owner.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub owner: Option<Option<String>>,
    /// The address of the ticket.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub ticket_url: Option<Option<String>>,
    /// All tags.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// A note for the timeline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Tells `null` from absence.
#[expect(clippy::option_option, reason = "absent, null and a value are three things")]
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// Groups that become part of another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct MergeGroups {
    /// These.
    pub groups: Vec<GroupId>,
    /// Of this one.
    pub into: GroupId,
}

/// Signatures that leave a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SplitGroup {
    /// The group.
    pub group: GroupId,
    /// The signatures, 32 hexadecimal digits each.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<String>))]
    pub signatures: Vec<SignatureId>,
}

/// The group that signatures went to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SplitOff {
    /// Its id.
    pub group: GroupId,
}

/// A change that is not allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditFault {
    /// Nothing is said.
    #[error("nothing to change: give state, mute, owner, ticket_url, tags or note")]
    Nothing,
    /// Only letters make a group regress.
    #[error("a group regresses on its own when its letters die again: use open instead")]
    Regressed,
    /// A mute without an end.
    #[error("a mute needs an end: give `mute` with until, arrivals or per_hour")]
    EndlessMute,
    /// An end without a mute.
    #[error("`mute` goes with `\"state\": \"muted\"` only")]
    MuteAlone,
    /// An end that cannot be reached.
    #[error("a mute ends after at least one arrival")]
    MuteCount,
    /// No address that a browser may follow.
    #[error(
        "the ticket's address must begin with http:// or https:// and have at most {MOST_URL} characters"
    )]
    Url,
    /// An owner that is empty or too long.
    #[error("an owner has 1 to {MOST_OWNER} characters; null takes the owner away")]
    Owner,
    /// Tags that are too many, empty or too long.
    #[error("a group has at most {MOST_TAGS} tags of 1 to {MOST_TAG} characters")]
    Tags,
    /// A note that is empty or too long.
    #[error("a note has 1 to {MOST_NOTE} characters")]
    Note,
}

/// Whether a text has 1 to `most` characters, none of them a control character but line ends.
fn is_fit(text: &str, most: usize) -> bool {
    !text.trim().is_empty()
        && text.chars().count() <= most
        && text.chars().all(|letter| !letter.is_control() || letter == '\n')
}

impl GroupEdit {
    /// Checks everything that can be checked without the group.
    ///
    /// # Errors
    /// The first fault.
    pub fn check(&self) -> Result<(), EditFault> {
        if *self == Self::default() {
            return Err(EditFault::Nothing);
        }
        self.check_state()?;
        if let Some(Some(owner)) = &self.owner
            && !is_fit(owner, MOST_OWNER)
        {
            return Err(EditFault::Owner);
        }
        if let Some(Some(url)) = &self.ticket_url
            && !(is_fit(url, MOST_URL)
                && (url.starts_with("https://") || url.starts_with("http://")))
        {
            return Err(EditFault::Url);
        }
        if let Some(tags) = &self.tags
            && !(tags.len() <= MOST_TAGS && tags.iter().all(|tag| is_fit(tag, MOST_TAG)))
        {
            return Err(EditFault::Tags);
        }
        match &self.note {
            Some(note) if !is_fit(note, MOST_NOTE) => Err(EditFault::Note),
            _ => Ok(()),
        }
    }

    fn check_state(&self) -> Result<(), EditFault> {
        match (self.state, self.mute) {
            (Some(GroupState::Regressed), _) => Err(EditFault::Regressed),
            (Some(GroupState::Muted), None) => Err(EditFault::EndlessMute),
            (Some(GroupState::Muted), Some(mute)) if mute == Mute::default() => {
                Err(EditFault::EndlessMute)
            }
            (Some(GroupState::Muted), Some(mute)) => {
                let least = [mute.arrivals, mute.per_hour].into_iter().flatten().min();
                if least.is_some_and(|count| count < 1) {
                    return Err(EditFault::MuteCount);
                }
                Ok(())
            }
            (_, Some(_)) => Err(EditFault::MuteAlone),
            (_, None) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> GroupEdit {
        serde_json::from_str(json).expect("an edit")
    }

    #[test]
    fn null_takes_away_and_absence_leaves() {
        assert_eq!(read(r#"{"owner": null}"#).owner, Some(None));
        assert_eq!(read(r#"{"note": "x"}"#).owner, None);
        assert_eq!(read(r#"{"owner": "anna"}"#).owner, Some(Some("anna".to_owned())));
    }

    #[test]
    fn what_is_allowed() {
        for edit in [
            r#"{"state": "investigating"}"#,
            r#"{"state": "muted", "mute": {"arrivals": 10}}"#,
            r#"{"state": "muted", "mute": {"until": "2026-12-01T00:00:00Z", "per_hour": 5}}"#,
            r#"{"ticket_url": "https://tickets.example/1", "tags": ["billing"], "note": "two\nlines"}"#,
        ] {
            assert_eq!(read(edit).check(), Ok(()), "{edit}");
        }
    }

    #[test]
    fn what_is_refused() {
        for (edit, fault) in [
            ("{}", EditFault::Nothing),
            (r#"{"state": "regressed"}"#, EditFault::Regressed),
            (r#"{"state": "muted"}"#, EditFault::EndlessMute),
            (r#"{"state": "muted", "mute": {}}"#, EditFault::EndlessMute),
            (r#"{"state": "open", "mute": {"arrivals": 1}}"#, EditFault::MuteAlone),
            (r#"{"state": "muted", "mute": {"arrivals": 0}}"#, EditFault::MuteCount),
            (r#"{"ticket_url": "javascript:alert(1)"}"#, EditFault::Url),
            (r#"{"owner": " "}"#, EditFault::Owner),
            (r#"{"tags": [""]}"#, EditFault::Tags),
            (r#"{"note": "\u0000"}"#, EditFault::Note),
        ] {
            assert_eq!(read(edit).check(), Err(fault), "{edit}");
        }
        assert!(serde_json::from_str::<GroupEdit>(r#"{"titel": "x"}"#).is_err());
    }
}
