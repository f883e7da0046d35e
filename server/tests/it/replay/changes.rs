//! What is sent in place of what a letter arrived with.

use dlo_app::desk::{DeskError, TriageDesk as _};
use dlo_domain::audit::Actor;
use dlo_domain::changing::{Diff, DiffMark, Edit, NewDraft, Shape, Transform, TryTransform};
use dlo_domain::ids::LetterId;
use dlo_domain::replay::{NewReplay, Outcome, Replay, ReplayState};
use dlo_domain::republish::HeaderChanges;
use dlo_domain::selection::Selection;
use dlo_domain::state::LetterState;
use dlo_domain::wire::{Field, FieldTable, FieldValue, Properties};
use futures_util::StreamExt as _;
use lapin::message::Delivery;
use lapin::options::{BasicConsumeOptions, BasicGetOptions, BasicRejectOptions};
use lapin::types::AMQPValue;
use serde_json::json;
use sqlx::PgPool;

use crate::support::broker::Vhost;
use crate::support::desk::{Bench, at_work};
use crate::support::office::Office;
use crate::support::until;

const BODY: &[u8] = br#"{ "order": 9007199254740993, "price": 1.10, "country": "XX" }"#;
const CHANGED: &[u8] = br#"{"order":9007199254740993,"price":1.10,"country":"DE"}"#;

fn actor(name: &str) -> Actor {
    Actor(name.to_owned())
}

fn jq(letters: &[LetterId], jq: &str) -> NewReplay {
    NewReplay {
        selection: Selection::of_ids(letters.to_vec()),
        transform: Some(Transform { jq: jq.to_owned() }),
        ..NewReplay::default()
    }
}

fn edit(letters: &[LetterId], body: &str, content_type: Option<&str>) -> NewReplay {
    NewReplay {
        selection: Selection::of_ids(letters.to_vec()),
        edit: Some(Edit { body: body.to_owned(), content_type: content_type.map(str::to_owned) }),
        ..NewReplay::default()
    }
}

async fn asked(bench: &Bench, new: &NewReplay) -> Replay {
    let planned = bench.desk.plan_replay(&actor("ann"), new).await;
    planned.expect("planned")
}

async fn got(vhost: &Vhost) -> Delivery {
    let options = BasicGetOptions { no_ack: true };
    let got = vhost.channel.basic_get("work".into(), options).await;
    got.expect("got").expect("a message").delivery
}

