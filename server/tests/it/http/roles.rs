//! Who may ask what of the real desk. The table is the decision: a route that it does not have, or has with
//! another role, fails the test.

use dlo_server::access::Role;
use dlo_server::http::{Listed, RouteKind, listed};
use reqwest::Method;
use sqlx::PgPool;
use std::collections::BTreeMap;

use crate::support::desk::Bench;
use crate::support::front::{Counter, ID};

const TABLE: &str = include_str!("roles.txt");

/// A route, as the table writes it.
fn written(route: &Listed) -> String {
    let method = route.method.as_ref().map_or("ANY", Method::as_str);
    format!("{method} {}", route.path)
}

/// What the table says of each route: the least role, or who asks for it without a token.
fn table() -> BTreeMap<String, String> {
    let rows = TABLE.lines().filter(|row| !row.is_empty());
    let rows = rows.map(|row| row.rsplit_once(' ').expect("a route and a role"));
    rows.map(|(route, role)| (route.trim().to_owned(), role.to_owned())).collect()
}

fn said(route: &Listed) -> String {
    match (route.role, RouteKind::of_path(&route.path)) {
        (Some(role), _) => role.as_str(),
        (None, RouteKind::Page) => "page",
        (None, RouteKind::OfPages) => "of-pages",
        (None, RouteKind::Api | RouteKind::Health) => "anybody",
    }
    .to_owned()
}

// Its list of routes asks for a runtime.
#[tokio::test]
async fn every_route_is_in_the_table_with_its_role() {
    let found: BTreeMap<String, String> =
        listed().iter().map(|route| (written(route), said(route))).collect();
    let table = table();
    let wrong: Vec<String> = found
        .iter()
        .filter(|(route, role)| table.get(*route) != Some(role))
        .map(|(route, role)| format!("{route} {role}"))
        .collect();
    assert!(wrong.is_empty(), "not in roles.txt:\n{}", wrong.join("\n"));
    let gone: Vec<&String> = table.keys().filter(|row| !found.contains_key(*row)).collect();
    assert!(gone.is_empty(), "in roles.txt, and served no more: {gone:?}");
}

fn path_of(template: &str) -> String {
    template
        .replace("{id}", ID)
        .replace("{replay}", ID)
        .replace("{kind}", "severity")
        .replace("{broker}", "main")
        .replace("{vhost}", "%2F")
        .replace("{name}", "work")
        .replace("{*rest}", "nothing")
}

/// What is asked, and by whom.
struct Question<'a> {
    route: &'a Listed,
    asker: Option<Role>,
}

impl Question<'_> {
    async fn status(&self, counter: &Counter) -> u16 {
        let method = self.route.method.clone().unwrap_or(Method::GET);
        let path = path_of(&self.route.path);
        let mut request = counter.request(method.clone(), &path);
        if let Some(role) = self.asker {
            request = request.bearer_auth(counter.token(role));
        }
        if method != Method::GET {
            let kind = if self.route.path.starts_with("/ui") {
                "application/x-www-form-urlencoded"
            } else {
                "application/json"
            };
            let body = if kind.ends_with("json") { "{}" } else { "" };
            request = request.header("content-type", kind).body(body);
        }
        request.send().await.expect("an answer").status().as_u16()
    }

    /// Whether this answer is what the table decides.
    fn fits(&self, role: &str, status: u16) -> bool {
        match (role.parse::<Role>(), self.asker) {
            (Ok(_), None) => status == 401,
            (Ok(needed), Some(role)) if !role.may(needed) => status == 403,
            (Ok(_), Some(_)) => status != 401 && status != 403 && (status < 500 || status == 503),
            // Whoever reaches the pages is the local operator, whatever token is shown.
            (Err(_), _) => status != 401 && status != 403,
        }
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn the_real_desk_is_asked_by_those_alone_whom_the_table_names(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let counter = Counter::open_before(&pool, bench.desk.clone()).await;
    let table = table();
    let askers = [None].into_iter().chain(Role::ALL.map(Some));
    let mut wrong = Vec::new();
    for asker in askers {
        for route in &listed() {
            let question = Question { route, asker };
            let role = &table[&written(route)];
            let status = question.status(&counter).await;
            if !question.fits(role, status) {
                wrong.push(format!("{} as {asker:?}: {status}", written(route)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_is_not_let_in_leaves_no_trace(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let counter = Counter::open_before(&pool, bench.desk.clone()).await;
    let acts = |route: &&Listed| route.role.is_some_and(|role| role != Role::Viewer);
    for route in listed().iter().filter(acts) {
        for asker in [None, Some(Role::Viewer)] {
            Question { route, asker }.status(&counter).await;
        }
    }
    let noted: i64 =
        sqlx::query_scalar("select count(*) from audit").fetch_one(&pool).await.expect("counted");
    assert_eq!(noted, 0);
    counter.close().await;
}
