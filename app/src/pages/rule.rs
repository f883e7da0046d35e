//! What would this rule do, and shall it be in the book?

use dlo_domain::filter::LetterFilter;
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::{use_params_map, use_query_map};

use crate::api::letters::read_choices;
use crate::api::rules::{Preview, RuleDraft, SaveRule, begin_rule, preview_rule, read_rule};
use crate::components::{ErrorNote, ErrorPanel, LetterSamples, RuleForm, Waiting};
use crate::links;
use crate::visible::show_line;

/// A new rule, or one that is in the book; the address holds what was written of it so far.
#[component]
pub(crate) fn RulePage() -> impl IntoView {
    let (params, query) = (use_params_map(), use_query_map());
    let id = Memo::new(move |_| {
        let id = params.with(|params| params.get("id").unwrap_or_default());
        if id == "new" { String::new() } else { id }
    });
    let written = Memo::new(move |_| query.with(|query| RuleDraft::of(id.get(), query)));
    let is_looked_at =
        Memo::new(move |_| !id.get().is_empty() || query.with(|query| query.get("look").is_some()));
    // They say how a form begins, which is not begun again while it is written.
    let of = move |name| query.with_untracked(|query| query.get(name).unwrap_or_default());
    let kept = Resource::new(
        move || (id.get(), of("sort"), of("group")),
        |(id, sort, group)| async move {
            match (&*id, &*group) {
                ("", "") => Ok(RuleDraft::begun(sort)),
                ("", _) => begin_rule(group, sort).await,
                _ => read_rule(id).await,
            }
        },
    );
    let choices =
        Resource::new(|| (), |()| async move { read_choices().await.unwrap_or_default() });
    let save = ServerAction::<SaveRule>::new();
    view! {
        <Title text=move || if id.get().is_empty() { "New rule" } else { "Rule" } />
        <Transition fallback=Waiting>
            {move || Suspend::new(async move {
                match kept.await {
                    Ok(kept) => {
                        let draft = Memo::new(move |_| {
                            written.get().unwrap_or_else(|| kept.clone())
                        });
                        view! { <Head draft /> <RuleForm draft choices save /> }.into_any()
                    }
                    Err(error) => view! { <ErrorPanel error /> }.into_any(),
                }
            })}
        </Transition>
        <Looked written kept is_looked_at />
    }
    .into_any()
}

#[component]
fn Head(draft: Memo<RuleDraft>) -> impl IntoView {
    let (is_new, kind) = (Memo::new(move |_| draft.with(|draft| draft.id.is_empty())), move || {
        if draft.with(RuleDraft::is_of_severity) { "severity" } else { "grouping" }
    });
    let heading = move || {
        let kind = kind();
        if is_new.get() {
            format!("A new {kind} rule: nothing changes until it is saved.")
        } else {
            format!("Change a {kind} rule: it stays as it is until this is saved.")
        }
    };
    view! {
        <div class="answer">
            <div>
                <ol class="crumbs">
                    <li>
                        <a href=links::RULES>"Rules"</a>
                    </li>
                    <li>{move || if is_new.get() { "New" } else { "Edit" }}</li>
                </ol>
                <h1>{heading}</h1>
            </div>
        </div>
    }
    .into_any()
}

type Kept = Resource<Result<RuleDraft, crate::error::ApiError>>;

/// What the rule of the address would do.
#[component]
fn Looked(written: Memo<Option<RuleDraft>>, kept: Kept, is_looked_at: Memo<bool>) -> impl IntoView {
    let preview = Resource::new(
        move || (is_looked_at.get(), written.get()),
        move |(is_looked_at, written)| async move {
            if !is_looked_at {
                return Ok(None);
            }
            let draft = match written {
                Some(draft) => draft,
                None => kept.await?,
            };
            // The form says what is wrong with it.
            if LetterFilter::parse(&draft.filter).is_err() {
                return Ok(None);
            }
            let RuleDraft { sort, name, filter, verdict, .. } = draft;
            preview_rule(sort, name, filter, verdict).await.map(Some)
        },
    );
    view! {
        <div id="preview">
            <Transition>
                {move || Suspend::new(async move {
                    match preview.await {
                        Ok(None) => ().into_any(),
                        Ok(Some(preview)) => view! { <Seen preview /> }.into_any(),
                        Err(error) => {
                            view! { <ErrorNote error=Signal::stored(Some(error)) /> }.into_any()
                        }
                    }
                })}
            </Transition>
        </div>
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
