//! API tokens for the tests.

use dlo_server::access::{Holder, Role, Token};
use dlo_server::clock::{Clock as _, SystemClock, new_id};
use dlo_server::store::tokens;
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use sqlx::PgPool;

/// Makes a token.
pub async fn token(pool: &PgPool, name: &str, role: Role) -> Token {
    let id = new_id(&SystemClock);
    let mut random = StdRng::seed_from_u64(role as u64 + name.len() as u64 * 10);
    let token = Token::generate(&mut random).expect("never fails");
    let holder = Holder {
        name: name.to_owned(),
        role,
    };
    let mut conn = pool.acquire().await.expect("a connection");
    let now = SystemClock.now();
    let made = tokens::insert(&mut conn, id, &holder, &token.digest(), now).await;
    assert!(made.expect("asked"), "the name is taken");
    token
}
