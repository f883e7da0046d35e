//! A schema registry: Confluent's, or one that answers as it does (its API v1: `/schemas/ids/{id}`,
//! `/subjects/{subject}/versions/{version}`).

use std::collections::BTreeMap;
use std::time::Duration;

use dlo_domain::schema::{MOST_BYTES, MOST_FILES};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::{Client, StatusCode};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::config::{SchemaRegistryConfig, Secret};
use crate::tls;

/// How long one answer may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where schemas are asked for.
#[derive(Debug, Clone)]
pub struct SchemaRegistry {
    client: Client,
    base: String,
    token: Option<Secret>,
}

/// A schema as the registry has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RegistryAnswer {
    /// `AVRO`, `PROTOBUF` or `JSON`.
    pub(super) kind: String,
    /// Its text.
    pub(super) text: String,
    /// The texts of what it refers to, by the names by which it does.
    pub(super) references: BTreeMap<String, String>,
}

/// Why the registry did not tell.
#[derive(Debug, thiserror::Error)]
pub(super) enum RegistryError {
    /// It does not answer, or not as expected.
    #[error("the schema registry did not answer: {0}")]
    Http(#[from] reqwest::Error),
    /// It has nothing by this number.
    #[error("the schema registry does not know it")]
    Unknown,
    /// It answers, and does not tell.
    #[error(
        "the schema registry refuses ({0}): give DLO_SCHEMA_REGISTRY_URL a user, or DLO_SCHEMA_REGISTRY_TOKEN a token, that may read schemas"
    )]
    Refused(StatusCode),
    /// It answered with more than is read.
    #[error("the schema registry told more than is read: at most {MOST_FILES} texts and 8 MiB")]
    TooLarge,
    /// It answered with something that cannot be read.
    #[error("the schema registry answered with something unexpected: {0}")]
    Unexpected(#[from] serde_json::Error),
}

impl RegistryError {
    /// Whether it may well answer soon, whatever it is asked for.
    pub(super) fn is_away(&self) -> bool {
        matches!(self, Self::Http(_) | Self::Refused(_))
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    schema: String,
    #[serde(default)]
    schema_type: Option<String>,
    #[serde(default)]
    references: Vec<Reference>,
}

#[derive(Debug, Deserialize)]
struct Reference {
    name: String,
    subject: String,
    version: i64,
}

impl SchemaRegistry {
    /// The registry that is configured.
    ///
    /// # Errors
    /// Returns an error if no HTTP client can be made.
    pub fn new(config: &SchemaRegistryConfig) -> Result<Self, reqwest::Error> {
        let client = tls::client().timeout(PATIENCE).build()?;
        Ok(Self { client, base: config.url.expose().to_owned(), token: config.token.clone() })
    }

    /// The schema of a number, with all that it refers to.
    pub(super) async fn schema(&self, number: i32) -> Result<RegistryAnswer, RegistryError> {
        let answer: Answer = self.get(&format!("schemas/ids/{number}")).await?;
        let mut references = BTreeMap::new();
        let mut left = answer.references;
        let mut bytes = answer.schema.len();
        while let Some(Reference { name, subject, version }) = left.pop() {
            if references.contains_key(&name) {
                continue;
            }
            let subject = utf8_percent_encode(&subject, NON_ALPHANUMERIC);
            let referred: Answer =
                self.get(&format!("subjects/{subject}/versions/{version}")).await?;
            bytes += referred.schema.len();
            if references.len() + 1 >= MOST_FILES || bytes > MOST_BYTES {
                return Err(RegistryError::TooLarge);
            }
            references.insert(name, referred.schema);
            left.extend(referred.references);
        }
        let kind = answer.schema_type.unwrap_or_else(|| "AVRO".to_owned());
        Ok(RegistryAnswer { kind, text: answer.schema, references })
    }

    async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, RegistryError> {
        // Addresses hold the password: it must not reach a log or a page.
        let sealed = reqwest::Error::without_url;
        let asked = self.client.get(format!("{}/{path}", self.base));
        let asked = match &self.token {
            Some(token) => asked.bearer_auth(token.expose()),
            None => asked,
        };
        let asked = asked.send().await;
        let answer = asked.map_err(sealed)?;
        let mut answer = match answer.status() {
            StatusCode::NOT_FOUND => return Err(RegistryError::Unknown),
            status if status.is_client_error() => return Err(RegistryError::Refused(status)),
            _ => answer.error_for_status().map_err(sealed)?,
        };
        let mut bytes = Vec::new();
        while let Some(chunk) = answer.chunk().await.map_err(sealed)? {
            if bytes.len() + chunk.len() > 2 * MOST_BYTES {
                return Err(RegistryError::TooLarge);
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(serde_json::from_slice(&bytes)?)
    }
}
