//! Topology over HTTP: what is asked of the desk, and what is refused before it.

use dlo_server::access::Role;
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::front::{Counter, ID, problem};

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn queues_and_findings_are_told(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let one = format!("/api/v1/topology/findings/{ID}");
    let cases = [
        ("/api/v1/topology", "brokers"),
        ("/api/v1/topology/findings", "findings Open"),
        ("/api/v1/topology/findings?scope=all", "findings All"),
        (&one, &format!("finding {ID}")),
        ("/api/v1/queues/%2F/a%2Fb", "queue main / a/b"),
        ("/api/v1/queues/x/work?broker=other", "queue other x work"),
    ];
    for (path, asked) in cases {
        let response = counter.get(path).await;
        assert_eq!(response.status(), 200, "{path}");
        assert_eq!(counter.desk.asked(), [asked], "{path}");
    }
    let list: Value = counter
        .get("/api/v1/queues?vhost=%2F&limit=2")
        .await
        .json()
        .await
        .expect("JSON");
    assert_eq!(list["items"][0]["dead_letters"]["to"], json!(["dead"]));
    assert_eq!(list["next_cursor"], "next");
    let asked = counter.desk.asked().remove(0);
    assert!(
        asked.contains("vhost: Some(\"/\")") && asked.contains("limit: 2"),
        "{asked}"
    );
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_limit_is_lifted_as_it_was_looked_at(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let path = "/api/v1/queues/%2F/dead/lift-delivery-limit";
    let lift = || counter.as_role(Role::Admin, Method::POST, path);
    for (request, asked) in [
        (lift(), "by None, dry false"),
        (lift().json(&json!({"dry_run": true})), "by None, dry true"),
        (
            lift().json(&json!({"plan": "1f"})),
            "by Some(\"1f\"), dry false",
        ),
    ] {
        let response = request.send().await.expect("an answer");
        assert_eq!(response.status(), 200, "{asked}");
        let wanted = format!("admin lifts the limit of dead {asked}");
        assert_eq!(counter.desk.asked(), [wanted]);
    }
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn dead_letter_queues_are_looked_for_with_and_without_a_body(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let ask = || counter.as_role(Role::Operator, Method::POST, "/api/v1/sources/discover");
    let narrow = json!({"broker": "main", "vhost": "/"});
    let cases = [
        (ask(), "discover at None None"),
        (ask().json(&json!({})), "discover at None None"),
        (
            ask().json(&narrow),
            "discover at Some(\"main\") Some(\"/\")",
        ),
    ];
    for (request, asked) in cases {
        let response = request.send().await.expect("an answer");
        assert_eq!(response.status(), 200, "{asked}");
        let body: Value = response.json().await.expect("JSON");
        let source = json!({"broker": "main", "vhost": "/", "queue": "dead", "mode": "take"});
        assert_eq!(body["items"][0]["source"], source);
        assert_eq!(counter.desk.asked(), [asked]);
    }
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn changes_are_made_in_the_name_of_the_token(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let finding = format!("/api/v1/topology/findings/{ID}");
    let setting = "/api/v1/queues/%2F/jobs/dead-lettering";
    let dry = json!({"dead_letter_queue": "dead", "dry_run": true});
    let wet = json!({"dead_letter_queue": "dead", "max_deliveries": 5, "plan": "abc"});
    let dry_removal = format!("{setting}?dry_run=true");
    let cases = [
        (
            Method::POST,
            "/api/v1/topology/check",
            json!(null),
            202,
            "check of the topology",
        ),
        (
            Method::PATCH,
            &finding,
            json!({"acknowledged": true}),
            200,
            "admin edits",
        ),
        (
            Method::PUT,
            setting,
            dry,
            200,
            "preview of jobs dying into dead AsItIs AsItIs",
        ),
        (
            Method::PUT,
            setting,
            json!({"dead_letter_queue": "dead", "dry_run": true, "max_deliveries": null,
                "at_least_once": false}),
            200,
            "preview of jobs dying into dead Away Set(false)",
        ),
        (
            Method::PUT,
            setting,
            wet,
            200,
            "admin has / jobs die into dead by Some(\"abc\")",
        ),
        (
            Method::DELETE,
            &dry_removal,
            json!(null),
            200,
            "admin unsets jobs, dry true",
        ),
        (
            Method::DELETE,
            setting,
            json!(null),
            200,
            "admin unsets jobs, dry false",
        ),
    ];
    for (method, path, body, status, said) in cases {
        let request = counter.as_role(Role::Admin, method, path).json(&body);
        let response = request.send().await.expect("an answer");
        assert_eq!(response.status(), status, "{path}");
        let asked = counter.desk.asked().remove(0);
        assert!(asked.starts_with(said), "{asked}");
    }
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_cannot_be_read_does_not_reach_the_desk(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let setting = "/api/v1/queues/%2F/jobs/dead-lettering";
    let cases = [
        (
            Method::GET,
            "/api/v1/topology/findings?scope=some",
            json!(null),
            "no scope",
        ),
        (
            Method::GET,
            "/api/v1/queues?limit=0",
            json!(null),
            "`limit`",
        ),
        (
            Method::GET,
            "/api/v1/queues?cursor=!",
            json!(null),
            "`cursor`",
        ),
        (
            Method::GET,
            "/api/v1/queues?colour=red",
            json!(null),
            "unknown query parameter",
        ),
        (
            Method::PUT,
            setting,
            json!({"dead_letter_queue": 7}),
            "does not fit",
        ),
        (
            Method::PUT,
            setting,
            json!({"dead_letter_queue": "d", "odd": 1}),
            "odd",
        ),
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
        assert_eq!(counter.desk.asked(), [""; 0]);
    }
    counter.close().await;
}
