//! Telling people of alerts.

use super::file::Reader;
use super::value::{networks, switch};
use crate::outbound::Allowed;

/// The section `[alerts]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlertsConfig {
    /// Whether this office evaluates alert rules, and tells channels.
    pub enabled: bool,
    /// Where people find the pages of this office: the buttons of messages lead there.
    pub public_url: String,
    /// Addresses of channels that are posted to although they are not public.
    pub allow: Allowed,
}

impl Default for AlertsConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            public_url: "http://127.0.0.1:8484".to_owned(),
            allow: Allowed::default(),
        }
    }
}

pub(super) fn read(reader: &mut Reader<'_>) -> AlertsConfig {
    let usual = AlertsConfig::default();
    let mut table = reader.table("alerts");
    let enabled = reader.setting(&mut table, "enabled", Some("DLO_ALERTS"), switch);
    let public_url = Some("DLO_PUBLIC_URL");
    let public_url = reader.setting(&mut table, "public_url", public_url, address);
    let allow = reader.setting(&mut table, "allow", Some("DLO_ALERTS_ALLOW"), networks);
    reader.close(table);
    AlertsConfig {
        enabled: enabled.unwrap_or(usual.enabled),
        public_url: public_url.unwrap_or(usual.public_url),
        allow: allow.unwrap_or(usual.allow),
    }
}

/// An address of pages, without a slash at its end.
fn address(text: &str) -> Result<String, String> {
    let text = text.trim().trim_end_matches('/');
    let url: Result<reqwest::Url, _> = text.parse();
    match url {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.query().is_none() => {
            Ok(text.to_owned())
        }
        _ => Err(format!(
            "`{text}` is not the address of a web site: write it as https://dlo.example.org"
        )),
    }
}
