//! Alerts, rules and silences over HTTP: what is told, and what is refused.

use chrono::TimeDelta;
use dlo_server::access::Role;
use dlo_server::clock::{Clock as _, SystemClock};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use sqlx::PgPool;

use super::Office;
use crate::support::front::{Counter, ID};

async fn ask(
    counter: &Counter,
    role: Role,
    method: Method,
    path: &str,
    body: Value,
) -> (StatusCode, Value) {
    let request = counter.as_role(role, method, path).json(&body);
    let answer = request.send().await.expect("an answer");
    let status = answer.status();
    (status, answer.json().await.unwrap_or_default())
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_program_reads_alerts_and_edits_rules_and_silences(pool: PgPool) {
    let office = Office::open(&pool).await;
    office.run("insert into death_counts values ('2026-11-21T12:00:00Z', 'normal', 100)").await;
    office.pass(40).await;
    let counter = Counter::open(&pool).await;
    let get = |path: &'static str| ask(&counter, Role::Viewer, Method::GET, path, json!(null));
    let (_, open) = get("/api/v1/alerts").await;
    let alert = &open["items"][0];
    assert_eq!(alert["rule_name"], "Many dead letters");
    assert_eq!(
        (&alert["built_in"], &alert["state"]),
        (&json!("dead_letter_rate"), &json!("firing"))
    );
    assert_eq!((&alert["severity"], &alert["figure"]), (&json!("high"), &json!(100)));
    let acknowledge =
        format!("/api/v1/alerts/{}/acknowledge", alert["id"].as_str().expect("an id"));
    let post = |path: String, body| {
        let counter = &counter;
        async move { ask(counter, Role::Operator, Method::POST, &path, body).await }
    };
    assert_eq!(post(acknowledge.clone(), json!(null)).await.0, StatusCode::NO_CONTENT);
    assert_eq!(post(acknowledge, json!(null)).await.0, StatusCode::CONFLICT);
    let nobody = format!("/api/v1/alerts/{ID}/acknowledge");
    assert_eq!(post(nobody, json!(null)).await.0, StatusCode::NOT_FOUND);
    assert_eq!(alert["says"], "100 dead letters in a minute (limit 10)");
    let path = format!("/api/v1/alerts/{}", alert["id"].as_str().expect("an id"));
    let (_, one) = ask(&counter, Role::Viewer, Method::GET, &path, json!(null)).await;
    let happened: Vec<_> =
        one["events"].as_array().expect("events").iter().map(|one| &one["what"]).collect();
    assert_eq!(happened, ["fired", "acknowledged"]);
    assert_eq!((&one["state"], &one["told"]), (&json!("acknowledged"), &json!([])));
    let mute = |body| post(format!("{path}/mute"), body);
    assert_eq!(mute(json!({"seconds": 3600, "until_more": 1})).await.0, StatusCode::BAD_REQUEST);
    assert_eq!(mute(json!({"seconds": 3600})).await.0, StatusCode::NO_CONTENT);
    let (_, one) = ask(&counter, Role::Viewer, Method::GET, &path, json!(null)).await;
    assert_eq!(one["silences"][0]["scope"]["thing"], alert["subject"]["key"]);
    let silence = format!("/api/v1/silences/{}", one["silences"][0]["id"].as_str().expect("an id"));
    let (ended, _) = ask(&counter, Role::Operator, Method::DELETE, &silence, json!(null)).await;
    assert_eq!(ended, StatusCode::NO_CONTENT);
    assert_eq!(get("/api/v1/alerts?state=over").await.1["estimated_total"], 0);
    let (status, problem) = get("/api/v1/alerts?state=odd").await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(problem["detail"].as_str().expect("a text").contains("open or over"), "{problem}");

    let (_, rules) = get("/api/v1/alert-rules").await;
    assert_eq!(rules["items"].as_array().expect("a list").len(), 14);
    let mut rule = rules["items"][0].clone();
    assert_eq!((&rule["name"], &rule["limit"]), (&json!("Many dead letters"), &json!(10)));
    assert_eq!(rule["signal"], json!({"kind": "dead_letters", "measure": "rate", "minutes": 1}));
    let path = format!("/api/v1/alert-rules/{}", rule["id"].as_str().expect("an id"));
    let fields = rule.as_object_mut().expect("fields");
    fields.remove("id");
    fields.remove("built_in");
    rule["limit"] = json!(50);
    let put = |body: Value| ask(&counter, Role::Admin, Method::PUT, &path, body);
    assert_eq!(put(rule.clone()).await.1["limit"], 50);
    rule["limit"] = json!(-1);
    assert_eq!(put(rule.clone()).await.0, StatusCode::BAD_REQUEST);
    rule["limitt"] = json!(1);
    assert_eq!(put(rule).await.0, StatusCode::BAD_REQUEST);

    let own = json!({
        "name": "payments die",
        "signal": {"kind": "dead_letters", "filter": "queue:pay*", "measure": "ratio", "minutes": 10},
        "limit": 50,
    });
    let (status, preview) = post("/api/v1/alert-rules/preview".to_owned(), own.clone()).await;
    assert_eq!((status, &preview["alerts"]), (StatusCode::OK, &json!([])));
    let rules = "/api/v1/alert-rules";
    let add = |body: Value| ask(&counter, Role::Admin, Method::POST, rules, body);
    let (status, added) = add(own.clone()).await;
    assert_eq!((status, &added["signal"]), (StatusCode::CREATED, &own["signal"]));
    let odd =
        json!({"name": "x", "signal": {"kind": "oldest_letter", "filter": "age:>1h"}, "limit": 5});
    let (status, problem) = add(odd).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(problem["detail"].as_str().expect("a text").contains("cannot use `age`"), "{problem}");
    let path = format!("{rules}/{}", added["id"].as_str().expect("an id"));
    let remove = || ask(&counter, Role::Admin, Method::DELETE, &path, json!(null));
    assert_eq!(remove().await.0, StatusCode::NO_CONTENT);
    assert_eq!(remove().await.0, StatusCode::NOT_FOUND);

    let silences = "/api/v1/silences".to_owned();
    let until = SystemClock.now() + TimeDelta::hours(1);
    let silence = json!({"scope": {}, "until": until, "reason": "a deploy"});
    let (status, silence) = post(silences.clone(), silence).await;
    assert_eq!((status, &silence["by"]), (StatusCode::CREATED, &json!("operator")));
    assert_eq!(get("/api/v1/silences").await.1["items"][0]["reason"], "a deploy");
    let path = format!("/api/v1/silences/{}", silence["id"].as_str().expect("an id"));
    let end = || ask(&counter, Role::Operator, Method::DELETE, &path, json!(null));
    assert_eq!(end().await.0, StatusCode::NO_CONTENT);
    assert_eq!(end().await.0, StatusCode::NOT_FOUND);
    let endless = json!({"scope": {}, "until": "2999-01-01T00:00:00Z", "reason": "for ever"});
    let (status, problem) = post(silences, endless).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(problem["detail"].as_str().expect("a text").contains("31 days"), "{problem}");
    counter.close().await;
}
