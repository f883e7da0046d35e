//! The schema registry that is asked for schemas by their numbers.

use super::database::Secret;
use super::file::Reader;

/// The section `[schema_registry]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaRegistryConfig {
    /// Where it is: `https://user:password@host:8081`.
    pub url: Secret,
    /// What it is shown in place of a user: a bearer token.
    pub token: Option<Secret>,
}

pub(super) fn read(reader: &mut Reader<'_>) -> Option<SchemaRegistryConfig> {
    let mut table = reader.table("schema_registry");
    let url = reader.setting(&mut table, "url", Some("DLO_SCHEMA_REGISTRY_URL"), url);
    let token = reader.setting(&mut table, "token", Some("DLO_SCHEMA_REGISTRY_TOKEN"), token);
    reader.close(table);
    url.map(|url| SchemaRegistryConfig { url, token })
}

fn token(text: &str) -> Result<Secret, String> {
    let is_token = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
    // It is a secret, so it is not repeated.
    is_token.then(|| Secret::new(text)).ok_or_else(|| {
        "this is not a bearer token: it has no spaces and nothing but ASCII".to_owned()
    })
}

fn url(text: &str) -> Result<Secret, String> {
    match reqwest::Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => {
            Ok(Secret::new(text.trim_end_matches('/')))
        }
        // The text itself may hold a password, so it is not repeated.
        _ => Err("this is not the address of a schema registry: write it as https://user:password@host:8081".to_owned()),
    }
}
