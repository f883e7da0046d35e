//! What Ruby's Sneakers puts into its error queue: an envelope, or the message with a list of its failures
//! (sneakers issues 337, 429, 350).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dlo_app::desk::TriageDesk as _;
use dlo_domain::decoding::Format;
use dlo_domain::payload::Content;
use lapin::BasicProperties;
use serde_json::json;
use sqlx::PgPool;

use super::{Case, Sent, signatures, with_headers};

const INNER: &str = r#"{"user_id":"u-318","template":"welcome","locale":"de"}"#;

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn old_and_new_messages_tell_the_same_failure(pool: PgPool) {
    let failure = json!({
        "error": "error",
        "error_class": "Net::SMTPServerBusy",
        "error_message": "451 mailbox busy, try later",
        "num_attempts": 6,
        "failed_at": "2026-11-20T03:12:44+00:00",
        "backtrace": ["/srv/app/workers/mail_worker.rb:31:in `work'"]
    });
    let mut envelope = failure.clone();
    envelope["payload"] = json!(STANDARD.encode(INNER) + "\n");
    envelope["properties"] = json!(STANDARD.encode(r#"{"content_type": "application/json"}"#));
    let old = Sent {
        properties: BasicProperties::default().with_content_type("application/json".into()),
        body: envelope.to_string().into_bytes(),
    };
    let listed = json!([failure]).to_string();
    let new = Sent { properties: with_headers(&[("retry_info", &listed)]), body: INNER.into() };
    let case = Case::of(&pool, "signup.mails-error", &[old, new]).await;
    let letters = case.letters("error_class:\"Net::SMTPServerBusy\"").await;
    assert_eq!(letters.len(), 2);
    assert_eq!(signatures(&pool).await, 1);
    assert_eq!(case.found("body.template:welcome").await.len(), 2, "by what is inside");
    let payload = case.bench.desk.payload(letters[0].summary.id, None, false).await;
    let payload = payload.expect("a payload");
    assert_eq!(payload.content, Content::Json(serde_json::from_str(INNER).expect("JSON")));
    let steps: Vec<Format> = payload.steps.iter().map(|step| step.format).collect();
    assert_eq!(steps, [Format::Json, Format::Envelope, Format::Base64, Format::Json]);
    for letter in letters {
        let summary = letter.summary;
        assert_eq!(summary.error_message.as_deref(), Some("451 mailbox busy, try later"));
        assert_eq!(summary.queue.as_deref(), Some("signup.mails"));
        assert!(summary.origin_claimed, "the name of the queue alone tells it");
        let says = letter.circumstances.says();
        assert_eq!(says.as_deref(), Some("attempt 6, failed 2026-11-20 03:12:44 UTC"));
        assert!(letter.stack_trace.is_some());
    }
    case.close().await;
}
