//! The prepared queries in `.sqlx`, which builds take for granted, against the schema that the migrations make.
//! `make test-full` compiles all queries against it anew.

use std::path::Path;

use serde_json::Value;
use sqlx::{AssertSqlSafe, Column, Either, Executor as _, PgPool, SqlSafeStr as _, Statement as _};

/// What `.sqlx` says that a query gives and takes: the names of its columns, and how many parameters.
fn described(file: &Value) -> (Vec<&str>, usize) {
    let of = &file["describe"];
    let columns = of["columns"].as_array().expect("columns").iter();
    let names = columns.map(|column| column["name"].as_str().expect("a name"));
    let parameters = of["parameters"]["Left"].as_array().expect("parameters");
    (names.collect(), parameters.len())
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn every_prepared_query_is_one_of_this_schema(pool: PgPool) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.sqlx");
    let mut wrong = Vec::new();
    let mut queries = 0;
    let mut conn = pool.acquire().await.expect("a connection");
    for entry in std::fs::read_dir(folder).expect("prepared queries") {
        let text = std::fs::read_to_string(entry.expect("an entry").path()).expect("readable");
        let file: Value = serde_json::from_str(&text).expect("JSON");
        let query = file["query"].as_str().expect("a query");
        queries += 1;
        let safe = AssertSqlSafe(query.to_owned()).into_sql_str();
        match (&mut *conn).prepare(safe).await {
            Ok(statement) => {
                let names = statement.columns().iter().map(Column::name);
                let parameters = match statement.parameters() {
                    Some(Either::Left(types)) => types.len(),
                    Some(Either::Right(count)) => count,
                    None => 0,
                };
                if (names.collect(), parameters) != described(&file) {
                    wrong.push(format!("another shape: {query}"));
                }
            }
            Err(why) => wrong.push(format!("{why}: {query}")),
        }
    }
    assert!(queries > 0, "there are prepared queries");
    assert!(wrong.is_empty(), "run `make prepare`:\n{}", wrong.join("\n"));
}
