//! Topology over HTTP: what is told and done, and what is refused.

use std::sync::Arc;

use dlo_server::access::Role;
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::front::{Counter, problem};
use crate::support::topology::{Watcher, dying, quorum};

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn queues_and_findings_are_told_and_changed_in_the_name_of_the_token(pool: PgPool) {
    let watcher = Watcher::start(&pool, "policymaker").await;
    let vhost = &watcher.vhost;
    vhost.queue("a/b", &dying("gone")).await;
    for queue in ["dead", "jobs"] {
        vhost.queue(queue, &[]).await;
    }
    watcher.finds(&[("exchange_missing", "a/b")]).await;
    let counter = Counter::open_before(&pool, Arc::new(watcher.desk())).await;
    let ask = async |method: Method, path: &str, body: Value, wanted: u16| {
        let request = counter.as_role(Role::Admin, method, &format!("/api/v1{path}"));
        let answer = request.json(&body).send().await.expect("an answer");
        assert_eq!(answer.status(), wanted, "{path}");
        answer.json::<Value>().await.unwrap_or_default()
    };
    let get = async |path: &str| ask(Method::GET, path, json!(null), 200).await;

    get("/topology").await;
    let queues = format!("/queues?vhost={}", vhost.name);
    let list = get(&format!("{queues}&limit=2")).await;
    assert_eq!(list["items"][0]["name"], "a/b");
    let cursor = list["next_cursor"].as_str().expect("a cursor");
    let rest = get(&format!("{queues}&limit=2&cursor={cursor}")).await;
    assert_eq!(rest["items"][0]["name"], "jobs");
    let one = get(&format!("/queues/{}/a%2Fb?broker=main", vhost.name)).await;
    assert_eq!(one["dead_letters"]["exchange"], "gone", "{one}");

    let open = get("/topology/findings").await;
    let of_queue = |one: &&Value| one["kind"] == "exchange_missing";
    let open = open["items"].as_array().expect("items").iter().find(of_queue).cloned();
    let open = open.expect("the finding");
    let finding = format!("/topology/findings/{}", open["id"].as_str().expect("an id"));
    assert_eq!(get(&finding).await, open);
    let edited = ask(Method::PATCH, &finding, json!({"acknowledged": true}), 200).await;
    assert_eq!(edited["acknowledged_by"], "admin");
    ask(Method::POST, "/topology/check", json!(null), 202).await;

    let setting = format!("/queues/{}/jobs/dead-lettering", vhost.name);
    let dry = json!({"dead_letter_queue": "dead", "dry_run": true});
    let dry = ask(Method::PUT, &setting, dry, 200).await;
    assert_eq!(dry["applied"], false, "{dry}");
    let wet = json!({"dead_letter_queue": "dead", "plan": dry["plan"]});
    let wet = ask(Method::PUT, &setting, wet, 200).await;
    assert_eq!(wet["applied"], true, "{wet}");
    let looked = ask(Method::DELETE, &format!("{setting}?dry_run=true"), json!(null), 200).await;
    assert_eq!(looked["applied"], false, "{looked}");
    let removed = ask(Method::DELETE, &setting, json!(null), 200).await;
    assert_eq!(removed["applied"], true, "{removed}");
    let actors = "select distinct actor from audit";
    let actors: Vec<String> = sqlx::query_scalar(actors).fetch_all(&pool).await.expect("read");
    assert_eq!(actors, ["admin"]);
    counter.close().await;
    watcher.end().await;
}

/// No policy lifts it before 4.3: a look says so then, and nothing is set.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_limit_is_lifted_as_it_was_looked_at(pool: PgPool) {
    let watcher = Watcher::start(&pool, "policymaker").await;
    let vhost = &watcher.vhost;
    vhost.queue("dead", &quorum(Vec::new())).await;
    vhost.policy("limit", "^dead$", 1, json!({"delivery-limit": 5})).await;
    let counter = Counter::open_before(&pool, Arc::new(watcher.desk())).await;
    let path = format!("/api/v1/queues/{}/dead/lift-delivery-limit", vhost.name);
    let look = counter.post(&path, &json!({"dry_run": true})).await;
    assert_eq!(look.status(), 200);
    let look: Value = look.json().await.expect("JSON");
    assert_eq!(look["applied"], false, "{look}");
    let refusals = look["refusals"].as_array().expect("refusals");
    let may_be_lifted = vhost.release().await >= (4, 3);
    assert_eq!(refusals.is_empty(), may_be_lifted, "{look}");
    let other = counter.post(&path, &json!({"plan": "1f"})).await;
    assert!(other.status().is_client_error(), "{other:?}");
    let lifted = counter.post(&path, &json!({"plan": look["plan"]})).await;
    assert_eq!(lifted.status().is_success(), may_be_lifted, "{lifted:?}");
    counter.close().await;
    watcher.end().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_cannot_be_read_is_refused(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let setting = "/api/v1/queues/%2F/jobs/dead-lettering";
    let cases = [
        (Method::GET, "/api/v1/topology/findings?scope=some", json!(null), "not a scope"),
        (Method::GET, "/api/v1/queues?limit=0", json!(null), "`limit`"),
        (Method::GET, "/api/v1/queues?cursor=!", json!(null), "`cursor`"),
        (Method::GET, "/api/v1/queues?colour=red", json!(null), "unknown query parameter"),
        (Method::PUT, setting, json!({"dead_letter_queue": 7}), "does not fit"),
        (Method::PUT, setting, json!({"dead_letter_queue": "d", "odd": 1}), "odd"),
        (Method::PUT, setting, json!({}), "dead_letter_queue"),
        (
            Method::POST,
            "/api/v1/sources/discover",
            json!({"queue": "dead"}),
            "unknown field `queue`",
        ),
    ];
    for (method, path, body, said) in cases {
        let request = counter.as_role(Role::Admin, method, path).json(&body);
        let (status, detail) = problem(request.send().await.expect("an answer")).await;
        assert_eq!(status, 400, "{path} {detail}");
        assert!(detail.contains(said), "{detail}");
    }
    counter.close().await;
}
