//! What a jq program, or other headers, would make of letters.

use dlo_domain::changing::{TransformPreview, TriedLetter};
use leptos::prelude::*;

use crate::pages::body_diff::BodyDiff;
use crate::pages::schema_note::SchemaNote;
use crate::visible::show_lines;
use crate::{links, wording};

/// What would be sent of letters.
#[component]
pub(super) fn TransformOutcome(
    /// What that is.
    preview: TransformPreview,
) -> impl IntoView {
    let TransformPreview {
        total,
        tried,
        changed,
        unchanged,
        headers_changed,
        failed,
        unfit,
        letters,
    } = preview;
    let counts = format!(
        "{} changed, {} unchanged, {}",
        wording::count(changed),
        wording::count(unchanged),
        wording::counted(failed, "error")
    );
    let of = if tried < total {
        format!(
            "of the first {} of {} that can be replayed",
            wording::count(tried),
            wording::counted(total, "letter")
        )
    } else {
        format!("of {}", wording::counted(tried, "letter"))
    };
    let shown = letters.len();
    view! {
        <p class="says-all" role="status">
            <b>{counts}</b>
            " "
            {of}
            {(failed > 0).then_some(". Letters with an error are left out and stay held")}
            {(headers_changed > 0)
                .then(|| {
                    format!(
                        ". {} with other properties or headers",
                        wording::counted(headers_changed, "letter"),
                    )
                })}
            {(unfit > 0).then(|| format!(". {}", said_of_schemas(unfit)))}
            "."
        </p>
        <ol class="tried">{letters.into_iter().map(tried_letter).collect_view()}</ol>
        {(i64::try_from(shown).unwrap_or(i64::MAX) < tried)
            .then(|| {
                view! {
                    <p class="note-line">"The first " {shown} " are shown; all are counted."</p>
                }
            })}
    }
    .into_any()
}

/// How many letters would be sent that do not fit.
fn said_of_schemas(unfit: i64) -> String {
    match unfit {
        1 => "1 changed letter does not fit the schema for it".to_owned(),
        unfit => {
            format!("{} changed letters do not fit the schema for them", wording::count(unfit))
        }
    }
}

fn tried_letter(tried: TriedLetter) -> impl IntoView {
    let id = tried.letter_id;
    let name = wording::short(&id);
    let what = match (tried.error, tried.diff) {
        (Some(why), _) => {
            view! { <p class="failed">{format!("left out: {}", show_lines(&why))}</p> }.into_any()
        }
        (None, None) if tried.headers.is_some() => ().into_any(),
        (None, None) => view! { <p class="quiet">"sent as it arrived"</p> }.into_any(),
        (None, Some(diff)) => {
            let label = format!("What changes in letter {name}");
            let schema =
                tried.schema.map(|check| view! { <SchemaNote check what="What would be sent" /> });
            view! {
                <BodyDiff diff label />
                {schema}
            }
            .into_any()
        }
    };
    let headers = tried.headers.map(|diff| {
        let label = format!("What changes in the headers of letter {name}");
        view! { <BodyDiff diff label /> }
    });
    view! {
        <li>
            <a class="id" href=links::letter(id)>
                {name.clone()}
            </a>
            {headers}
            {what}
        </li>
    }
}
