//! API tokens for the tests.

use dlo_domain::globs::Globs;
use dlo_server::access::{Holder, Role, Token};
use dlo_server::clock::{Clock as _, SystemClock, new_id};
use dlo_server::store::tokens;
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use sqlx::PgPool;

/// Makes a token, which speaks for every worker.
pub async fn token(pool: &PgPool, name: &str, role: Role) -> Token {
    make(pool, name, role, Globs::any()).await
}

/// Makes a token that speaks for these workers.
pub async fn workers_token(pool: &PgPool, name: &str, workers: &str) -> Token {
    let workers = workers.parse().expect("patterns");
    make(pool, name, Role::Worker, workers).await
}

async fn make(pool: &PgPool, name: &str, role: Role, workers: Globs) -> Token {
    let id = new_id(&SystemClock);
    let mut random = StdRng::seed_from_u64(role as u64 + name.len() as u64 * 10);
    let token = Token::generate(&mut random).expect("never fails");
    let holder = Holder { name: name.to_owned(), role, workers };
    let mut conn = pool.acquire().await.expect("a connection");
    let now = SystemClock.now();
    let made = tokens::insert(&mut conn, id, &holder, &token.digest(), now).await;
    assert!(made.expect("asked"), "the name is taken");
    token
}
