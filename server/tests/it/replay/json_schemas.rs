//! Changed bodies held against the schemas of a configuration, which refuse nothing.

use dlo_app::desk::TriageDesk as _;
use dlo_domain::audit::Actor;
use dlo_domain::changing::{EditSheet, NewDraft, Shape, Transform, TryTransform};
use dlo_domain::ids::LetterId;
use dlo_domain::json_schema::SchemaFor;
use dlo_domain::replay::NewReplay;
use dlo_domain::republish::HeaderChanges;
use dlo_domain::selection::Selection;
use dlo_domain::wire::{FieldTable, Properties};
use dlo_server::json_schemas::{Schema, Schemas};
use sqlx::PgPool;

use crate::support::desk::{Bench, at_work};

const ORDER: &str = r#"{"properties": {"total": {"type": "number", "minimum": 0}}}"#;

/// A desk with a schema for letters of the type `placed`.
fn with_schema(bench: Bench) -> Bench {
    let wanted = SchemaFor { source: None, message_type: Some("placed".to_owned()) };
    let schema = Schema::read("order.json", wanted, ORDER.as_bytes()).expect("a schema");
    bench.with_desk(|desk| desk.with_json_schemas(Schemas::new(vec![schema])))
}

async fn letter(
    bench: &Bench,
    kind: Option<&str>,
    properties: &Properties,
    body: &[u8],
) -> LetterId {
    let headers = FieldTable::default();
    let letter = bench.letter_of("work", properties, &headers, body).await;
    sqlx::query("update letters set message_type = $2 where id = $1")
        .bind(letter.0)
        .bind(kind)
        .execute(&bench.pool)
        .await
        .expect("a type");
    letter
}

async fn sheet(bench: &Bench, letter: LetterId, text: Option<&str>) -> EditSheet {
    let ann = Actor("ann".to_owned());
    let mut draft = None;
    if let Some(text) = text {
        let new =
            NewDraft { shape: Shape::Json, text: text.to_owned(), content_type: String::new() };
        let kept = bench.desk.keep_draft(&ann, letter, &new).await;
        draft = Some(kept.expect("kept"));
    }
    let sheet = bench.desk.edit_sheet(letter, Some(Shape::Json), draft).await;
    sheet.expect("a form")
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn an_edit_that_does_not_fit_is_told_and_can_be_sent_all_the_same(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let bench = with_schema(bench);
    let usual = Properties::default();
    let placed = letter(&bench, Some("placed"), &usual, br#"{"total":-5}"#).await;
    let arrived = sheet(&bench, placed, None).await.schema;
    let arrived = arrived.expect("a schema");
    assert_eq!((arrived.schema.as_str(), arrived.faults.len()), ("order.json", 1));
    assert_eq!(arrived.faults[0].place, "/total");

    let fits = sheet(&bench, placed, Some(r#"{"total": 5}"#)).await;
    assert!(fits.schema.expect("a schema").fits());
    let unfit = sheet(&bench, placed, Some(r#"{"total": "five"}"#)).await;
    let faults = unfit.schema.expect("a schema").faults;
    assert_eq!(faults[0].place, "/total");
    assert!(faults[0].why.contains("number"), "{faults:?}");

    let draft = unfit.draft.expect("a draft").id;
    let edit = bench.desk.edit_of_draft(placed, draft).await;
    let new = NewReplay {
        selection: Selection::of_ids(vec![placed]),
        edit: Some(edit.expect("an edit")),
        ..NewReplay::default()
    };
    let engine = bench.engine().await;
    let ann = Actor("ann".to_owned());
    let planned = bench.desk.plan_replay(&ann, &new).await.expect("planned");
    let done = bench.finished(planned.id.expect("an id")).await;
    assert_eq!(done.outcomes.confirmed, 1);
    assert_eq!(vhost.take_bodies("work").await, [br#"{"total":"five"}"#.to_vec()]);

    let other = letter(&bench, Some("paid"), &usual, br#"{"total":-5}"#).await;
    assert_eq!(sheet(&bench, other, None).await.schema, None);
    engine.stop().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_preview_tells_which_changed_letters_do_not_fit(pool: PgPool) {
    let bench = with_schema(Bench::offline(&pool).await);
    let usual = Properties::default();
    let mut letters = Vec::new();
    for (kind, body) in [
        (Some("placed"), r#"{"total":7}"#),
        (Some("placed"), r#"{"total":1}"#),
        (Some("paid"), r#"{"total":1}"#),
        (None, r#"{"total":1}"#),
        // It stays as it is: nothing is said of what arrived.
        (Some("placed"), r#"{"total":-9,"keep":true}"#),
    ] {
        letters.push(letter(&bench, kind, &usual, body.as_bytes()).await);
    }
    // More than are shown are counted all the same.
    for _ in 0..20 {
        letters.push(letter(&bench, Some("placed"), &usual, br#"{"total":0}"#).await);
    }
    let asked = TryTransform {
        selection: Selection::of_ids(letters.clone()),
        transform: Some(Transform { jq: "if .keep then . else .total -= 5 end".to_owned() }),
        open_envelopes: false,
        headers: HeaderChanges::default(),
        keep_expiration: false,
    };
    let preview = bench.desk.try_transform(&asked).await.expect("a preview");
    assert_eq!((preview.changed, preview.unchanged), (24, 1));
    assert_eq!((preview.unfit, preview.letters.len()), (21, 20));
    for (place, fits) in [Some(true), Some(false), None, None, None].into_iter().enumerate() {
        let one = preview.letters.iter().find(|one| one.letter_id == letters[place]);
        let check = one.expect("shown").schema.as_ref();
        assert_eq!(check.map(dlo_domain::json_schema::SchemaCheck::fits), fits, "{place}");
    }
}
