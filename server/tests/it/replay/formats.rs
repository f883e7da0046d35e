//! What is sent in place of bodies that are not JSON: other values, in the format and the packing of those.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};

use dlo_app::desk::{DeskError, SchemaDesk as _, TriageDesk as _};
use dlo_domain::audit::Actor;
use dlo_domain::changing::{NewDraft, Shape, Transform, TryTransform};
use dlo_domain::ids::LetterId;
use dlo_domain::replay::NewReplay;
use dlo_domain::republish::HeaderChanges;
use dlo_domain::schema::NewSchema;
use dlo_domain::selection::Selection;
use dlo_domain::wire::{Field, FieldTable, FieldValue, Properties};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use lapin::options::BasicGetOptions;
use sqlx::PgPool;

use crate::support::broker::Vhost;
use crate::support::desk::{Bench, at_work};

/// A `kinds.Order` of `o-42`, written by Google's own library.
const ORDER: &str = include_str!("../../../../domain/tests/protobuf/order.hex");
const KINDS: &str = include_str!("../../../../domain/tests/protobuf/kinds.proto");
/// `{"id": "42", "of": "a"}` in MessagePack and in CBOR.
const MSGPACK: &[u8] = b"\x82\xa2id\xa242\xa2of\xa1a";
const CBOR: &[u8] = b"\xa2\x62id\x6242\x62of\x61a";

fn ann() -> Actor {
    Actor("ann".to_owned())
}

/// A letter whose sender says this of its body.
async fn letter(bench: &Bench, content_type: &str, encoding: &str, body: &[u8]) -> LetterId {
    let given = |name: &str| (!name.is_empty()).then(|| name.into());
    let properties = Properties {
        content_type: given(content_type),
        content_encoding: given(encoding),
        ..Properties::default()
    };
    let kind = FieldValue::LongString("kinds.Order".into());
    let headers = FieldTable(vec![Field { name: "x-protobuf-message".into(), value: kind }]);
    let of_protobuf = content_type.contains("protobuf");
    let headers = if of_protobuf { headers } else { FieldTable::default() };
    bench.letter_of("work", &properties, &headers, body).await
}

async fn with_kinds(bench: &Bench) {
    let files = BTreeMap::from([("kinds.proto".to_owned(), KINDS.to_owned())]);
    let schema = NewSchema { name: "kinds".to_owned(), files, descriptor_set: None };
    bench.desk.add_schema(&ann(), schema).await.expect("kept");
}

fn order() -> Vec<u8> {
    hex::decode(ORDER.trim()).expect("hexadecimal")
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(bytes).expect("written");
    gzip.finish().expect("packed")
}

fn unzipped(bytes: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    GzDecoder::new(bytes).read_to_end(&mut plain).expect("gzip");
    plain
}

