//! Which message types are known, and how is one added?

mod type_rules;

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use dlo_domain::audit::Actor;
use dlo_domain::schema::{RegistrySchema, Schema, is_avro_path};
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;
use leptos::server_fn::error::ServerFnUrlError;
use leptos_meta::Title;

use super::frame::shown;
use super::outcome::Outcome;
use crate::components::Ago;
use crate::desk::{DeskError, desk};
use crate::error::ApiError;
use crate::links;
use crate::request::{go_on_to, now};
use crate::visible::{show_line, show_name};
use crate::wording::counted;
use type_rules::TypeRules;

/// Where the form sends its files: the server takes them as they come.
pub const UPLOAD: &str = "/ui/schemas/add";

/// Has a schema used no longer.
///
/// # Errors
/// Returns an error if it is not used, or the desk does not answer.
#[server(prefix = "/ui", endpoint = "schemas/remove")]
pub(crate) async fn remove_schema(name: String) -> Result<(), ApiError> {
    desk().remove_schema(&Actor::local_operator(), &name).await?;
    go_on_to(&links::told(links::SCHEMAS, "schema-removed"));
    Ok(())
}

/// The page that says what came of an upload.
#[must_use]
pub fn schema_uploaded(done: Result<(), DeskError>) -> String {
    // Only an absolute address can be written into; its beginning is taken off again.
    const ANY: &str = "http://localhost";
    let Err(error) = done else { return links::told(links::SCHEMAS, "schema") };
    let error = ServerFnUrlError::new(UPLOAD, ApiError::from(error));
    let address = error.to_url(&format!("{ANY}{}", links::SCHEMAS)).map(|url| url.to_string());
    let path = address.ok().and_then(|url| url.strip_prefix(ANY).map(str::to_owned));
    path.unwrap_or_else(|| links::SCHEMAS.to_owned())
}

/// The schemas.
#[component]
pub(crate) fn SchemasPage() -> impl IntoView {
    let desk = desk();
    view! {
        <Title text="Schemas" />
        <Outcome />
        {shown(
            async move {
                let (schemas, of_registry) =
                    (desk.schemas().await?, desk.registry_schemas().await?);
                Ok::<_, DeskError>((schemas, of_registry, desk.type_rules().await?))
            },
            |(schemas, of_registry, rules)| {
                let known = known_types(&schemas, &of_registry);
                view! {
                    <List schemas />
                    <OfRegistry schemas=of_registry />
                    <TypeRules rules known />
                    <New />
                }
                    .into_any()
            },
        )}
    }
    .into_any()
}

/// The names of all message types, each once.
fn known_types(schemas: &[Schema], of_registry: &[RegistrySchema]) -> Vec<String> {
    let of_registry = of_registry.iter().flat_map(|schema| &schema.message_types);
    let names = schemas.iter().flat_map(|schema| &schema.message_types).chain(of_registry);
    let names: BTreeSet<&String> = names.collect();
    names.into_iter().cloned().collect()
}

#[component]
fn List(schemas: Vec<Schema>) -> impl IntoView {
    let now = now();
    let types: usize = schemas.iter().map(|schema| schema.message_types.len()).sum();
    let heading = match types {
        0 => "No message types are known.".to_owned(),
        many => format!("{} known.", counted_types(many)),
    };
    let rows = schemas.into_iter().map(|schema| view! { <Row schema now /> }).collect_view();
    view! {
        <div class="answer">
            <div>
                <h1>{heading}</h1>
                <p class="second">
                    "Bodies are decoded with them: with the type that the sender names, or else the one that fits best. Stored letters are decoded again in the background."
                </p>
            </div>
        </div>
        <ul class="alerts">{rows}</ul>
    }
    .into_any()
}

fn counted_types(many: usize) -> String {
    counted(i64::try_from(many).unwrap_or(i64::MAX), "message type")
}

