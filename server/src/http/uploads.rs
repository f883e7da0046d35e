//! Files that a page sends.

use std::collections::BTreeMap;

use axum::extract::multipart::{Field, MultipartError};
use axum::extract::{Multipart, State};
use axum::response::Redirect;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dlo_app::desk::DeskError;
use dlo_app::schema_uploaded;
use dlo_domain::audit::Actor;
use dlo_domain::schema::{NewSchema, is_avro_path};

use super::Front;

/// Keeps a schema, and leads back to the page of schemas, which says what came of it.
pub(super) async fn schema(State(front): State<Front>, form: Multipart) -> Redirect {
    let done = match read(form).await {
        Ok(schema) => front.desk.add_schema(&Actor::local_operator(), schema).await.map(drop),
        Err(why) => Err(DeskError::Invalid(why)),
    };
    Redirect::to(&schema_uploaded(done))
}

async fn read(mut form: Multipart) -> Result<NewSchema, String> {
    let unread = |why: MultipartError| format!("the files cannot be read: {}", why.body_text());
    let mut schema =
        NewSchema { name: String::new(), files: BTreeMap::new(), descriptor_set: None };
    while let Some(field) = form.next_field().await.map_err(unread)? {
        if field.name() == Some("name") {
            field.text().await.map_err(unread)?.trim().clone_into(&mut schema.name);
        } else {
            let path = path_of(&field);
            let bytes = field.bytes().await.map_err(unread)?;
            // A browser sends one without a name where none was chosen.
            if path.is_empty() && bytes.is_empty() {
                continue;
            }
            add(&mut schema, &path, &bytes)?;
        }
    }
    Ok(schema)
}

fn path_of(field: &Field<'_>) -> String {
    field.file_name().unwrap_or_default().replace('\\', "/")
}

/// Adds a file: text is of `.proto` and `.avsc`, and what a compiler made of it is none.
fn add(schema: &mut NewSchema, path: &str, bytes: &[u8]) -> Result<(), String> {
    let is_proto = std::path::Path::new(path)
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("proto"));
    if !is_proto && !is_avro_path(path) {
        schema.descriptor_set = Some(STANDARD.encode(bytes));
        return Ok(());
    }
    let text = std::str::from_utf8(bytes).map_err(|_| format!("{path} is not a text in UTF-8"))?;
    match schema.files.insert(path.to_owned(), text.to_owned()) {
        None => Ok(()),
        Some(_) => Err(format!(
            "two files are called {path}: upload their directory with `dlo schemas add`, which keeps their paths"
        )),
    }
}
