//! What right calls ask of the desk, and how they are answered.

use dlo_server::access::Role;
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::front::{Counter, HOSTILE, ID};

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn lists_take_filters_cursors_and_limits(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let cursor = "AAZhEQXOLAABmg8-Wkt8LY4fASNFZ4mr";
    let cases = [
        ("/letters", "letters [] after false limit 50".to_owned()),
        (
            "/letters?q=&state=&limit=500",
            "letters [] after false limit 500".to_owned(),
        ),
        (
            "/letters?q=state:held+queue:a&queue=b+c&age=%3C1h",
            "letters [state:held queue:\"b c\" age:<1h] after false limit 50".to_owned(),
        ),
        (
            &format!("/letters?cursor={cursor}"),
            "letters [] after true limit 50".to_owned(),
        ),
        (
            "/groups?state=muted&limit=3",
            "groups Some(Muted) after false limit 3".to_owned(),
        ),
        (
            "/replays?limit=7",
            "replays of all after false limit 7".to_owned(),
        ),
        (
            "/replays?by=people",
            "replays of people after false limit 50".to_owned(),
        ),
        (
            &format!("/replays/{ID}/items?outcome=unknown"),
            format!("items {ID} Some(Unknown) after false limit 50"),
        ),
    ];
    for (path, asked) in cases {
        let response = counter.get(&format!("/api/v1{path}")).await;
        assert_eq!(response.status(), 200, "{path}");
        let body: Value = response.json().await.expect("JSON");
        let page = json!({"items": [], "next_cursor": null, "estimated_total": 0});
        assert_eq!(body, page, "{path}");
        assert_eq!(counter.desk.asked(), [asked]);
    }
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_letter_lists_its_arrivals(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let response = counter.get(&format!("/api/v1/letters/{ID}")).await;
    assert_eq!(response.status(), 200);
    let body: Value = response.json().await.expect("JSON");
    assert_eq!(body["id"], ID);
    assert_eq!(body["state"], "held");
    for list in ["arrivals", "deaths", "replays", "audit"] {
        assert!(body[list].is_array(), "{list}: {}", body[list]);
    }
    let retries = &body["retries"];
    assert!(retries["tries"].is_array(), "{retries}");
    for member in ["exhausted", "next"] {
        assert!(retries.get(member).is_some(), "{member}: {retries}");
    }
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn decisions_are_made_in_the_name_of_the_token(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let selection = json!({"filter": "state:held"});
    let cases = [
        (
            "/discards",
            json!({"selection": selection, "reason": " old "}),
            200,
            ": old",
        ),
        (
            "/restores",
            json!({"selection": {"ids": [ID]}}),
            200,
            "restores",
        ),
        (
            "/replays",
            json!({"selection": selection}),
            201,
            "replays to OriginQueue",
        ),
        (
            "/replays",
            json!({"selection": selection, "dry_run": true, "target": {"mode": "queue", "queue": "q"}}),
            200,
            "replays to Queue { queue: \"q\" }",
        ),
        (
            &format!("/letters/{ID}/published"),
            json!({"published": false}),
            204,
            "published: false",
        ),
        (
            &format!("/letters/{ID}/processed"),
            json!(null),
            204,
            "was processed",
        ),
    ];
    for (path, body, status, wanted) in cases {
        let path = format!("/api/v1{path}");
        let request = counter
            .as_role(Role::Operator, Method::POST, &path)
            .json(&body);
        let response = request.send().await.expect("an answer");
        assert_eq!(response.status(), status, "{path}");
        let location = response
            .headers()
            .get("location")
            .map(|value| value.as_bytes().to_vec());
        let place = (status == 201).then(|| format!("/api/v1/replays/{ID}").into_bytes());
        assert_eq!(location, place, "{path}");
        let asked = counter.desk.asked().concat();
        assert!(
            asked.starts_with("operator ") && asked.contains(wanted),
            "{asked}"
        );
    }
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn sources_are_added_shown_and_removed_by_admins(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let source = json!({"vhost": "/", "queue": "orders.dead", "mode": "mirror"});
    let response = counter.post("/api/v1/sources", &source).await;
    assert_eq!(response.status(), 201);
    let place = response.headers()["location"]
        .to_str()
        .expect("text")
        .to_owned();
    let added: Value = response.json().await.expect("JSON");
    let shown: Value = counter.get(&place).await.json().await.expect("JSON");
    assert_eq!(shown, added);
    let listed: Value = counter
        .get("/api/v1/sources")
        .await
        .json()
        .await
        .expect("JSON");
    assert_eq!(listed["items"], json!([added]));
    let ejected = counter
        .post(&format!("{place}/eject-head"), &json!(null))
        .await;
    assert_eq!(ejected.status(), 201);
    assert_eq!(
        ejected.json::<Value>().await.expect("JSON"),
        json!({"letter_id": ID})
    );
    let loss = format!("{place}/accepted-loss");
    let accept = |loss: &str| counter.as_role(Role::Operator, Method::PUT, loss);
    let wanted = json!({"letters": 3, "delivery_limit": 20});
    let accepted = accept(&loss).json(&wanted).send().await.expect("an answer");
    assert_eq!(accepted.status(), 200);
    let withdrawal = counter
        .as_role(Role::Operator, Method::DELETE, &loss)
        .send();
    assert_eq!(withdrawal.await.expect("an answer").status(), 200);
    let asked = counter.desk.asked().concat();
    let wanted = format!("operator accepts to lose 3 of {ID} at Some(20)");
    assert!(asked.contains(&wanted), "{asked}");
    assert!(
        asked.contains(&format!("operator withdraws the loss of {ID}")),
        "{asked}"
    );
    let change = counter.as_role(Role::Admin, Method::PUT, &place);
    let changed = change.json(&source).send().await.expect("an answer");
    assert_eq!(changed.status(), 200);
    assert_eq!(changed.json::<Value>().await.expect("JSON"), added);
    let asked = counter.desk.asked();
    let wanted = format!("admin makes {ID} a Mirror");
    assert_eq!(asked.last(), Some(&wanted), "{asked:?}");
    let removal = counter
        .as_role(Role::Admin, Method::DELETE, &place)
        .send()
        .await;
    assert_eq!(removal.expect("an answer").status(), 204);
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_body_is_downloaded_as_bytes_that_no_browser_runs(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    for path in ["/api/v1/letters", "/letters"] {
        let response = counter.get(&format!("{path}/{ID}/body?arrival=2")).await;
        let headers = response.headers().clone();
        assert_eq!(headers["content-type"], "application/octet-stream");
        assert_eq!(headers["x-content-type-options"], "nosniff");
        assert_eq!(
            headers["content-security-policy"],
            "sandbox; default-src 'none'"
        );
        let attachment = format!("attachment; filename=\"letter-{ID}.bin\"");
        assert_eq!(headers["content-disposition"], attachment);
        assert_eq!(response.bytes().await.expect("bytes"), HOSTILE);
        assert_eq!(counter.desk.asked(), [format!("body {ID} Some(2)")]);
    }
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn the_api_describes_itself(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let request = counter.request(Method::GET, "/api/v1/openapi.json");
    let response = request.send().await.expect("an answer without a token");
    let document: Value = response.json().await.expect("JSON");
    assert!(
        document["openapi"]
            .as_str()
            .is_some_and(|version| version.starts_with("3.1"))
    );
    assert_eq!(document["info"]["title"], "Dead Letter Office");
    let schemes = &document["components"]["securitySchemes"]["token"];
    assert_eq!(schemes["scheme"], "bearer");
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn views_are_kept_in_the_name_of_the_token(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let response = counter.get("/api/v1/views").await;
    assert_eq!(response.status(), 200);
    let body: Value = response.json().await.expect("JSON");
    assert_eq!(body["items"], json!([]));
    let saved = counter
        .as_role(Role::Operator, Method::POST, "/api/v1/views")
        .json(&json!({"name": "mine", "filter": "state:held -queue:a"}))
        .send()
        .await
        .expect("an answer");
    assert_eq!(saved.status(), 201);
    let view: Value = saved.json().await.expect("JSON");
    assert_eq!(view["shared"], false);
    let removed = counter
        .as_role(
            Role::Operator,
            Method::DELETE,
            &format!("/api/v1/views/{ID}"),
        )
        .send()
        .await
        .expect("an answer");
    assert_eq!(removed.status(), 204);
    let asked = counter.desk.asked();
    assert_eq!(asked.len(), 3, "{asked:?}");
    assert!(asked[1].starts_with("save view mine [state:held -queue:a] shared false by "));
    assert!(asked[2].starts_with(&format!("remove view {ID} by ")));
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn breakdowns_and_the_overview_are_told_to_programs(pool: PgPool) {
    let counter = Counter::open(&pool).await;
    let response = counter.get(&format!("/api/v1/groups/{ID}/breakdown")).await;
    assert_eq!(response.status(), 200);
    let body: Value = response.json().await.expect("JSON");
    let nothing = json!({"letters": 0, "letters_in_set": 0, "compared_with": 0,
        "letters_in_all": 0, "sentence": null, "facets": []});
    assert_eq!(body, nothing);
    for (query, span) in [("", "1h"), ("?span=7d", "7d")] {
        let response = counter.get(&format!("/api/v1/overview{query}")).await;
        assert_eq!(response.status(), 200, "{query}");
        let body: Value = response.json().await.expect("JSON");
        assert_eq!((&body["span"], &body["waiting"]), (&json!(span), &nothing));
    }
    for query in ["span=1w", "span=1h&span=7d", "since=1h"] {
        let response = counter.get(&format!("/api/v1/overview?{query}")).await;
        assert_eq!(response.status(), 400, "{query}");
    }
    let asked = counter.desk.asked();
    assert_eq!(
        asked,
        [&format!("breakdown of {ID}"), "overview 1h", "overview 7d"]
    );
    counter.close().await;
}