async fn arrived_with(bench: &Bench, letter: LetterId) -> Vec<u8> {
    bench.body(letter, Some(1)).await.expect("a body")
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn many_letters_are_sent_changed_and_those_that_cannot_be_stay_held(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let letter = bench.letter("work", BODY).await;
    let same = bench.letter("work", br#"{ "country": "DE" }"#).await;
    let text = bench.letter("work", b"country=XX").await;
    let failing = bench.letter("work", br#"{"country":7}"#).await;
    let letters = [letter, same, text, failing];
    let program = r#"if .country == 7 then error("seven") else .country = "DE" end"#;
    let replay = asked(&bench, &jq(&letters, program)).await;
    assert_eq!(replay.total, 2);
    let mut reasons: Vec<_> = replay.left_out.iter().map(|left| &*left.reason).collect();
    reasons.sort_unstable();
    assert!(reasons[0].contains("its body cannot be changed"), "{reasons:?}");
    assert!(reasons[1].contains("seven"), "{reasons:?}");

    let engine = bench.engine().await;
    let done = bench.finished(replay.id.expect("an id")).await;
    assert_eq!((done.outcomes.confirmed, done.transform.is_some()), (2, true));
    assert_eq!(got(&vhost).await.data, CHANGED);
    assert_eq!(got(&vhost).await.data, br#"{ "country": "DE" }"#);
    for id in [text, failing] {
        assert_eq!(bench.state(id).await, LetterState::Held);
    }
    assert_eq!(arrived_with(&bench, letter).await, BODY);
    let whole = bench.desk.letter(letter).await.expect("a letter");
    let sent = whole.replays[0].sent.as_ref().expect("what was sent");
    assert_eq!((sent.from_arrival, sent.size_bytes), (1, 54));
    let unchanged = bench.desk.letter(same).await.expect("a letter");
    assert_eq!(unchanged.replays[0].sent, None);
    let shown = bench.desk.sent_body(letter, done.id.expect("an id")).await;
    let shown = shown.expect("what was sent");
    let marks: Vec<_> = shown.diff.lines.iter().map(|line| line.mark).collect();
    assert!(marks.contains(&DiffMark::Added) && marks.contains(&DiffMark::Removed));
    assert_eq!(shown.back, None);
    let none = bench.desk.sent_body(same, done.id.expect("an id")).await;
    assert!(matches!(none, Err(DeskError::NotFound(_))), "{none:?}");
    engine.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn after_a_crash_what_was_frozen_goes_and_never_the_original(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let kept = bench.letter("work", BODY).await;
    let gone = bench.letter("work", BODY).await;
    let replay = asked(&bench, &jq(&[kept, gone], r#".country = "DE""#)).await;
    sqlx::query("delete from replay_bodies where letter_id = $1")
        .bind(gone.0)
        .execute(&pool)
        .await
        .expect("gone");
    let id = replay.id.expect("an id");
    let engine = bench.engine().await;
    let done = bench.finished(id).await;
    assert_eq!((done.outcomes.confirmed, done.outcomes.refused), (1, 1));
    assert_eq!(bench.state(gone).await, LetterState::Held);
    assert_eq!(vhost.depth("work").await, 1);
    assert_eq!(got(&vhost).await.data, CHANGED);
    engine.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_packed_body_is_packed_again(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let properties = Properties {
        content_type: Some("application/json".into()),
        content_encoding: Some("base64".into()),
        ..Properties::default()
    };
    let headers = FieldTable::default();
    let letter = bench.letter_of("work", &properties, &headers, b"eyJhIjoxfQ==").await;
    let engine = bench.engine().await;
    let replay = asked(&bench, &jq(&[letter], ".a = 2")).await;
    bench.finished(replay.id.expect("an id")).await;
    let message = got(&vhost).await;
    assert_eq!(message.data, b"eyJhIjoyfQ==");
    let encoding = message.properties.content_encoding().as_ref();
    assert_eq!(encoding.map(lapin::types::ShortString::as_str), Some("base64"));
    engine.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_comes_back_is_compared_with_what_was_sent(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.dead_letter_pair("dlx", "dead").await;
    let dlx = AMQPValue::LongString("dlx".into());
    vhost.queue("work", &[("x-dead-letter-exchange", dlx)]).await;
    let bench = Bench::new(&pool, &vhost.brokers, &vhost.name).await;
    let letter = bench.letter("work", BODY).await;
    let intake = Office::start(&pool, &vhost.brokers).await;
    let engine = bench.engine().await;
    let replay = asked(&bench, &jq(&[letter], r#".country = "DE""#)).await;
    let id = replay.id.expect("an id");
    let consumer = vhost.channel.basic_consume(
        "work".into(),
        "fails".into(),
        BasicConsumeOptions::default(),
        lapin::types::FieldTable::default(),
    );
    let mut consumer = consumer.await.expect("consuming");
    let delivery = consumer.next().await.expect("one").expect("a message");
    let rejected = delivery.reject(BasicRejectOptions { requeue: false }).await;
    rejected.expect("rejected");
    until("it is back", || async { bench.items(id).await[0].outcome == Outcome::DiedAgain }).await;
    let sent = bench.desk.sent_body(letter, id).await.expect("what was sent");
    let back = sent.back.expect("it is back");
    assert!(back.is_same && back.diff.lines.is_empty(), "{back:?}");
    assert_eq!((sent.from_arrival, back.arrival), (1, 2));
    let changes = bench.desk.compare_arrivals(letter, 2, None).await.expect("compared");
    let values = changes.values.expect("values");
    let [country] = &values[..] else { panic!("one value, and not {values:?}") };
    let told = (country.path.as_str(), country.before.as_deref(), country.after.as_deref());
    assert_eq!(told, ("country", Some("\"XX\""), Some("\"DE\"")), "spaces are no value");
    assert_eq!((changes.since, changes.same_body, changes.cut), (1, false, false));
    // The next change begins from what came back.
    let again = asked(&bench, &jq(&[letter], ".price = 2")).await;
    let delivery = consumer.next().await.expect("one").expect("a message");
    let body = br#"{"order":9007199254740993,"price":2,"country":"DE"}"#;
    assert_eq!(delivery.data, body);
    let again = bench.desk.sent_body(letter, again.id.expect("an id")).await;
    assert_eq!(again.expect("what was sent").from_arrival, 2);
    engine.stop().await;
    intake.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn one_letter_is_edited_by_hand(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let letter = bench.letter("work", BODY).await;
    let desk = &bench.desk;
    let sheet = desk.edit_sheet(letter, None, None).await.expect("a form");
    assert_eq!((sheet.shape, sheet.shapes.len()), (Shape::Json, 3));
    assert!(sheet.text.contains("\n  \"price\": 1.10,\n"), "{}", sheet.text);
    let new = |text: &str| NewDraft {
        shape: Shape::Json,
        text: text.replace('\n', "\r\n"),
        content_type: "application/vnd.orders+json".to_owned(),
    };
    let broken = desk.keep_draft(&actor("ann"), letter, &new("{")).await;
    assert!(matches!(broken, Err(DeskError::Invalid(_))), "{broken:?}");
    let text = sheet.text.replace("XX", "DE");
    let draft = desk.keep_draft(&actor("ann"), letter, &new(&text)).await;
    let draft = draft.expect("kept");
    let sheet = desk.edit_sheet(letter, None, Some(draft)).await.expect("a form");
    let shown = sheet.draft.expect("the draft");
    assert!(shown.differs && shown.diff.lines.len() > 2, "{shown:?}");

    let edit = desk.edit_of_draft(letter, draft).await.expect("an edit");
    let replay = NewReplay {
        selection: Selection::of_ids(vec![letter]),
        edit: Some(edit),
        ..NewReplay::default()
    };
    let replay = asked(&bench, &replay).await;
    assert!(replay.edited);
    let engine = bench.engine().await;
    bench.finished(replay.id.expect("an id")).await;
    let message = got(&vhost).await;
    assert_eq!(message.data, CHANGED);
    let kind = message.properties.content_type().as_ref();
    let kind = kind.map(lapin::types::ShortString::as_str);
    assert_eq!(kind, Some("application/vnd.orders+json"));
    assert_eq!(arrived_with(&bench, letter).await, BODY);
    engine.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_makes_no_sense_is_refused_and_changes_nothing(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let letters = [bench.letter("work", BODY).await, bench.letter("work", BODY).await];
    let mut both = jq(&letters[..1], ".");
    both.edit = edit(&letters, "", None).edit;
    for (new, says) in [
        (edit(&letters, "e30=", None), "exactly one"),
        (edit(&letters[..1], "no base64", None), "base64"),
        (edit(&letters[..1], "e30=", Some("a\nb")), "content type"),
        (both, "cannot go together"),
        (jq(&letters, ".a | nosuch"), "nosuch"),
        (jq(&letters, ". # \0"), "NUL character"),
    ] {
        let refused = bench.desk.plan_replay(&actor("ann"), &new).await;
        let Err(DeskError::Unfit { why, .. }) = refused else {
            panic!("{refused:?}");
        };
        assert!(why.contains(says), "{why}");
    }
    for letter in letters {
        assert_eq!(bench.state(letter).await, LetterState::Held);
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_program_is_tried_before_anything_is_planned(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let mut letters = vec![bench.letter("work", b"no JSON").await];
    for n in 0..30 {
        let body = format!(r#"{{"n":{n}}}"#);
        letters.push(bench.letter("work", body.as_bytes()).await);
    }
    let asked = TryTransform {
        selection: Selection::of_ids(letters.clone()),
        transform: Some(Transform { jq: "if .n < 10 then . else .n += 1 end".to_owned() }),
        open_envelopes: false,
        headers: HeaderChanges::default(),
        keep_expiration: false,
    };
    let preview = bench.desk.try_transform(&asked).await.expect("a preview");
    assert_eq!((preview.total, preview.tried), (31, 31));
    assert_eq!((preview.changed, preview.unchanged, preview.failed), (20, 10, 1));
    assert_eq!(preview.letters.len(), 20);
    assert_eq!(preview.letters[0].letter_id, letters[0]);
    assert!(
        preview.letters[0].error.as_deref().is_some_and(|why| why.contains("neither JSON nor"))
    );
    assert_eq!(preview.letters[1].diff, None);
    let diff = preview.letters[11].diff.as_ref().expect("a diff");
    assert!(diff.lines.iter().any(|line| line.text == "  \"n\": 11"), "{diff:?}");
    for letter in letters {
        assert_eq!(bench.state(letter).await, LetterState::Held);
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_becomes_of_headers_and_envelopes_is_shown_before_it_is_sent(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let text = |text: &str| FieldValue::LongString(text.into());
    let headers = FieldTable(
        [("x-delay", FieldValue::LongInt(60_000)), ("tenant", text("acme")), ("kept", text("k"))]
            .map(|(name, value)| Field { name: name.into(), value })
            .to_vec(),
    );
    let properties = Properties { expiration: Some("500".into()), ..Properties::default() };
    let of = async |headers: &FieldTable, body: &[u8]| {
        bench.letter_of("work", &properties, headers, body).await
    };
    let plain = of(&headers, BODY).await;
    let packed =
        br#"{"payload":"eyJpZCI6N30=","failed_at":"x","num_attempts":1,"properties":"e30="}"#;
    let envelope = of(&FieldTable::default(), packed).await;
    let large = FieldTable(vec![Field { name: "stack".into(), value: text(&"x".repeat(125_000)) }]);
    let too_large = of(&large, BODY).await;
    let changes = |json: serde_json::Value| -> HeaderChanges {
        serde_json::from_value(json).expect("changes")
    };
    let mut asked = TryTransform {
        selection: Selection::of_ids(vec![plain, envelope, too_large]),
        transform: None,
        open_envelopes: true,
        headers: changes(json!({"leave_out": ["x-delay"], "set": {"tenant": "globex"}})),
        keep_expiration: false,
    };
    let preview = bench.desk.try_transform(&asked).await.expect("a preview");
    assert_eq!((preview.changed, preview.unchanged, preview.failed), (1, 1, 1));
    assert_eq!(preview.headers_changed, 2);
    let of = |id| preview.letters.iter().find(|one| one.letter_id == id).expect("shown");
    let lines = |diff: &Option<Diff>| -> Vec<String> {
        let lines = diff.as_ref().map(|diff| diff.lines.clone()).unwrap_or_default();
        let sign = |mark| if mark == DiffMark::Added { '+' } else { '-' };
        lines.iter().map(|line| format!("{}{}", sign(line.mark), line.text)).collect()
    };
    let told = lines(&of(plain).headers);
    assert_eq!(told, ["-expiration: 500", "-tenant: acme", "+tenant: globex", "-x-delay: 60000"]);
    assert_eq!(of(plain).diff, None);
    assert!(of(envelope).diff.is_some());
    assert_eq!(lines(&of(envelope).headers), ["-expiration: 500", "+tenant: globex"]);
    assert!(of(too_large).error.as_deref().is_some_and(|why| why.contains("125")));

    asked.keep_expiration = true;
    let preview = bench.desk.try_transform(&asked).await.expect("a preview");
    let shown = preview.letters.iter().find(|one| one.letter_id == plain).expect("shown");
    assert_eq!(lines(&shown.headers), ["-tenant: acme", "+tenant: globex", "-x-delay: 60000"]);

    asked.keep_expiration = false;
    asked.headers = changes(json!({"leave_out": ["stack"]}));
    asked.open_envelopes = false;
    let preview = bench.desk.try_transform(&asked).await.expect("a preview");
    assert_eq!((preview.changed, preview.unchanged, preview.failed), (0, 3, 0));
    // Its body is larger than a program would get, and nobody looks into it.
    sqlx::query("update arrivals set body = convert_to(repeat('x', 17 * 1024 * 1024), 'UTF8') where letter_id = $1")
        .bind(plain.0)
        .execute(&pool)
        .await
        .expect("a large body");
    let preview = bench.desk.try_transform(&asked).await.expect("a preview");
    assert_eq!((preview.unchanged, preview.failed), (3, 0));
    asked.headers = changes(json!({"set": {"x-death": 1}}));
    let refused = bench.desk.try_transform(&asked).await;
    assert!(
        matches!(&refused, Err(DeskError::Invalid(why)) if why.contains("x-death")),
        "{refused:?}"
    );
    asked.headers = HeaderChanges::default();
    asked.open_envelopes = true;
    asked.transform = Some(Transform { jq: ".".to_owned() });
    let refused = bench.desk.try_transform(&asked).await;
    assert!(
        matches!(&refused, Err(DeskError::Unfit { why, .. }) if why.contains("together")),
        "{refused:?}"
    );
    for letter in [plain, envelope, too_large] {
        assert_eq!(bench.state(letter).await, LetterState::Held);
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn another_person_approves_a_replay(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let letter = bench.letter("work", BODY).await;
    let engine = bench.engine().await;
    let new = NewReplay { needs_approval: true, ..jq(&[letter], r#".country = "DE""#) };
    let replay = asked(&bench, &new).await;
    let id = replay.id.expect("an id");
    assert_eq!(replay.state, ReplayState::AwaitingApproval);
    assert_eq!(bench.replay(id).await.state, ReplayState::AwaitingApproval);
    let own = bench.desk.approve_replay(&actor("ann"), id).await;
    let Err(DeskError::Conflict(why)) = own else {
        panic!("{own:?}");
    };
    assert!(why.contains("another person"), "{why}");
    assert_eq!(bench.items(id).await[0].outcome, Outcome::Pending);
    assert_eq!(vhost.depth("work").await, 0);

    let approved = bench.desk.approve_replay(&actor("bob"), id).await.expect("done");
    let word = approved.approval.expect("a word");
    assert_eq!((word.by.as_deref(), word.refused_because), (Some("bob"), None));
    let done = bench.finished(id).await;
    assert_eq!(done.outcomes.confirmed, 1);
    assert_eq!(got(&vhost).await.data, CHANGED);
    let late = bench.desk.reject_replay(&actor("bob"), id, "too late").await;
    assert!(matches!(late, Err(DeskError::Conflict(_))), "{late:?}");
    engine.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn letters_of_a_replay_that_is_refused_are_held_again(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let letters = [bench.letter("work", BODY).await, bench.letter("work", BODY).await];
    let engine = bench.engine().await;
    let new = NewReplay { needs_approval: true, ..jq(&letters, r#".country = "DE""#) };
    let id = asked(&bench, &new).await.id.expect("an id");
    let desk = &bench.desk;
    let mute = desk.reject_replay(&actor("bob"), id, " ").await;
    assert!(matches!(mute, Err(DeskError::Invalid(_))), "{mute:?}");
    let own = desk.reject_replay(&actor("ann"), id, "no").await;
    assert!(matches!(own, Err(DeskError::Conflict(_))), "{own:?}");
    let done = desk.reject_replay(&actor("bob"), id, "wrong country").await;
    let done = done.expect("refused");
    assert_eq!(done.state, ReplayState::Finished);
    assert_eq!((done.outcomes.refused, done.outcomes.pending), (2, 0));
    let word = done.approval.expect("a word");
    assert_eq!(word.refused_because.as_deref(), Some("wrong country"));
    for (letter, item) in letters.into_iter().zip(bench.items(id).await) {
        assert_eq!(bench.state(letter).await, LetterState::Held);
        assert_eq!(item.outcome, Outcome::Refused);
        let why = item.detail.expect("why");
        assert!(why.contains("bob") && why.contains("wrong country"), "{why}");
    }
    assert_eq!(vhost.depth("work").await, 0);
    engine.stop().await;
    vhost.delete().await;
}
