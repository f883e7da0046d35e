//! What shall be sent in place of this letter's body?

use dlo_domain::changing::{DraftSheet, EditSheet, Shape};
use leptos::form::ActionForm;
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::{use_params_map, use_query_map};

use crate::api::changes::{KeepDraft, SendEdit, read_edit};
use crate::components::{BodyDiff, ErrorNote, ErrorPanel, SchemaNote, Waiting, disabled_while};
use crate::{links, wording};

/// Edits one letter: what is written, what that changes, and then the button that sends it.
#[component]
pub(crate) fn EditLetterPage() -> impl IntoView {
    let (params, query) = (use_params_map(), use_query_map());
    let id = Memo::new(move |_| params.with(|params| params.get("id").unwrap_or_default()));
    let of = move |name: &'static str| {
        Memo::new(move |_| query.with(|query| query.get(name).unwrap_or_default()))
    };
    let (shape, draft) = (of("as"), of("draft"));
    let sheet = Resource::new(
        move || (id.get(), shape.get(), draft.get()),
        |(id, shape, draft)| read_edit(id, shape, draft),
    );
    let keep = ServerAction::<KeepDraft>::new();
    let send = ServerAction::<SendEdit>::new();
    let error = Signal::derive(move || {
        let kept = keep.value().get().and_then(Result::err);
        kept.or_else(|| send.value().get().and_then(Result::err))
    });
    view! {
        <Title text=move || format!("Edit letter {}", wording::short(&id.get())) />
        <ErrorNote error />
        <Transition fallback=Waiting>
            {move || Suspend::new(async move {
                match sheet.await {
                    Ok(sheet) => view! { <Sheet sheet keep send /> }.into_any(),
                    Err(error) => view! { <ErrorPanel error /> }.into_any(),
                }
            })}
        </Transition>
    }
    .into_any()
}

#[component]
fn Sheet(
    sheet: EditSheet,
    keep: ServerAction<KeepDraft>,
    send: ServerAction<SendEdit>,
) -> impl IntoView {
    let id = sheet.letter_id;
    let heading = match &sheet.draft {
        None => "Edit what is sent. The letter keeps what arrived.",
        Some(draft) if draft.differs => "This is what would change. Nothing was sent yet.",
        Some(_) => "Nothing is different from what arrived.",
    };
    let changes = sheet.draft.clone().map(|draft| {
        let queue = sheet.queue.clone();
        view! { <Changes sheet=sheet.clone() draft queue send /> }
    });
    let arrived = sheet.schema.clone().filter(|_| sheet.draft.is_none());
    let arrived = arrived.map(|check| view! { <SchemaNote check what="What arrived" /> });
    let form = match sheet.cannot.clone() {
        Some(why) => view! { <p class="note-line">{why}</p> }.into_any(),
        None => view! { <Writing sheet=sheet.clone() keep /> }.into_any(),
    };
    view! {
        <div class="answer">
            <div>
                <ol class="crumbs">
                    <li>
                        <a href=links::LETTERS>"Letters"</a>
                    </li>
                    <li>
                        <a class="id" href=links::letter(id)>
                            {wording::short(&id)}
                        </a>
                    </li>
                    <li>"Edit"</li>
                </ol>
                <h1>{heading}</h1>
                <p class="meta">
                    <span>"arrival " {sheet.arrival}</span>
                    {sheet
                        .queue
                        .map(|queue| view! { <span>"died in " <span class="id">{queue}</span></span> })}
                </p>
            </div>
        </div>
        {changes}
        {arrived}
        {form}
    }
    .into_any()
}

