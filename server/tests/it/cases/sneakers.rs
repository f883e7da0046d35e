//! What Ruby's Sneakers puts into its error queue: an envelope, or the message with a list of its failures
//! (sneakers issues 337, 429, 350).

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dlo_app::desk::TriageDesk as _;
use dlo_domain::decoding::Format;
use dlo_domain::payload::Content;
use dlo_domain::replay::{NewReplay, WarningKind};
use lapin::BasicProperties;
use lapin::types::ShortString;
use serde_json::json;
use sqlx::PgPool;

use super::{Case, Replayed, Sent, signatures, with_headers};

const INNER: &str = r#"{"user_id":"u-318","template":"welcome","locale":"de"}"#;

/// As Bunny has them, with what RabbitMQ added when the message came back.
const PROPERTIES: &str = r#"{"content_type": "application/json", "message_id": "m-77", "priority": 5,
    "headers": {"tenant": "acme", "tries": 2, "x-death": [{"queue": "signup.mails"}]}}"#;

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
    envelope["properties"] = json!(STANDARD.encode(PROPERTIES));
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
    what_is_inside_can_be_sent(&case).await;
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

/// The first letter is an envelope, the second one is not.
async fn what_is_inside_can_be_sent(case: &Case) {
    let tried = NewReplay { dry_run: true, ..NewReplay::default() };
    let plan = case.plan("signup.mails", tried.clone()).await;
    let warned = plan.warnings.iter().find(|one| one.kind == WarningKind::ErrorEnvelope);
    let warned = warned.expect("a warning");
    assert_eq!((warned.letters, warned.will_fail), (1, false));
    assert!(warned.message.contains("Sneakers put an envelope around 1 of the 2 letters"));
    let open = NewReplay { open_envelopes: true, ..tried };
    let plan = case.plan("signup.mails", open.clone()).await;
    assert_eq!((plan.total, plan.open_envelopes), (2, true));
    let kinds: Vec<WarningKind> = plan.warnings.iter().map(|one| one.kind).collect();
    assert!(!kinds.contains(&WarningKind::ErrorEnvelope), "{kinds:?}");
    assert!(kinds.contains(&WarningKind::NoEnvelope), "{kinds:?}");
    let Replayed { details, came } =
        case.replayed_on("signup.mails", NewReplay { dry_run: false, ..open }).await;
    assert_eq!(details, ["sent as what was inside of its envelope", ""]);
    let inside = &came[0];
    assert_eq!(inside.body, INNER.as_bytes());
    let properties = &inside.properties;
    assert_eq!(properties.message_id().as_ref().map(ShortString::as_str), Some("m-77"));
    assert_eq!(properties.priority(), &Some(5));
    let headers = properties.headers().clone().expect("headers");
    let names: BTreeSet<&str> = headers.inner().keys().map(ShortString::as_str).collect();
    let own = ["tenant", "tries", "x-dlo-attempt", "x-dlo-letter", "x-dlo-replay"];
    assert_eq!(names, BTreeSet::from(own), "the history that brokers wrote is left off");
    assert_eq!(came[1].body, INNER.as_bytes());
    assert!(
        came[1].properties.headers().as_ref().is_some_and(|all| all.contains_key("retry_info"))
    );
}
