//! Letters, replays, sources and views over HTTP: what an address means, and how it is answered.

use dlo_domain::replay::Target;
use dlo_domain::wire::{FieldTable, Properties};
use dlo_server::access::Role;
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::desk::groups::receive;
use crate::support::broker::Vhost;
use crate::support::desk::Bench;
use crate::support::front::Counter;

/// A body that a browser would run if it took it for a document.
const HOSTILE: &[u8] = b"<script>alert(1)</script>";

async fn read(counter: &Counter, path: &str) -> Value {
    let response = counter.get(&format!("/api/v1{path}")).await;
    assert_eq!(response.status(), 200, "{path}");
    response.json().await.expect("JSON")
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn lists_take_filters_cursors_and_limits(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let first = bench.letter("a", b"{}").await;
    for _ in 0..3 {
        bench.letter("b c", b"{}").await;
    }
    let replay = bench.plan(&[first], Target::OriginQueue).await;
    let replay = replay.id.expect("an id");
    let counter = Counter::open_before(&pool, bench.desk.clone()).await;
    for (path, count) in [
        ("/letters", 4),
        ("/letters?q=&state=&limit=500", 4),
        ("/letters?limit=3", 3),
        ("/letters?q=state:held&queue=b+c&age=%3C1h", 3),
        ("/letters?q=queue:a&queue=b+c", 3),
        ("/letters?state=claimed", 1),
        ("/groups?state=muted&limit=3", 0),
        ("/replays?limit=7", 1),
        ("/replays?by=people", 1),
        ("/replays?by=policies", 0),
        ("/replays?by=handler", 0),
        (&format!("/replays/{replay}/items"), 1),
        (&format!("/replays/{replay}/items?outcome=unknown"), 0),
    ] {
        let page = read(&counter, path).await;
        let items = page["items"].as_array().expect("items");
        assert_eq!(items.len(), count, "{path}: {page}");
        assert!(page["estimated_total"].is_number(), "{path}: {page}");
    }
    let page = read(&counter, "/letters?limit=3").await;
    let cursor = page["next_cursor"].as_str().expect("a cursor");
    let rest = read(&counter, &format!("/letters?limit=3&cursor={cursor}")).await;
    assert_eq!(rest["items"][0]["id"], json!(first));
    assert_eq!(
        (rest["items"].as_array().map(Vec::len), &rest["next_cursor"]),
        (Some(1), &json!(null))
    );
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_letter_lists_its_arrivals(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let id = bench.letter("work", b"{}").await;
    let counter = Counter::open_before(&pool, bench.desk.clone()).await;
    let letter = read(&counter, &format!("/letters/{id}")).await;
    assert_eq!((&letter["id"], &letter["state"]), (&json!(id), &json!("held")));
    assert_eq!(letter["arrivals"].as_array().map(Vec::len), Some(1), "{letter}");
    for list in ["deaths", "replays", "audit"] {
        assert!(letter[list].is_array(), "{list}: {}", letter[list]);
    }
    let retries = &letter["retries"];
    assert!(retries["tries"].is_array(), "{retries}");
    for member in ["exhausted", "next"] {
        assert!(retries.get(member).is_some(), "{member}: {retries}");
    }
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn decisions_are_made_in_the_name_of_the_token(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let id = bench.letter("work", b"{}").await;
    let other = bench.letter("work", b"{}").await;
    let counter = Counter::open_before(&pool, bench.desk.clone()).await;
    let (this, that) = (json!({"ids": [id]}), json!({"ids": [other]}));
    let target = json!({"mode": "queue", "queue": "q"});
    for (path, body, status, state) in [
        ("/discards", json!({"selection": this, "reason": " old "}), 200, "discarded"),
        ("/restores", json!({"selection": this}), 200, "held"),
        ("/replays", json!({"selection": this, "dry_run": true, "target": target}), 200, "held"),
        ("/replays", json!({"selection": this}), 201, "claimed"),
        ("/holds", json!({"selection": that}), 200, "claimed"),
    ] {
        let path = format!("/api/v1{path}");
        let request = counter.as_role(Role::Operator, Method::POST, &path);
        let response = request.json(&body).send().await.expect("an answer");
        assert_eq!(response.status(), status, "{path}");
        let place = response.headers().get("location");
        let place = place.map(|place| place.to_str().expect("text").to_owned());
        let told: Value = response.json().await.expect("JSON");
        let made = told["id"].as_str().map(|id| format!("/api/v1/replays/{id}"));
        assert_eq!(place, made.filter(|_| status == 201), "{path}");
        let letter = read(&counter, &format!("/letters/{id}")).await;
        assert_eq!(letter["state"], state, "{path} {body}");
    }
    let letter = read(&counter, &format!("/letters/{id}")).await;
    let lines = letter["audit"].as_array().expect("a trail");
    assert!(lines.len() >= 3, "{letter}");
    assert!(lines.iter().all(|line| line["actor"] == "operator"), "{letter}");
    let put_away = lines.iter().find(|line| line["action"] == "letter.discard");
    assert_eq!(put_away.expect("a line")["detail"], "old", "{letter}");
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_came_of_a_letter_is_told_in_the_name_of_the_token(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let counter = Counter::open_before(&pool, bench.desk.clone()).await;
    for (state, path, body, becomes) in [
        ("unknown", "published", json!({"published": false}), "held"),
        ("unknown", "published", json!({"published": true}), "replayed"),
        ("replayed", "processed", json!(null), "resolved"),
    ] {
        let id = bench.letter("work", b"{}").await;
        let replay = bench.plan(&[id], Target::OriginQueue).await;
        for sql in [
            "update letters set state = $3 where id = $1 and $2::uuid is not null",
            "update replay_items set outcome = case $3 when 'unknown' then 'unknown' else 'confirmed' end
             where letter_id = $1 and replay_id = $2",
        ] {
            let set = sqlx::query(sql).bind(id.0).bind(replay.id.map(|id| id.0)).bind(state);
            set.execute(&pool).await.expect("set");
        }
        let path = format!("/api/v1/letters/{id}/{path}");
        let request = counter.as_role(Role::Operator, Method::POST, &path);
        let response = request.json(&body).send().await.expect("an answer");
        assert_eq!(response.status(), 204, "{path} {body}");
        let letter = read(&counter, &format!("/letters/{id}")).await;
        assert_eq!(letter["state"], becomes, "{path} {body}");
        assert_eq!(letter["audit"][0]["actor"], "operator", "{letter}");
    }
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn sources_are_added_changed_shown_and_removed_by_admins(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.dead_letter_pair("dlx", "orders.dead").await;
    let bench = Bench::new(&pool, &vhost.brokers, &vhost.name).await;
    let counter = Counter::open_before(&pool, bench.desk.clone()).await;
    let source = |mode: &str| json!({"vhost": vhost.name, "queue": "orders.dead", "mode": mode});
    let added = counter.post("/api/v1/sources", &source("mirror")).await;
    assert_eq!(added.status(), 201);
    let place = added.headers()["location"].to_str().expect("text").to_owned();
    let added: Value = added.json().await.expect("JSON");
    let path = place.trim_start_matches("/api/v1");
    assert_eq!(read(&counter, path).await, added);
    let listed = read(&counter, "/sources").await;
    assert!(listed["items"].as_array().expect("items").contains(&added), "{listed}");
    let ask = async |role: Role, method: Method, path: &str, body: Value| {
        let request = counter.as_role(role, method, &format!("{place}{path}"));
        request.json(&body).send().await.expect("an answer")
    };
    let changed = ask(Role::Admin, Method::PUT, "", source("take")).await;
    assert_eq!(changed.status(), 200);
    assert_eq!(read(&counter, path).await["mode"], "take");
    sqlx::query("update sources set condition = 'delivery_limit', delivery_limit = 20")
        .execute(&pool)
        .await
        .expect("set");
    let loss = json!({"letters": 3, "delivery_limit": 20});
    let accepted = ask(Role::Operator, Method::PUT, "/accepted-loss", loss).await;
    assert_eq!(accepted.status(), 200);
    let accepted: Value = accepted.json().await.expect("JSON");
    assert_eq!(accepted["accepted_loss"]["letters"], 3);
    assert_eq!(accepted["accepted_loss"]["by"], "operator");
    let withdrawn = ask(Role::Operator, Method::DELETE, "/accepted-loss", json!(null)).await;
    assert_eq!(withdrawn.status(), 200);
    assert_eq!(read(&counter, path).await["accepted_loss"], json!(null));
    let removed = ask(Role::Admin, Method::DELETE, "", json!(null)).await;
    assert_eq!(removed.status(), 204);
    counter.close().await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_body_is_downloaded_as_bytes_that_no_browser_runs(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let (properties, headers) = (Properties::default(), FieldTable::default());
    let id = bench.letter_of("work", &properties, &headers, HOSTILE).await;
    let counter = Counter::open_before(&pool, bench.desk.clone()).await;
    for path in ["/api/v1/letters", "/letters"] {
        let response = counter.get(&format!("{path}/{id}/body?arrival=1")).await;
        let headers = response.headers().clone();
        assert_eq!(headers["content-type"], "application/octet-stream");
        assert_eq!(headers["x-content-type-options"], "nosniff");
        assert_eq!(headers["content-security-policy"], "sandbox; default-src 'none'");
        let attachment = format!("attachment; filename=\"letter-{id}.bin\"");
        assert_eq!(headers["content-disposition"], attachment);
        assert_eq!(response.bytes().await.expect("bytes"), HOSTILE);
        let other = counter.get(&format!("{path}/{id}/body?arrival=2")).await;
        assert_eq!(other.status(), 404);
    }
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn the_api_describes_itself(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let request = counter.request(Method::GET, "/api/v1/openapi.json");
    let response = request.send().await.expect("an answer without a token");
    let document: Value = response.json().await.expect("JSON");
    assert!(document["openapi"].as_str().is_some_and(|version| version.starts_with("3.1")));
    assert_eq!(document["info"]["title"], "Dead Letter Office");
    let schemes = &document["components"]["securitySchemes"]["token"];
    assert_eq!(schemes["scheme"], "bearer");
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn views_are_saved_replaced_and_removed_by_their_owner(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let ask = async |role: Role, method: Method, path: &str, body: Value| {
        let request = counter.as_role(role, method, &format!("/api/v1/views{path}"));
        let answer = request.json(&body).send().await.expect("an answer");
        let status = answer.status().as_u16();
        (status, answer.json::<Value>().await.unwrap_or_default())
    };
    let count = async |role: Role| {
        let (_, list) = ask(role, Method::GET, "", json!(null)).await;
        list["items"].as_array().map(Vec::len)
    };
    let (owner, other) = (Role::Operator, Role::Admin);
    let view = json!({"name": "mine", "filter": "STATE:held"});
    let (status, first) = ask(owner, Method::POST, "", view).await;
    assert_eq!(status, 201);
    assert_eq!(first["filter"], "state:held");
    assert_eq!((count(owner).await, count(other).await), (Some(1), Some(0)));
    let view = json!({"name": "mine", "filter": "queue:a", "shared": true});
    let (_, second) = ask(owner, Method::POST, "", view).await;
    assert_eq!(second["id"], first["id"]);
    assert_eq!((count(owner).await, count(other).await), (Some(1), Some(1)));
    let path = format!("/{}", first["id"].as_str().expect("an id"));
    assert_eq!(ask(other, Method::DELETE, &path, json!(null)).await.0, 404);
    assert_eq!(ask(owner, Method::DELETE, &path, json!(null)).await.0, 204);
    assert_eq!(count(owner).await, Some(0));
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn breakdowns_and_the_overview_are_told_to_programs(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    receive(&bench, &["the ledger is closed"]).await;
    let counter = Counter::open_before(&pool, bench.desk.clone()).await;
    let groups = read(&counter, "/groups").await;
    let group = groups["items"][0]["id"].as_str().expect("a group");
    let told = read(&counter, &format!("/groups/{group}/breakdown")).await;
    assert_eq!((&told["letters"], told["facets"].is_array()), (&json!(1), true), "{told}");
    let told = read(&counter, &format!("/groups/{group}/causes")).await;
    assert_eq!(told, json!({"letters": 1, "workers": [], "executions": []}));
    for (query, span) in [("", "1h"), ("?span=7d", "7d")] {
        let told = read(&counter, &format!("/overview{query}")).await;
        assert_eq!((&told["span"], &told["waiting"]["letters"]), (&json!(span), &json!(1)));
    }
    for query in ["span=1w", "span=1h&span=7d", "since=1h"] {
        let response = counter.get(&format!("/api/v1/overview?{query}")).await;
        assert_eq!(response.status(), 400, "{query}");
    }
    counter.close().await;
}
