//! How requests are read. What cannot be read is answered with where it is and how to mend it;
//! nothing that was sent is passed over in silence.

mod strict;

use std::convert::Infallible;
use std::str::FromStr;

use axum::body::{Body, Bytes};
use axum::extract::rejection::{BytesRejection, JsonRejection};
use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::request::Parts;
use axum::http::{StatusCode, Uri};
use axum::response::IntoResponse as _;
use dlo_domain::page::Cursor;
use serde::de::DeserializeOwned;

use crate::http::problem::{Problem, too_large};
use strict::Strict;

/// The most items of one page.
pub const MOST_ITEMS: u32 = 500;
const USUAL_ITEMS: u32 = 50;

/// A JSON body.
pub(crate) struct JsonBody<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let read = axum::Json::<Strict<T>>::from_request(request, state).await;
        read.map(|axum::Json(Strict(value))| Self(value)).map_err(unreadable)
    }
}

/// A JSON body, or none, which says nothing.
pub(crate) struct JsonBodyIfAny<T>(pub(crate) T);

impl<T: DeserializeOwned + Default, S: Send + Sync> FromRequest<S> for JsonBodyIfAny<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        let whole = Request::from_parts(parts.clone(), body);
        let bytes = Bytes::from_request(whole, state).await.map_err(unread)?;
        if bytes.is_empty() {
            return Ok(Self(T::default()));
        }
        let request = Request::from_parts(parts, Body::from(bytes));
        let JsonBody(value) = JsonBody::from_request(request, state).await?;
        Ok(Self(value))
    }
}

fn unreadable(rejection: JsonRejection) -> Problem {
    match rejection {
        JsonRejection::MissingJsonContentType(_) => Problem::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "send the body as JSON, with `Content-Type: application/json`",
        ),
        JsonRejection::JsonDataError(why) => {
            Problem::invalid(format!("the body does not fit: {}", innermost(&why)))
        }
        JsonRejection::JsonSyntaxError(why) => {
            Problem::invalid(format!("the body is not JSON: {}", innermost(&why)))
        }
        JsonRejection::BytesRejection(why) => unread(why),
        other => Problem::invalid(other.body_text()),
    }
}

fn unread(why: BytesRejection) -> Problem {
    match why.into_response().status() {
        StatusCode::PAYLOAD_TOO_LARGE => Problem::new(StatusCode::PAYLOAD_TOO_LARGE, too_large()),
        _ => Problem::invalid("the body could not be read to its end: send it again"),
    }
}

/// The cause behind a wrapping error, which says the place.
fn innermost(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

/// An id in the path.
pub(crate) struct Id<T>(pub(crate) T);

impl<T: FromStr, S: Send + Sync> FromRequestParts<S> for Id<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let text = Path::<String>::from_request_parts(parts, state).await;
        let Path(text) = text.map_err(|why| Problem::invalid(why.body_text()))?;
        id_from(&text).map(Self)
    }
}

/// A name in the path: any text.
pub(crate) struct Name(pub(crate) String);

impl FromStr for Name {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.to_owned()))
    }
}

/// Reads an id.
pub(crate) fn id_from<T: FromStr>(text: &str) -> Result<T, Problem> {
    text.parse().map_err(|_| {
        let example = "019a0f3e-5a4b-7c2d-8e1f-0123456789ab";
        Problem::invalid(format!("`{text}` is not an id: ids are UUIDs such as {example}"))
    })
}

/// The names and values after the `?`.
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    /// Reads them; names that are unknown or doubled are refused.
    pub(crate) fn of(uri: &Uri, known: &[&str]) -> Result<Self, Problem> {
        let read = axum::extract::Query::<Vec<(String, String)>>::try_from_uri(uri);
        let axum::extract::Query(pairs) = read.map_err(|why| Problem::invalid(why.body_text()))?;
        for (at, (name, _)) in pairs.iter().enumerate() {
            if !known.contains(&name.as_str()) {
                let known = match known {
                    [] => "none is known here".to_owned(),
                    names => format!("use {}", names.join(", ")),
                };
                return Err(Problem::invalid(format!("unknown query parameter `{name}`: {known}")));
            }
            if pairs[at].1.contains('\0') {
                return Err(Problem::invalid(format!(
                    "`{name}` holds a NUL character: nothing is called so"
                )));
            }
            if pairs[..at].iter().any(|(earlier, _)| earlier == name) {
                return Err(Problem::invalid(format!(
                    "the query parameter `{name}` is given twice"
                )));
            }
        }
        Ok(Self(pairs))
    }

    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// A value, unless it is empty or not there.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        let found = self.pairs().find(|(given, _)| *given == name);
        found.map(|(_, value)| value).filter(|value| !value.is_empty())
    }

    pub(crate) fn parsed<T: FromStr<Err: std::fmt::Display>>(
        &self,
        name: &str,
    ) -> Result<Option<T>, Problem> {
        let read = self.value(name).map(str::parse).transpose();
        read.map_err(|why: T::Err| Problem::invalid(format!("`{name}`: {why}")))
    }

    pub(crate) fn cursor(&self) -> Result<Option<Cursor>, Problem> {
        self.parsed("cursor")
    }

    pub(crate) fn limit(&self) -> Result<u32, Problem> {
        match self.value("limit").map(str::parse) {
            None => Ok(USUAL_ITEMS),
            Some(Ok(limit)) if (1..=MOST_ITEMS).contains(&limit) => Ok(limit),
            Some(_) => Err(Problem::invalid(format!("`limit` is a number from 1 to {MOST_ITEMS}"))),
        }
    }

    /// Which arrival, from 1.
    pub(crate) fn arrival(&self) -> Result<Option<i32>, Problem> {
        match self.value("arrival").map(str::parse) {
            None => Ok(None),
            Some(Ok(ordinal)) if ordinal >= 1 => Ok(Some(ordinal)),
            Some(_) => {
                Err(Problem::invalid("`arrival` is a number from 1: the ordinal of an arrival"))
            }
        }
    }
}
