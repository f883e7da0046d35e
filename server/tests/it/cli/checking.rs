//! What `dlo check --connect` finds out about servers before an office works with them.

use dlo_server::store;
use sqlx::{AssertSqlSafe, PgPool};
use uuid::Uuid;

use crate::support::broker::Vhost;
use crate::support::database::{database_url, empty};
use crate::support::program::{Said, run};

/// A broker's user that may not do all that an office does.
const LIMITED: &str = "limited";

/// A user of the test's database, and the address with its name.
struct DatabaseUser<'a> {
    pool: &'a PgPool,
    name: String,
    url: String,
}

impl<'a> DatabaseUser<'a> {
    async fn create(pool: &'a PgPool) -> Self {
        let name = format!("user_{}", Uuid::new_v4().simple());
        let url: reqwest::Url = database_url(pool).parse().expect("an address");
        let mut theirs = url;
        theirs.set_username(&name).expect("a host");
        theirs.set_password(Some("known")).expect("a host");
        let user = Self { pool, url: theirs.into(), name };
        user.run("create role {user} login password 'known'").await;
        user
    }

    async fn run(&self, sql: &str) {
        let sql = sql.replace("{user}", &self.name);
        run_sql(self.pool, sql).await;
    }

    async fn remove(self) {
        self.run("drop owned by {user}").await;
        self.run("drop role {user}").await;
    }
}

async fn run_sql(pool: &PgPool, sql: String) {
    let done = sqlx::raw_sql(AssertSqlSafe(sql.clone())).execute(pool).await;
    done.unwrap_or_else(|why| panic!("{sql}: {why}"));
}

async fn check(database: &str, amqp: &str, management: Option<&str>) -> Said {
    let mut variables = vec![("DLO_DATABASE_URL", database), ("DLO_BROKER_URL", amqp)];
    variables.extend(management.map(|url| ("DLO_MANAGEMENT_URL", url)));
    run(&["check", "--connect"], &variables, None).await
}