async fn delivered(vhost: &Vhost, count: usize) -> Vec<Vec<u8>> {
    let mut bodies = Vec::new();
    for _ in 0..count {
        let options = BasicGetOptions { no_ack: true };
        let got = vhost.channel.basic_get("work".into(), options).await.expect("got");
        bodies.push(got.expect("a message").delivery.data);
    }
    bodies
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_program_changes_values_whatever_they_are_written_in(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    with_kinds(&bench).await;
    let letters = [
        letter(&bench, "application/msgpack", "", MSGPACK).await,
        letter(&bench, "", "gzip", &gzip(CBOR)).await,
        letter(&bench, "application/x-www-form-urlencoded", "", b"id=42&of=a%20b").await,
        letter(&bench, "application/x-protobuf", "", &order()).await,
        letter(&bench, "", "", b"{\"id\":\"42\"}\n{\"id\":\"1.10\"}\n").await,
        letter(&bench, "", "", b"a:1:{s:2:\"id\";s:2:\"42\";}").await,
        letter(&bench, "text/xml", "", b"<id>42</id>").await,
        letter(&bench, "", "", b"\x80\x04}\x94\x8c\x02id\x94K\x01s.").await,
    ];
    let jq = r#"if type == "array" then .[0].id = "43" elif .order_id then .order_id = "o-43" else .id = "43" end"#;
    let transform = Some(Transform { jq: jq.to_owned() });
    let asked = TryTransform {
        selection: Selection::of_ids(letters.to_vec()),
        transform: transform.clone(),
        open_envelopes: false,
        headers: HeaderChanges::default(),
        keep_expiration: false,
    };
    let preview = bench.desk.try_transform(&asked).await.expect("a preview");
    assert_eq!((preview.changed, preview.failed), (7, 1));
    for shown in &preview.letters[..5] {
        let diff = shown.diff.as_ref().expect("a diff");
        let lines = || diff.lines.iter().map(|line| line.text.trim());
        let says = |wanted: &str| lines().any(|line| line.trim_end_matches(',').ends_with(wanted));
        assert!(says("43\""), "{diff:?}");
        assert!(diff.lines.len() > 2 && !diff.cut, "{diff:?}");
    }
    let why = preview.letters[7].error.as_deref().expect("an error");
    assert!(why.contains("pickle can be read, and not be written again"), "{why}");

    let selection = Selection::of_ids(letters.to_vec());
    let replay = NewReplay { selection, transform, ..NewReplay::default() };
    let replay = bench.desk.plan_replay(&ann(), &replay).await.expect("planned");
    assert_eq!((replay.total, replay.left_out.len()), (7, 1));
    let engine = bench.engine().await;
    bench.finished(replay.id.expect("an id")).await;
    let bodies = delivered(&vhost, 7).await;
    assert_eq!(bodies[0], b"\x82\xa2id\xa243\xa2of\xa1a");
    assert_eq!(unzipped(&bodies[1]), b"\xa2\x62id\x6243\x62of\x61a");
    assert_eq!(bodies[2], b"id=43&of=a%20b");
    let mut wanted = order();
    let id = wanted.windows(4).position(|part| part == b"o-42").expect("its id");
    wanted[id..id + 4].copy_from_slice(b"o-43");
    assert_eq!(bodies[3], wanted, "the other fields stay, byte by byte");
    assert_eq!(bodies[4], b"{\"id\":\"43\"}\n{\"id\":\"1.10\"}\n");
    assert_eq!(bodies[5], b"a:1:{s:2:\"id\";s:2:\"43\";}");
    assert_eq!(bodies[6], b"<id>43</id>");
    engine.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn one_message_of_protobuf_is_edited_as_json(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let body = gzip(&order());
    let letter = letter(&bench, "application/x-protobuf", "", &body).await;
    let sheet = bench.desk.edit_sheet(letter, None, None).await.expect("a form");
    assert_eq!(sheet.shapes, [Shape::Hex]);
    let note = sheet.note.expect("a note");
    assert!(note.contains("upload its schema"), "{note}");

    with_kinds(&bench).await;
    let sheet = bench.desk.edit_sheet(letter, None, None).await.expect("a form");
    assert_eq!((sheet.shape, sheet.content_encoding.as_deref()), (Shape::Json, Some("gzip")));
    assert!(sheet.note.expect("a note").contains("sent as Protobuf"));
    let new = |text: &str| NewDraft {
        shape: Shape::Json,
        text: text.replace('\n', "\r\n"),
        content_type: "application/x-protobuf".to_owned(),
    };
    let wrong = sheet.text.replace("\"WEB\"", "\"MOON\"");
    let Err(DeskError::Invalid(why)) = bench.desk.keep_draft(&ann(), letter, &new(&wrong)).await
    else {
        panic!("a value that its type does not have was kept");
    };
    assert!(why.contains("the field `channel` does not take \"MOON\""), "{why}");
    let text = sheet.text.replace("\"WEB\"", "\"UNKNOWN\"");
    let draft = bench.desk.keep_draft(&ann(), letter, &new(&text)).await.expect("kept");
    let sheet = bench.desk.edit_sheet(letter, None, Some(draft)).await.expect("a form");
    let shown = sheet.draft.expect("the draft");
    assert!(shown.diff.lines.iter().any(|line| line.text.contains("\"UNKNOWN\"")), "{shown:?}");

    let edit = bench.desk.edit_of_draft(letter, draft).await.expect("an edit");
    let selection = Selection::of_ids(vec![letter]);
    let replay = NewReplay { selection, edit: Some(edit), ..NewReplay::default() };
    let replay = bench.desk.plan_replay(&ann(), &replay).await.expect("planned");
    let engine = bench.engine().await;
    bench.finished(replay.id.expect("an id")).await;
    let sent = unzipped(&delivered(&vhost, 1).await[0]);
    // `channel: WEB` is 20 01; with 00 it is UNKNOWN.
    let mut wanted = order();
    let channel = wanted.windows(2).position(|part| part == [0x20, 1]).expect("its channel");
    wanted[channel + 1] = 0;
    assert_eq!(sent, wanted);
    engine.stop().await;
    vhost.delete().await;
}
