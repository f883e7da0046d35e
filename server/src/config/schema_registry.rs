//! The schema registry that is asked for schemas by their numbers.

use super::database::Secret;
use super::file::Reader;

/// The section `[schema_registry]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaRegistryConfig {
    /// Where it is: `https://user:password@host:8081`.
    pub url: Secret,
}

pub(super) fn read(reader: &mut Reader<'_>) -> Option<SchemaRegistryConfig> {
    let mut table = reader.table("schema_registry");
    let url = reader.setting(&mut table, "url", Some("DLO_SCHEMA_REGISTRY_URL"), url);
    reader.close(table);
    url.map(|url| SchemaRegistryConfig { url })
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
