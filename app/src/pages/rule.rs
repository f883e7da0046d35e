//! What would this rule do, and shall it be saved?

mod acting;
mod draft;
mod form;
mod of_group;
mod reading;

use dlo_domain::filter::LetterFilter;
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;

use super::frame::{Islands, shown};
use super::letter_samples::LetterSamples;
use super::outcome::Outcome;
use super::rules::find;
use crate::components::Spoken;
use crate::desk::desk;
use crate::error::ApiError;
use crate::links;
use crate::pages::head::{PageHead, above, crumbs, here};
use crate::query::Query;
use crate::request::now;
use crate::visible::show_line;
use draft::RuleDraft;
use form::RuleForm;
use reading::Preview;

/// What the page shows.
struct RuleView {
    /// What is written of the rule so far.
    draft: RuleDraft,
    /// What the rule would do, or why that cannot be said; absent where it was not asked.
    preview: Option<Result<Preview, ApiError>>,
}

/// A new rule, or one that is kept; the address holds what was written of it so far.
#[component]
pub(crate) fn RulePage() -> impl IntoView {
    let query = Query::of_request();
    let id = use_params_map().with_untracked(|params| params.get("id").unwrap_or_default());
    let id = if id == "new" { String::new() } else { id };
    let title = if id.is_empty() { "New rule" } else { "Rule" };
    view! {
        <Title text=title />
        <Outcome />
        {shown(read(id, query), |view| view! { <Shown view /> }.into_any())}
    }
    .into_any()
}

async fn read(id: String, query: Query) -> Result<RuleView, ApiError> {
    let is_looked_at = !id.is_empty() || query.get("look").is_some();
    let of = |name| query.get(name).unwrap_or_default();
    let draft = match RuleDraft::of(id.clone(), &query) {
        Some(written) => written,
        None if !id.is_empty() => find(&id).await.map(reading::draft_of)?,
        None if of("group").is_empty() => RuleDraft::begun(of("sort")),
        None => of_group::begin(&of("group"), &of("sort")).await?,
    };
    // The form says what is wrong with a filter that cannot be read.
    let preview = if is_looked_at && LetterFilter::parse(&draft.filter).is_ok() {
        Some(preview(&draft).await)
    } else {
        None
    };
    Ok(RuleView { draft, preview })
}

/// What a rule would do. Changes nothing.
async fn preview(draft: &RuleDraft) -> Result<Preview, ApiError> {
    let rule = reading::checked(&reading::rule_of(draft)?)?;
    let found = desk().preview_rule(&rule).await?;
    Ok(reading::preview_of(&rule, found, now()))
}

#[component]
fn Shown(view: RuleView) -> impl IntoView {
    let RuleView { draft, preview } = view;
    let kind = if draft.is_of_severity() { "severity" } else { "grouping" };
    let (page, heading) = if draft.id.is_empty() {
        ("New", format!("A new {kind} rule: nothing changes until it is saved."))
    } else {
        ("Edit", format!("Change a {kind} rule: it stays as it is until this is saved."))
    };
    let preview = preview.map(|preview| match preview {
        Ok(preview) => view! { <Seen preview /> }.into_any(),
        Err(error) => view! {
            <p class="error-note" role="alert">
                <Spoken text=crate::wording::sentence(&error.to_string()) />
            </p>
        }
        .into_any(),
    });
    view! {
        <PageHead crumbs=crumbs([above("Rules", links::RULES), here(page)]) heading=heading.into_any() />
        // What is written is not written over.
        <div data-still="">
            <RuleForm draft />
        </div>
        <div id="preview">{preview}</div>
        <Islands />
    }
    .into_any()
}

#[component]
fn Seen(preview: Preview) -> impl IntoView {
    let Preview { now, says, href, samples } = preview;
    let all = (!samples.is_empty()).then(|| {
        view! {
            <span class="end">
                <a href=href>"All of them"</a>
            </span>
        }
    });
    let letters = (!samples.is_empty()).then(|| view! { <LetterSamples letters=samples now /> });
    view! {
        <section class="section" aria-labelledby="preview-title">
            <header>
                <h2 id="preview-title">"Preview"</h2>
                {all}
            </header>
            <p class="says-all" role="status">
                {show_line(&says)}
            </p>
            {letters}
        </section>
    }
    .into_any()
}
