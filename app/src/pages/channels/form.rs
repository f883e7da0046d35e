//! The form of a channel: what stands in its fields, read and written.

use dlo_domain::channel::{
    Channel, ChannelKind, NewChannel, NoTimeOfDay, Route, UnknownChannelKind,
};
use dlo_domain::severity::Severity;
use serde::{Deserialize, Serialize};

use crate::api;
use crate::error::ApiError;
use crate::links;
use crate::pages::reading::chosen;
use crate::query::Query;

/// What stands in the fields.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ChannelForm {
    /// What it is called.
    pub(crate) name: String,
    /// What it speaks.
    pub(crate) kind: String,
    /// Where it is posted: a secret, which no address of ours may hold.
    pub(crate) address: String,
    /// What a webhook's messages are signed with: a secret, too.
    pub(crate) secret: String,
    /// Of which alerts it is told at once.
    pub(crate) severities: Vec<String>,
    /// Of which alerts it is told once a day.
    pub(crate) digest: Vec<String>,
    /// When that is.
    pub(crate) digest_at: String,
    /// About which sources; none means all.
    pub(crate) sources: Vec<String>,
    /// Of which owners' groups, divided by commas; none means all.
    pub(crate) owners: String,
    /// Of which groups, as a filter.
    pub(crate) filter: String,
    /// `yes` while it is used.
    pub(crate) enabled: String,
}

/// Its address and its secret are nobody's to read.
impl std::fmt::Debug for ChannelForm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ChannelForm").field("name", &self.name).finish_non_exhaustive()
    }
}

impl ChannelForm {
    /// The fields of a channel that nobody has written yet.
    pub(super) fn usual() -> Self {
        Self::filled("", ChannelKind::Slack, &Route::default(), true)
    }

    /// The fields of a channel that is kept.
    pub(super) fn of(channel: &Channel) -> Self {
        Self::filled(&channel.name, channel.kind, &channel.route, channel.enabled)
    }

    fn filled(name: &str, kind: ChannelKind, route: &Route, enabled: bool) -> Self {
        Self {
            name: name.to_owned(),
            kind: kind.as_str().to_owned(),
            address: String::new(),
            secret: String::new(),
            owners: route.owners.join(", "),
            filter: route.filter.clone(),
            severities: route.severities.iter().map(Severity::to_string).collect(),
            digest: route.digest.iter().map(Severity::to_string).collect(),
            digest_at: route.digest_at.to_string(),
            sources: route.sources.iter().map(ToString::to_string).collect(),
            enabled: if enabled { "yes" } else { "" }.to_owned(),
        }
    }

    /// The channel that is written.
    pub(super) fn read(&self) -> Result<NewChannel, ApiError> {
        let kind = self.kind.parse();
        let severities = |words: &[String]| {
            let severities = words.iter().map(|word| word.parse::<Severity>());
            let severities = severities.collect::<Result<Vec<_>, _>>();
            severities.map_err(|why| ApiError::invalid(why.to_string()))
        };
        let digest_at = self.digest_at.parse();
        let sources = self.sources.iter().map(|id| api::id(id, "source"));
        Ok(NewChannel {
            name: self.name.clone(),
            kind: kind.map_err(|why: UnknownChannelKind| ApiError::invalid(why.to_string()))?,
            address: chosen(&self.address).map(str::to_owned),
            // The form of a new channel has one ready, whatever kind is chosen then.
            secret: chosen(&self.secret)
                .filter(|_| self.kind == ChannelKind::Webhook.as_str())
                .map(str::to_owned),
            route: Route {
                severities: severities(&self.severities)?,
                digest: severities(&self.digest)?,
                digest_at: digest_at
                    .map_err(|why: NoTimeOfDay| ApiError::invalid(why.to_string()))?,
                sources: sources.collect::<Result<Vec<_>, _>>()?,
                owners: self.owners.split(',').filter_map(chosen).map(str::to_owned).collect(),
                filter: self.filter.clone(),
            },
            enabled: self.enabled == "yes",
        })
    }

    /// The page of the form with what is written in it, but for the secrets.
    pub(super) fn address_of(&self, id: &str) -> String {
        let (severities, sources) = (self.severities.join(" "), self.sources.join(" "));
        let digest = self.digest.join(" ");
        let fields = [
            ("written", "yes"),
            ("name", &self.name),
            ("kind", &self.kind),
            ("severities", &severities),
            ("digest", &digest),
            ("digest_at", &self.digest_at),
            ("sources", &sources),
            ("owners", &self.owners),
            ("filter", &self.filter),
            ("enabled", &self.enabled),
        ];
        links::with_query(&format!("{}/{id}", links::CHANNELS), fields)
    }

    /// What the address of the form's page says was written; nothing when it says nothing.
    pub(super) fn of_address(query: &Query) -> Option<Self> {
        query.get("written")?;
        let of = |name| query.get(name).unwrap_or_default();
        let words = |name| of(name).split(' ').filter_map(chosen).map(str::to_owned).collect();
        Some(Self {
            name: of("name"),
            kind: of("kind"),
            address: String::new(),
            secret: String::new(),
            owners: of("owners"),
            filter: of("filter"),
            severities: words("severities"),
            digest: words("digest"),
            digest_at: of("digest_at"),
            sources: words("sources"),
            enabled: of("enabled"),
        })
    }
}