/// What was written, compared with what arrived, and the button that sends it.
#[component]
fn Changes(
    sheet: EditSheet,
    draft: DraftSheet,
    queue: Option<String>,
    send: ServerAction<SendEdit>,
) -> impl IntoView {
    let id = sheet.letter_id;
    let waits = Signal::derive(move || send.pending().get());
    let to = queue.unwrap_or_default();
    let target = if to.is_empty() {
        "the queue named here".to_owned()
    } else {
        to.clone()
    };
    let size = wording::size(draft.size_bytes);
    let is_unfit = sheet.schema.as_ref().is_some_and(|check| !check.fits());
    let all_the_same = if is_unfit { " all the same" } else { "" };
    let sending = draft.differs.then(|| {
        view! {
            <ActionForm action=send attr:class="stack tight padded">
                <input type="hidden" name="id" value=id.to_string() />
                <input type="hidden" name="draft" value=draft.id.to_string() />
                <label class="choice">
                    <span>"queue; empty for the one that it died in"</span>
                    <input
                        type="text"
                        name="queue"
                        maxlength="255"
                        autocomplete="off"
                        spellcheck="false"
                        placeholder=to.clone()
                        required=to.is_empty()
                    />
                </label>
                <SecondPerson is_rule=sheet.needs_approval />
                <button class="button primary" type="submit" disabled=disabled_while(waits)>
                    {format!("Send 1 letter with this body to {target}{all_the_same}")}
                </button>
            </ActionForm>
        }
    });
    view! {
        <section class="section" aria-labelledby="changes-title">
            <header>
                <h2 id="changes-title">"What changes"</h2>
                <span class="note">{size} " are sent"</span>
            </header>
            {if draft.differs {
                view! { <BodyDiff diff=draft.diff label="What changes" /> }.into_any()
            } else {
                view! { <p class="note-line">"The body and its content type are as they arrived."</p> }
                    .into_any()
            }}
            {sheet.schema.map(|check| view! { <SchemaNote check what="What would be sent" /> })}
            {sending}
        </section>
    }
    .into_any()
}

/// Whether a second person is asked: that can be chosen, where it is not the rule.
#[component]
fn SecondPerson(is_rule: bool) -> impl IntoView {
    if is_rule {
        return view! {
            <p class="note-line">
                "Another person has to approve it first: this office asks for one wherever bodies are changed."
            </p>
        }
        .into_any();
    }
    view! {
        <label class="check">
            <input type="checkbox" name="needs_approval" value="true" />
            <span>"another person has to approve it first"</span>
        </label>
    }
    .into_any()
}

/// The form that the body is written in.
#[component]
fn Writing(sheet: EditSheet, keep: ServerAction<KeepDraft>) -> impl IntoView {
    let id = sheet.letter_id;
    let waits = Signal::derive(move || keep.pending().get());
    let tab = |shape: Shape| {
        let name = match shape {
            Shape::Json => "JSON",
            Shape::Text => "Text",
            Shape::Hex => "Hex",
        };
        let draft = sheet.draft.as_ref().map(|draft| draft.id.to_string());
        let href = links::edit(id, shape.as_str(), &draft.unwrap_or_default());
        view! {
            <a href=href aria-current=(shape == sheet.shape).then_some("true")>
                {name}
            </a>
        }
    };
    let tabs: Vec<_> = sheet.shapes.iter().copied().map(tab).collect();
    let packed = sheet.content_encoding.clone().map(|encoding| {
        view! {
            <p class="note-line">
                {format!("It is unpacked here ({encoding}), and packed again when it is sent.")}
            </p>
        }
    });
    view! {
        <section class="section" aria-labelledby="writing-title">
            <header>
                <h2 id="writing-title">"Body"</h2>
                <span class="end">
                    <nav class="tabs" aria-label="How the body is written">
                        {tabs}
                    </nav>
                </span>
            </header>
            {sheet.note.clone().map(|note| view! { <p class="note-line">{note}</p> })}
            {packed}
            <ActionForm action=keep attr:class="stack tight padded">
                <input type="hidden" name="id" value=id.to_string() />
                <input type="hidden" name="shape" value=sheet.shape.as_str() />
                <label class="choice code">
                    <span>"body"</span>
                    <textarea
                        name="text"
                        rows="20"
                        spellcheck="false"
                        autocomplete="off"
                        prop:value=sheet.text.clone()
                    >
                        // A browser drops the first newline of it.
                        {format!("\n{}", sheet.text)}
                    </textarea>
                </label>
                <label class="choice">
                    <span>"content type"</span>
                    <input
                        type="text"
                        name="content_type"
                        value=sheet.content_type
                        maxlength="255"
                        autocomplete="off"
                        spellcheck="false"
                    />
                </label>
                <button class="button" type="submit" disabled=disabled_while(waits)>
                    "Show what changes"
                </button>
            </ActionForm>
        </section>
    }
    .into_any()
}