/// What is said of the database alone.
async fn of_database(url: &str) -> String {
    let said = check(url, "amqp://127.0.0.1:1", None).await;
    assert!(!said.well, "{}", said.out);
    let (_, rest) = said.out.split_once("\nthe database:").expect("it was tried");
    let (database, _) = rest.split_once("\nthe broker").expect("so was the broker");
    database.to_owned()
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_database_user_who_may_not_write_is_told(pool: PgPool) {
    assert_eq!(of_database(&database_url(&pool)).await, " answers");

    let reader = DatabaseUser::create(&pool).await;
    reader.run("grant select on all tables in schema public to {user}").await;
    let said = of_database(&reader.url).await;
    assert!(said.contains("cannot make tables"), "{said}");
    assert!(said.contains("may not change"), "{said}");
    reader.remove().await;

    let writer = DatabaseUser::create(&pool).await;
    writer.run("grant dlo to {user}").await;
    assert_eq!(of_database(&writer.url).await, " answers");
    writer.run("alter role {user} set default_transaction_read_only = on").await;
    let said = of_database(&writer.url).await;
    assert!(said.contains("read-only"), "{said}");
    writer.remove().await;
}

#[sqlx::test(migrations = false)]
async fn a_database_of_another_form_is_told(pool: PgPool) {
    empty(&pool).await;
    let url = database_url(&pool);
    let said = of_database(&url).await;
    assert!(said.contains("migrations are missing: run `dlo migrate`"), "{said}");
    store::migrate(&pool).await.expect("migrated");
    assert_eq!(of_database(&url).await, " answers");
    let newer = "update _sqlx_migrations set version = 99990101000000
                 where version = (select max(version) from _sqlx_migrations)";
    run_sql(&pool, newer.to_owned()).await;
    let said = of_database(&url).await;
    assert!(said.contains("a newer version of dlo"), "{said}");
}

#[sqlx::test(migrations = false)]
async fn a_user_who_cannot_have_the_extension_is_told(pool: PgPool) {
    empty(&pool).await;
    let user = DatabaseUser::create(&pool).await;
    user.run("grant create on schema public to {user}").await;
    let said = of_database(&user.url).await;
    assert!(said.contains("pg_trgm"), "{said}");
    assert!(!said.contains("cannot make tables"), "{said}");
    let left: i64 =
        sqlx::query_scalar("select count(*) from pg_class where relname like 'dlo_check%'")
            .fetch_one(&pool)
            .await
            .expect("counted");
    assert_eq!(left, 0, "what was tried is gone");
    run_sql(&pool, "create extension pg_trgm".to_owned()).await;
    let said = of_database(&user.url).await;
    assert!(!said.contains("pg_trgm"), "{said}");
    user.remove().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_broker_user_without_rights_is_told_what_is_missing(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.queue("dead", &[]).await;
    vhost.publish_all("dead", &["a".to_owned()]).await;
    let limited = format!("{LIMITED}-{}", vhost.name);
    vhost.add_user(&limited, "known", "^nothing$").await;
    vhost.permit(&limited, "^$").await;
    let mut amqp: reqwest::Url =
        vhost.brokers.get("main").expect("there").amqp.parse().expect("an address");
    amqp.set_username(&limited).expect("a host");
    amqp.set_password(Some("known")).expect("a host");
    amqp.set_path(&format!("/{}", vhost.name));
    let file = format!("[[sources]]\nvhost = '{}'\nqueue = 'dead'\n", vhost.name);
    let database = database_url(&pool);
    let variables = [("DLO_DATABASE_URL", &*database), ("DLO_BROKER_URL", amqp.as_str())];
    let said = run(&["check", "--connect"], &variables, Some(&file)).await;
    assert!(!said.well, "{}", said.out);
    for text in ["may not read the queue `dead`", "may not write", "may not declare"] {
        assert!(said.out.contains(text), "{text}\nin {}", said.out);
    }
    vhost.permit(&limited, ".*").await;
    let said = run(&["check", "--connect"], &variables, Some(&file)).await;
    assert!(said.well, "{}", said.out);
    assert_eq!(vhost.take_bodies("dead").await, [b"a"], "nothing was taken");
    vhost.remove_user(&limited).await;
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_vhost_that_is_not_there_is_told(pool: PgPool) {
    let vhost = Vhost::create().await;
    let main = vhost.brokers.get("main").expect("there");
    let missing = main.amqp.replace("/%2f", "/no-such-vhost");
    assert_ne!(missing, main.amqp);
    let management = main.management.as_deref();
    let said = check(&database_url(&pool), &missing, management).await;
    assert!(!said.well, "{}", said.out);
    let broker = "the broker `main`, vhost `no-such-vhost`: ";
    assert!(said.out.contains(broker), "{}", said.out);
    vhost.delete().await;
}

#[tokio::test]
async fn a_misspelt_variable_is_a_fault_for_check_and_a_warning_for_serve() {
    let database = ("DLO_DATABASE_URL", "postgres://dlo:geheim@127.0.0.1:1/dlo");
    let broker = ("DLO_BROKER_URL", "amqp://guest:geheim@127.0.0.1:1/%2f");
    let misspelt = ("DLO_MANAGMENT_URL", "http://guest:geheim@127.0.0.1:1");
    let variables = [database, broker, misspelt, ("DLO_TEST_FULL", "1")];
    let said = run(&["check"], &variables, None).await;
    assert!(!said.well, "{}", said.out);
    let told = "DLO_MANAGMENT_URL: is not read by anybody: did you mean DLO_MANAGEMENT_URL?";
    assert!(said.err.contains(told), "{}", said.err);
    assert!(!said.err.contains("DLO_TEST_FULL"), "{}", said.err);
    // Together with what is wrong otherwise.
    let said = run(&["check"], &[database, misspelt], None).await;
    assert!(said.err.contains(told) && said.err.contains("no broker is named"), "{}", said.err);
    assert!(!said.err.contains("geheim"), "{}", said.err);
    // An address that is taken ends it at once.
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("bound").to_string();
    let variables = [database, broker, misspelt, ("DLO_HTTP_ADDRESS", &*address)];
    let said = run(&["serve"], &variables, None).await;
    assert!(said.err.contains("WARN") && said.err.contains(told), "{}", said.err);
}
