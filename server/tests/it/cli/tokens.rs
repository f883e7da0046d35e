//! Tokens from the command line.

use sqlx::PgPool;

use crate::support::database::{database_url, empty};
use crate::support::program::{Said, run};

async fn token(pool: &PgPool, arguments: &[&str]) -> Said {
    let url = database_url(pool);
    let arguments: Vec<_> = ["token"].iter().chain(arguments).copied().collect();
    run(&arguments, &[("DLO_DATABASE_URL", &url)], None).await
}

#[sqlx::test(migrations = false)]
async fn a_token_is_shown_once_listed_and_revoked(pool: PgPool) {
    empty(&pool).await;
    let create = ["create", "--role", "operator", "--name", "ci"];
    let made = token(&pool, &create).await;
    assert!(made.well, "{}", made.err);
    let secret = made.out.trim_end();
    assert!(secret.starts_with("dlo_") && secret.len() == 47, "only the token is on stdout");

    let again = token(&pool, &create).await;
    assert!(!again.well && again.err.contains("choose another"), "{}", again.err);

    let listed = token(&pool, &["list"]).await;
    assert!(listed.out.contains("operator") && listed.out.contains("valid"), "{}", listed.out);
    assert!(!listed.out.contains(secret));

    assert!(token(&pool, &["revoke", "ci"]).await.well);
    let again = token(&pool, &["revoke", "ci"]).await;
    assert!(!again.well && again.err.contains("no valid token named `ci`"), "{}", again.err);
    let listed = token(&pool, &["list"]).await;
    assert!(listed.out.contains("revoked"), "{}", listed.out);
}

#[sqlx::test(migrations = false)]
async fn a_workers_token_names_the_workers_that_it_speaks_for(pool: PgPool) {
    empty(&pool).await;
    let worker = ["create", "--role", "worker", "--name", "fleet"];
    let unbound = token(&pool, &worker).await;
    assert!(!unbound.well && unbound.err.contains("--workers"), "{}", unbound.err);
    let bound = token(&pool, &[&worker[..], &["--workers", "worker-*, crew.7"]].concat()).await;
    assert!(bound.well, "{}", bound.err);
    let listed = token(&pool, &["list"]).await.out;
    assert!(listed.contains("fleet  for workers worker-*, crew.7"), "{listed}");
    let viewer = ["create", "--role", "viewer", "--name", "x", "--workers", "a"];
    let odd = token(&pool, &viewer).await;
    assert!(!odd.well && odd.err.contains("for the role worker"), "{}", odd.err);
}

#[sqlx::test(migrations = false)]
async fn roles_and_names_must_make_sense(pool: PgPool) {
    empty(&pool).await;
    let root = token(&pool, &["create", "--role", "root", "--name", "x"]).await;
    assert!(!root.well && root.err.contains("viewer, operator, admin"), "{}", root.err);
    for name in ["dlo", "Local operator", "retry policy timeouts"] {
        let other = token(&pool, &["create", "--role", "admin", "--name", name]).await;
        assert!(!other.well && other.err.contains("the product itself"), "{}", other.err);
    }
    let nameless = token(&pool, &["create", "--role", "viewer", "--name", " "]).await;
    assert!(!nameless.well && nameless.err.contains("the name is empty"), "{}", nameless.err);
}
