//! Every page and every answer about letters that ask for much.

use dlo_domain::ids::LetterId;
use dlo_server::broker::Brokers;
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::PgPool;

use super::letters::{Costly, costly};
use super::measured::MeasuredOffice;
use crate::harness::sized;
use crate::support::desk::Bench;

/// Stores a letter as it would have arrived, with its deaths, notes and stack trace read out of it.
pub async fn store(bench: &Bench, one: &Costly) -> LetterId {
    let id = bench.letter_of("work", &one.properties(), &one.headers, &one.body).await;
    let delivered = dlo_domain::arrival::Delivered {
        headers: one.headers.clone(),
        ..dlo_domain::arrival::Delivered::default()
    };
    let read = dlo_domain::reading::read(
        &delivered,
        &dlo_domain::failure::HeaderMap::default(),
        &dlo_domain::decoding::MessageTypes::default(),
    );
    sqlx::query("update arrivals set deaths = $2, notes = $3 where letter_id = $1")
        .bind(id.0)
        .bind(serde_json::to_value(&read.deaths).expect("JSON"))
        .bind(&read.notes)
        .execute(&bench.pool)
        .await
        .expect("stored");
    sqlx::query("update letters set stack_trace = $2, error_message = $3 where id = $1")
        .bind(id.0)
        .bind(&read.failure.stack_trace)
        .bind(&read.failure.error_message)
        .execute(&bench.pool)
        .await
        .expect("stored");
    id
}

/// The pages of a letter, and what their scripts and programs ask for.
fn addresses(id: LetterId) -> Vec<String> {
    let mut all: Vec<String> = ["", "?view=text", "/edit", "/edit?as=text"]
        .into_iter()
        .map(|rest| format!("/letters/{id}{rest}"))
        .collect();
    all.extend([format!("/api/v1/letters/{id}"), format!("/api/v1/letters/{id}/decoded")]);
    all.extend(["", "&jq=."].map(|rest| format!("/replays/new?ids[]={id}{rest}")));
    if sized(false, true) {
        all.extend(more_addresses(id));
    }
    all
}

