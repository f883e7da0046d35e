//! Who calls the API: the holder of the bearer token, and whether the role allows it.

use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use dlo_domain::audit::Actor;
use dlo_domain::globs::Globs;
use sqlx::PgPool;

use super::problem::Problem;
use crate::access::{Holder, Role, digest};
use crate::store::{self, tokens};

/// What an endpoint asks of its caller.
#[derive(Clone)]
pub(super) struct Admission {
    pub(super) pool: PgPool,
    pub(super) role: Role,
}

/// The digest of the token that a request was let in with.
#[derive(Debug, Clone, Copy)]
pub(super) struct ShownToken(pub(super) [u8; 32]);

/// Lets the request through when its token's role suffices.
pub(super) async fn admit(
    State(admission): State<Admission>,
    mut request: Request,
    next: Next,
) -> Response {
    let shown = bearer(&request).map(digest);
    match holder_of(&admission.pool, shown).await {
        Ok(holder) if holder.role.may(admission.role) => {
            request.extensions_mut().insert(holder);
            if let Some(digest) = shown {
                request.extensions_mut().insert(ShownToken(digest));
            }
            next.run(request).await
        }
        Ok(holder) => Problem::new(
            StatusCode::FORBIDDEN,
            format!(
                "this needs the role {}, and the token `{}` has the role {}: use another token",
                admission.role, holder.name, holder.role
            ),
        )
        .into_response(),
        Err(problem) => problem.into_response(),
    }
}

async fn holder_of(pool: &PgPool, shown: Option<[u8; 32]>) -> Result<Holder, Problem> {
    let shown = shown.ok_or_else(|| {
        unauthorized("Bearer realm=\"dlo\"", "send a token as `Authorization: Bearer dlo_…`")
    })?;
    let conn = store::while_reachable(pool, pool.acquire()).await;
    let mut conn = conn.map_err(|why| away(&why))?;
    let found = tokens::holder(&mut conn, &shown).await;
    found.map_err(|why| away(&why))?.ok_or_else(|| {
        unauthorized(
            "Bearer realm=\"dlo\", error=\"invalid_token\"",
            "this token is unknown or revoked",
        )
    })
}

fn bearer(request: &Request) -> Option<&str> {
    let value = request.headers().get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

fn unauthorized(challenge: &'static str, why: &str) -> Problem {
    let make = "`dlo token create --role viewer --name NAME` makes one";
    Problem::new(StatusCode::UNAUTHORIZED, format!("{why}: {make}"))
        .with(header::WWW_AUTHENTICATE, HeaderValue::from_static(challenge))
}

fn away(why: &crate::store::StoreError) -> Problem {
    if why.is_outage() {
        Problem::unavailable(
            "the database does not answer, so the token cannot be checked; nothing was done",
        )
    } else {
        Problem::internal(why)
    }
}

/// Who acts, for the audit trail.
pub(super) struct Caller(pub(super) Actor);

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        // Missing only if a route were added without admission: then nobody is let in.
        let holder = parts.extensions.get::<Holder>();
        holder
            .map(|holder| Self(Actor(holder.name.clone())))
            .ok_or_else(|| unauthorized("Bearer realm=\"dlo\"", "send a token"))
    }
}

/// For which workers the caller speaks.
pub(super) struct Speaker(Holder);

impl Speaker {
    /// Lets through what is said for a worker that the token was made for.
    pub(super) fn for_worker(&self, worker: &str) -> Result<(), Problem> {
        if self.0.workers.matches(worker) {
            return Ok(());
        }
        Err(Problem::new(
            StatusCode::FORBIDDEN,
            format!(
                "the token `{}` speaks for the workers {} and not for `{worker}`: use that worker's own \
                 token, or make one with `dlo token create --role worker --workers PATTERNS`",
                self.0.name, self.0.workers
            ),
        ))
    }

    /// The workers that the token was made for.
    pub(super) fn workers(&self) -> &Globs {
        &self.0.workers
    }
}

impl<S: Sync> FromRequestParts<S> for Speaker {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let holder = parts.extensions.get::<Holder>();
        holder
            .map(|holder| Self(holder.clone()))
            .ok_or_else(|| unauthorized("Bearer realm=\"dlo\"", "send a token"))
    }
}
