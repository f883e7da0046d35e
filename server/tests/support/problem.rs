//! Problems as the HTTP API tells them.

use reqwest::Response;
use serde_json::Value;

/// The problem that a response must be, as its status and its detail.
pub async fn problem(response: Response) -> (u16, String) {
    let status = response.status().as_u16();
    let kind = response.headers().get("content-type").cloned();
    let kind = kind.as_ref().and_then(|value| value.to_str().ok()).unwrap_or_default();
    assert_eq!(kind, "application/problem+json", "of a {status}");
    let body: Value = response.json().await.expect("JSON");
    let members: Vec<_> = body
        .as_object()
        .expect("an object")
        .keys()
        // Filters have these too.
        .filter(|name| !["position", "length"].contains(&name.as_str()))
        .cloned()
        .collect();
    assert_eq!(members, ["detail", "status", "title", "type"]);
    assert_eq!(body["status"], status);
    let detail = body["detail"].as_str().expect("a sentence").to_owned();
    assert!(detail.len() > 15, "too short to help: {detail}");
    (status, detail)
}
