//! What the desk shows: letters, bodies, figures, choices, sources and troubles.

use chrono::{DateTime, TimeDelta, Utc};
use dlo_app::desk::{DeskError, TriageDesk as _};
use dlo_domain::audit::Actor;
use dlo_domain::decoding::{Evidence, Format};
use dlo_domain::filter::LetterFilter;
use dlo_domain::ids::LetterId;
use dlo_domain::overview::Span;
use dlo_domain::payload::Content;
use dlo_domain::severity::Severity;
use dlo_domain::source::NewSource;
use dlo_domain::wire::{FieldTable, FieldValue, Properties};
use sqlx::PgPool;
use uuid::Uuid;

use crate::support::desk::Bench;

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_body_that_is_not_what_its_sender_says_is_shown_with_a_note(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let properties = Properties {
        content_type: Some("text/plain; charset=klingon".into()),
        content_encoding: Some("gzip".into()),
        ..Properties::default()
    };
    let headers = FieldTable::default();
    let id = bench.letter_of("work", &properties, &headers, b"no gzip").await;
    let payload = bench.desk.payload(id, None, false).await.expect("a payload");
    assert_eq!(payload.content, Content::Text("no gzip".to_owned()));
    let [gzip, charset] = &payload.notes[..] else {
        panic!("two notes, and not {:?}", payload.notes);
    };
    assert!(gzip.contains("cannot be unpacked"), "{gzip}");
    assert!(charset.contains("`klingon` is not known"), "{charset}");
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_a_body_is_packed_in_is_undone_in_steps(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let lines = "eyJ1c2VyX2lkIjoidS0zMTgiLCJ0ZW1wbGF0\nZSI6IndlbGNvbWUiLCJsb2NhbGUiOiJkZSJ9\n";
    let id = bench.letter("work", lines.as_bytes()).await;
    let payload = bench.desk.payload(id, None, false).await.expect("a payload");
    let steps: Vec<_> = payload.steps.iter().map(|step| (step.format, step.evidence)).collect();
    assert_eq!(steps, [(Format::Base64, Evidence::Shape), (Format::Json, Evidence::Shape)]);
    let json = serde_json::json!({"user_id": "u-318", "template": "welcome", "locale": "de"});
    assert_eq!(payload.content, Content::Json(json));
    assert_eq!(
        payload.notes,
        [
            "Shown unpacked (base64, as it seems by its form): 74 bytes hold 54. A replay sends it as it \
             came."
        ]
    );
    let text = bench.desk.payload(id, None, true).await.expect("a text").content;
    let Content::Text(text) = text else { panic!("{text:?}") };
    assert!(text.starts_with("{\"user_id\":\"u-318\""), "{text}");
    assert_eq!(bench.body(id, None).await.expect("a body"), lines.as_bytes());
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_letter_is_shown_whole_and_its_body_byte_by_byte(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let mut headers = FieldTable::default();
    headers.set("odd", FieldValue::LongString(vec![0, 255].into()));
    let properties =
        Properties { content_type: Some("application/json".into()), ..Properties::default() };
    let id = bench.letter_of("work", &properties, &headers, b"{\"a\":1}").await;
    let letter = bench.desk.letter(id).await.expect("a letter");
    let arrival = &letter.arrivals[0];
    assert_eq!((&arrival.headers, &arrival.properties), (&headers, &properties));
    assert_eq!((arrival.size_bytes, arrival.body_sha256.len()), (7, 64));
    assert_eq!(bench.body(id, None).await.expect("a body"), b"{\"a\":1}");
    assert_eq!(bench.body(id, Some(1)).await.expect("a body"), b"{\"a\":1}");
    let payload = bench.desk.payload(id, None, false).await.expect("a payload");
    assert_eq!(payload.content, Content::Json(serde_json::json!({"a": 1})));
    for missing in
        [bench.body(id, Some(2)).await, bench.body(LetterId(Uuid::from_u128(1)), None).await]
    {
        assert!(matches!(missing, Err(DeskError::NotFound(_))), "{missing:?}");
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn the_values_that_letters_have_are_known_with_their_numbers(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    for queue in ["work", "work", "mail"] {
        bench.letter(queue, queue.as_bytes()).await;
    }
    sqlx::query(
        "insert into workers (name, kind, is_autoscaled, state, state_since, first_seen_at,
             last_heartbeat_at, way, heard_ms, interval_ms, queue)
         values ('w-1', 'w-*', false, 'active', now(), now(), now(), 'http', 0, 10000, 'work')",
    )
    .execute(&pool)
    .await
    .expect("a worker");
    let known = bench.desk.known_values().await.expect("known");
    let told = |field: &str| -> Vec<String> {
        let values = known.0.iter().filter(|one| one.field == field);
        let values = values.flat_map(|one| &one.values);
        values.map(|one| format!("{}: {}", one.value, one.letters)).collect()
    };
    assert_eq!(told("queue"), ["work: 2 letters", "mail: 1 letter"]);
    assert_eq!(told("state"), ["held: 3 letters"]);
    assert_eq!(told("worker"), ["w-1: 2 letters"]);
    assert_eq!(told("severity").len(), 1);
    assert!(told("message_id").is_empty(), "they are as many as letters");
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_page_says_where_the_next_begins_and_how_many_there_are(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    for n in 0..5 {
        bench.letter("work", &[n]).await;
    }
    let everything = LetterFilter::default();
    let first = bench.desk.letters(&everything, None, 3).await.expect("a page");
    assert_eq!((first.items.len(), first.estimated_total), (3, 5));
    let second = bench.desk.letters(&everything, first.next_cursor, 3).await.expect("a page");
    assert_eq!((second.items.len(), second.next_cursor, second.estimated_total), (2, None, 5));
    let exact = bench.desk.letters(&everything, None, 5).await.expect("a page");
    assert_eq!((exact.items.len(), exact.next_cursor), (5, None));
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_came_after_a_moment_is_counted_within_the_filter(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let count = async |text: &str, moment| {
        let filter = LetterFilter::parse(text).expect("a filter");
        let counted = bench.desk.arrived_after(&filter, moment).await;
        let total = counted.expect("counted");
        assert!(!total.is_least, "{text}");
        total.count
    };
    // Some times are none to Postgres.
    for moment in [DateTime::UNIX_EPOCH, DateTime::<Utc>::MIN_UTC, DateTime::<Utc>::MAX_UTC] {
        assert_eq!(count("", moment).await, 0, "{moment}");
    }
    let shown = bench.letter("work", b"shown").await;
    let shown = bench.desk.letter(shown).await.expect("a letter").summary;
    let newest = shown.last_arrived_at;
    assert_eq!(count("", newest).await, 0, "the newest one itself is not new");
    for queue in ["work", "other", "work"] {
        bench.letter(queue, b"new").await;
    }
    assert_eq!(count("", newest).await, 3);
    assert_eq!(count("queue:work", newest).await, 2);
    assert_eq!(count("state:discarded", newest).await, 0);
    assert_eq!(count("queue:work since:1h", newest).await, 2);
    assert_eq!(count("", DateTime::UNIX_EPOCH).await, 4);
    let later = newest + TimeDelta::hours(1);
    let filter = format!("since:{}", later.to_rfc3339());
    assert_eq!(count(&filter, newest).await, 0, "its own limit holds, too");
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn the_overview_counts_what_stands_and_fails(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    for queue in ["work", "work", "other"] {
        bench.letter(queue, b"{}").await;
    }
    sqlx::query(
        "insert into death_counts (minute, severity, arrivals)
         values (date_trunc('minute', now()), 'high', 2), (date_trunc('minute', now()), 'low', 1),
                (now() - interval '8 days', 'low', 9)",
    )
    .execute(&pool)
    .await
    .expect("counted");
    for span in Span::ALL {
        let overview = bench.desk.overview(span).await.expect("figures");
        assert_eq!((overview.held, overview.unknown), (3, 0));
        assert!(overview.held_by_severity.contains(&(Severity::Normal, 3)));
        let bars = i64::try_from(overview.deaths.len()).expect("small");
        assert_eq!(bars, span.seconds() / span.bucket_seconds());
        let counts = overview
            .deaths
            .iter()
            .fold([0; 4], |sum, bar| std::array::from_fn(|place| sum[place] + bar.counts[place]));
        assert_eq!(counts, [0, 2, 0, 1], "{span:?}");
        assert_eq!(overview.waiting.letters, 3);
        let queue = &overview.waiting.facets[0];
        assert_eq!((queue.name.as_str(), queue.values[0].letters), ("queue", 2));
        assert_eq!(overview.sources.len(), 1);
    }
    let choices = bench.desk.filter_choices().await.expect("choices");
    assert_eq!(choices.queues, ["other", "work"]);
    assert_eq!(choices.sources, ["dead"]);
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_source_is_added_once_and_removed_unless_it_is_configured(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let actor = Actor("mia".into());
    let new: NewSource =
        serde_json::from_str(r#"{"vhost": "/", "queue": "orders.dead"}"#).expect("a source");
    let source = bench.desk.add_source(&actor, &new).await.expect("added");
    let again = bench.desk.add_source(&actor, &new).await;
    assert!(matches!(again, Err(DeskError::Conflict(_))), "{again:?}");
    let elsewhere = NewSource { broker: Some("nobody".into()), ..new.clone() };
    let unknown = bench.desk.add_source(&actor, &elsewhere).await;
    assert!(matches!(unknown, Err(DeskError::Invalid(_))), "{unknown:?}");
    bench.desk.remove_source(&actor, source.id).await.expect("removed");
    let gone = bench.desk.remove_source(&actor, source.id).await;
    assert!(matches!(gone, Err(DeskError::NotFound(_))), "{gone:?}");
    let source = bench.desk.add_source(&actor, &new).await.expect("added again");
    sqlx::query("update sources set configured = true").execute(&pool).await.expect("set");
    let kept = bench.desk.remove_source(&actor, source.id).await;
    assert!(matches!(kept, Err(DeskError::Conflict(_))), "{kept:?}");
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn troubles_name_what_is_not_well_also_when_the_database_is_gone(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    assert_eq!(bench.desk.troubles().await, []);
    sqlx::query("update sources set condition = 'queue_missing'")
        .execute(&pool)
        .await
        .expect("set");
    let troubles = bench.desk.troubles().await;
    assert!(troubles[0].what.contains("`dead`"), "{troubles:?}");
    pool.close().await;
    let troubles = bench.desk.troubles().await;
    assert!(troubles[0].what.contains("The database does not answer"), "{troubles:?}");
    let since = troubles[0].since;
    assert_eq!(bench.desk.troubles().await[0].since, since);
    let letters = bench.desk.letters(&LetterFilter::default(), None, 1).await;
    assert!(matches!(letters, Err(DeskError::Unavailable(_))), "{letters:?}");
}
