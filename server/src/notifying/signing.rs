//! Signs what is posted to a webhook, as Standard Webhooks says (standard-webhooks/spec, "Signature scheme"): so that
//! the receiver knows that it is from here, and when it was sent.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, Utc};
use dlo_domain::channel::secret_bytes;
use hmac::{Hmac, Mac as _};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use sha2::Sha256;

use crate::config::Secret;

/// The headers of a message: its id, its time, and a signature for each secret.
pub(super) fn headers(secrets: &[Secret], id: &str, at: DateTime<Utc>, body: &str) -> HeaderMap {
    let time = at.timestamp().to_string();
    let signed = format!("{id}.{time}.{body}");
    let signatures = secrets.iter().filter_map(|secret| signature(secret.expose(), &signed));
    let signatures = signatures.collect::<Vec<_>>().join(" ");
    let named =
        [("webhook-id", id), ("webhook-timestamp", &time), ("webhook-signature", &signatures)];
    let headers = named.into_iter().filter_map(|(name, value)| {
        Some((HeaderName::from_static(name), HeaderValue::from_str(value).ok()?))
    });
    headers.collect()
}

fn signature(secret: &str, signed: &str) -> Option<String> {
    let mut mac = Hmac::<Sha256>::new_from_slice(&secret_bytes(secret)?).ok()?;
    mac.update(signed.as_bytes());
    Some(format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the specification's own libraries.
    #[test]
    fn the_example_of_the_specification_is_signed_as_it_says() {
        let secret = Secret::new("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
        let at = DateTime::from_timestamp(1_614_265_330, 0).expect("a time");
        let id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
        let headers = headers(&[secret], id, at, r#"{"test": 2432232314}"#);
        assert_eq!(headers["webhook-id"], id);
        assert_eq!(headers["webhook-timestamp"], "1614265330");
        assert_eq!(headers["webhook-signature"], "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn two_secrets_sign_twice() {
        let secrets =
            ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"];
        let headers = headers(&secrets.map(Secret::new), "a", DateTime::default(), "{}");
        let signatures = headers["webhook-signature"].to_str().expect("a text");
        assert_eq!(signatures.matches("v1,").count(), 2, "{signatures}");
    }
}