#[component]
fn Row(schema: Schema, now: DateTime<Utc>) -> impl IntoView {
    let name = show_line(&schema.name);
    let is_avro = schema.files.first().is_some_and(|path| is_avro_path(path));
    let format = if is_avro { "Avro" } else { "Protobuf" };
    let types = schema.message_types.iter();
    let types = types.map(|one| view! { <li class="id">{show_name(one)}</li> }).collect_view();
    view! {
        <li>
            <span class="mark">{format!("{format}, version {}", schema.version)}</span>
            <div class="say">
                <h3>{name.clone()}</h3>
                <p class="meta">
                    <span>
                        "uploaded by " {show_line(&schema.uploaded_by)} " "
                        <Ago at=schema.uploaded_at now spoken=true />
                    </span>
                </p>
                <details class="data">
                    <summary>{counted_types(schema.message_types.len())}</summary>
                    <ul>{types}</ul>
                </details>
            </div>
            <div class="actions">
                <details class="more">
                    <summary class="button" aria-label=format!("Remove {name}")>
                        "Remove…"
                    </summary>
                    <form method="post" action=RemoveSchema::PATH class="remove-rule">
                        <input type="hidden" name="name" value=schema.name />
                        <p class="second">
                            "Letters are read without it. Its versions are kept: uploading the name again makes the next one."
                        </p>
                        <button class="button" type="submit">
                            "Remove this schema"
                        </button>
                    </form>
                </details>
            </div>
        </li>
    }
    .into_any()
}

/// The schemas whose numbers stand before messages; nothing where there are none.
#[component]
fn OfRegistry(schemas: Vec<RegistrySchema>) -> impl IntoView {
    if schemas.is_empty() {
        return None;
    }
    let is_asked = schemas.iter().any(|schema| schema.asked > 0);
    let why = (!is_asked).then(|| {
        view! {
            <p class="second">
                "Messages begin with the numbers of these schemas. Set " <code>"DLO_SCHEMA_REGISTRY_URL"</code>
                " to fetch them from the registry, or upload them below."
            </p>
        }
    });
    let rows = schemas.into_iter().map(|schema| view! { <OneOfRegistry schema /> }).collect_view();
    let section = view! {
        <section class="section" aria-labelledby="registry-title">
            <header>
                <h2 id="registry-title">"From the schema registry"</h2>
            </header>
            {why}
            <ul class="alerts">{rows}</ul>
        </section>
    };
    Some(section.into_any())
}

#[component]
fn OneOfRegistry(schema: RegistrySchema) -> impl IntoView {
    let format = schema.format.as_deref().map(|format| match format {
        "avro" => "Avro",
        "protobuf" => "Protobuf",
        _ => "JSON",
    });
    let types: Vec<String> = schema.message_types.iter().map(|name| show_line(name)).collect();
    let says = match (&schema.fault, format) {
        (Some(fault), _) => format!("Not found: {}. It is fetched again.", show_line(fault)),
        (None, Some(_)) if types.is_empty() => "The rest is read as it is.".to_owned(),
        (None, Some(_)) => types.join(", "),
        (None, None) => "Not fetched yet.".to_owned(),
    };
    view! {
        <li>
            <span class="mark">{format.unwrap_or("unknown")}</span>
            <div class="say">
                <h3>{format!("Schema {}", schema.number)}</h3>
                <p class="meta">{says}</p>
            </div>
        </li>
    }
    .into_any()
}

#[component]
fn New() -> impl IntoView {
    view! {
        <section class="section" aria-labelledby="add-title" id="add">
            <header>
                <h2 id="add-title">"Upload a schema"</h2>
                <span class="note">"a name that is in use gets its next version"</span>
            </header>
            <form method="post" action=UPLOAD enctype="multipart/form-data" class="rule-form">
                <div class="fields">
                <label class="choice">
                    <span>"Name"</span>
                    <input
                        type="text"
                        name="name"
                        autocomplete="off"
                        required
                        maxlength="100"
                        pattern="[A-Za-z0-9._\\-]+"
                        placeholder="shop"
                    />
                </label>
                <label class="choice">
                    <span>".proto files, .avsc files, or one descriptor set"</span>
                    <input type="file" name="files" multiple required />
                </label>
                </div>
                <p class="second">
                    "Choose all files that import each other, or refer to each other's types. Google's well-known types are there already. At most 1 MiB; directories and larger sets with "
                    <code>"dlo schemas add"</code> "."
                </p>
                <div class="actions">
                    <button class="button primary" type="submit">
                        "Upload"
                    </button>
                </div>
            </form>
        </section>
    }
    .into_any()
}
