//! Schemas from the command line.

use sqlx::PgPool;

use crate::support::database::{database_url, empty};
use crate::support::program::{Said, run};

const PROTOS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../domain/tests/protobuf");

const AVRO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../domain/tests/avro");

async fn schemas(pool: &PgPool, arguments: &[&str]) -> Said {
    let url = database_url(pool);
    let arguments: Vec<_> = ["schemas"].iter().chain(arguments).copied().collect();
    run(&arguments, &[("DLO_DATABASE_URL", &url)], None).await
}

#[sqlx::test(migrations = false)]
async fn a_directory_is_uploaded_listed_and_removed(pool: PgPool) {
    empty(&pool).await;
    let added = schemas(&pool, &["add", "shop", PROTOS]).await;
    assert!(added.well, "{}", added.err);
    assert_eq!(added.out, "shop version 1: 53 message types\n");
    let listed = schemas(&pool, &["list"]).await;
    assert!(listed.out.starts_with("shop version 1\n  kinds.Money\n"), "{}", listed.out);
    let added = schemas(&pool, &["add", "events", AVRO]).await;
    assert!(
        added.well && added.out.starts_with("events version 1: "),
        "{} {}",
        added.out,
        added.err
    );
    let listed = schemas(&pool, &["list"]).await;
    assert!(listed.out.contains("\n  shop.events.Placed\n"), "{}", listed.out);
    let unknown = schemas(&pool, &["add-rule", "nothing.Known", "--queue", "a"]).await;
    assert!(!unknown.well && unknown.err.contains("upload its schema first"), "{unknown:?}");
    let rule = ["add-rule", "shop.events.Placed", "--queue", "events.*"];
    let added = schemas(&pool, &rule).await;
    assert!(added.out.contains("queue events.*  routing key *  shop.events.Placed"), "{added:?}");
    assert_eq!(schemas(&pool, &["rules"]).await.out, added.out);
    let id = added.out.split(' ').next().expect("an id");
    assert!(schemas(&pool, &["remove-rule", id]).await.well);
    assert_eq!(schemas(&pool, &["rules"]).await.out, "");
    assert!(schemas(&pool, &["remove", "events"]).await.well);
    assert!(schemas(&pool, &["remove", "shop"]).await.well);
    let again = schemas(&pool, &["remove", "shop"]).await;
    assert!(!again.well && again.err.contains("was removed already"), "{}", again.err);
    assert_eq!(schemas(&pool, &["list"]).await.out, "");
    let by: Vec<String> =
        sqlx::query_scalar("select distinct actor from audit where action like 'schema.%'")
            .fetch_all(&pool)
            .await
            .expect("read");
    assert_eq!(by, ["command line"]);
}

#[sqlx::test(migrations = false)]
async fn what_cannot_be_read_is_told(pool: PgPool) {
    empty(&pool).await;
    let place = tempfile::tempdir().expect("a directory");
    let empty_directory = place.path().to_str().expect("a path");
    let none = schemas(&pool, &["add", "shop", empty_directory]).await;
    assert!(!none.well && none.err.contains("no .proto or .avsc files were found"), "{}", none.err);
    let file = place.path().join("a.proto");
    std::fs::write(&file, "message A { strin id = 1; }").expect("written");
    let bad = schemas(&pool, &["add", "shop", empty_directory]).await;
    assert!(!bad.well && bad.err.contains("a.proto:1:13"), "{}", bad.err);
    let set = schemas(&pool, &["add", "shop", &format!("{empty_directory}/none.pb")]).await;
    assert!(!set.well && set.err.contains("none.pb"), "{}", set.err);
}