/// The same in every other way that they can be asked for.
fn more_addresses(id: LetterId) -> Vec<String> {
    let pages = ["?view=tree", "?view=hex", "?arrival=1", "/edit?as=json", "/edit?as=hex"];
    let mut all: Vec<String> =
        pages.into_iter().map(|rest| format!("/letters/{id}{rest}")).collect();
    all.extend(["/letters".to_owned()]);
    all
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn every_page_and_answer_of_any_letter_is_bounded(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let nobody = Brokers::main("amqp://127.0.0.1:1/%2f", None);
    let office = MeasuredOffice::open(&pool, &nobody, &[("DLO_INTAKE", "off")]).await;
    let first = bench.letter("work", b"{}").await;
    for address in addresses(first) {
        // What is made once in the life of an office is no letter's cost.
        office.measure(office.request(Method::GET, &address)).await;
    }
    for one in costly() {
        let id = store(&bench, &one).await;
        for address in addresses(id) {
            let asked = office.request(Method::GET, &address);
            office.within_bounds(one.name, asked).await;
        }
        changes_are_bounded(&office, one.name, id).await;
    }
    office.close().await;
}

/// What a program would make of a letter, what a replay would do, and what it sends.
async fn changes_are_bounded(office: &MeasuredOffice, name: &str, id: LetterId) {
    let jq = r#"if type == "array" then . + [1] elif type == "object" then .zz = 1 else . end"#;
    let mut asked = json!({"selection": {"ids": [id]}, "transform": {"jq": jq}});
    let post = |path: &str, body: &Value| office.request(Method::POST, path).json(body);
    let preview = post("/api/v1/replays/preview", &asked);
    office.within_bounds(name, preview).await;
    if sized(false, true) {
        let same = json!({"selection": {"ids": [id]}, "transform": {"jq": ".. |= ."}});
        let preview = post("/api/v1/replays/preview", &same);
        office.within_bounds(name, preview).await;
    }
    asked["dry_run"] = true.into();
    let dry_run = post("/api/v1/replays", &asked);
    office.within_bounds(name, dry_run).await;
    asked["dry_run"] = false.into();
    let planned = office.measure(post("/api/v1/replays", &asked)).await;
    assert!(planned.status.is_success(), "{name}: {}", planned.text());
    let planned = planned.json();
    let replay = planned["id"].as_str().expect("an id");
    for path in [
        format!("/letters/{id}/sent/{replay}"),
        format!("/api/v1/letters/{id}/sent/{replay}"),
        format!("/replays/{replay}"),
        format!("/letters/{id}"),
    ] {
        let asked = office.request(Method::GET, &path);
        office.within_bounds(name, asked).await;
    }
}

/// Has a letter come back so often, with its headers and much of an audit trail.
async fn come_back(pool: &PgPool, id: LetterId, times: i32) {
    for statement in [
        "insert into arrivals (letter_id, ordinal, arrived_at, source_id, exchange, routing_key,
             properties, headers, deaths, body, body_sha256, notes)
         select letter_id, n, now(), source_id, exchange, routing_key, properties, headers,
             deaths, body, body_sha256, notes
         from arrivals, generate_series(2, $2) as n where letter_id = $1 and ordinal = 1",
        "update letters set arrivals = $2 where id = $1",
        "insert into audit (at, actor, action, letter_id, detail)
         select now(), 'dlo', 'letter.died_again', $1, repeat('<', 4000)
         from generate_series(1, $2)",
    ] {
        sqlx::query(statement).bind(id.0).bind(times).execute(pool).await.expect("done");
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_is_left_out_is_counted_and_can_be_had_whole(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let nobody = Brokers::main("amqp://127.0.0.1:1/%2f", None);
    let office = MeasuredOffice::open(&pool, &nobody, &[("DLO_INTAKE", "off")]).await;
    let costly = costly();
    let many = costly.iter().find(|one| one.name == "5,000 headers");
    let id = store(&bench, many.expect("one of them")).await;
    come_back(&pool, id, 150).await;
    let get = |path: String| office.request(Method::GET, &path);
    let letter = get(format!("/api/v1/letters/{id}"));
    let letter = office.within_bounds("150 arrivals", letter).await.json();
    assert_eq!(letter["omitted"]["arrivals"], 50);
    assert!(letter["omitted"]["audit"].as_u64() > Some(0), "{}", letter["omitted"]);
    let arrivals = letter["arrivals"].as_array().expect("arrivals");
    assert_eq!((arrivals.len(), &arrivals[0]["ordinal"]), (100, &json!(51)));
    for arrival in arrivals {
        let shown = arrival["headers"].as_array().expect("headers").len();
        let omitted = arrival["omitted"]["headers"].as_u64().expect("a number");
        assert_eq!(shown + usize::try_from(omitted).expect("small"), 5_000);
    }
    for (arrival, says) in [
        ("", "more values that are left out"),
        ("?arrival=3", "more values that are left out"),
        ("", "and 50 older arrivals"),
        ("/edit", "Edit what is sent"),
    ] {
        let page = get(format!("/letters/{id}{arrival}"));
        let page = office.within_bounds("150 arrivals", page).await.text();
        assert!(page.contains(says), "{arrival}: {says}");
    }
    let whole = office.measure(get(format!("/api/v1/letters/{id}/arrivals/3"))).await;
    assert!(whole.extra_kib <= 64 * 1024, "{} KiB", whole.extra_kib);
    let whole = whole.json();
    assert_eq!(whole["headers"].as_array().map(Vec::len), Some(5_000));
    assert_eq!(whole["omitted"], Value::Null);
    let none = office.measure(get(format!("/api/v1/letters/{id}/arrivals/151"))).await;
    assert_eq!(none.status, reqwest::StatusCode::NOT_FOUND);
    office.close().await;
}
