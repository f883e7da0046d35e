//! What shall be sent in place of this letter's body?

use dlo_domain::changing::{EditSheet, Shape};
use leptos::form::form_data_from_event;
use leptos::html;
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;
use leptos_meta::Title;
use leptos_router::hooks::{use_params_map, use_query_map};
use web_sys::SubmitEvent;

use super::sending_edit::Changes;
use crate::api::changes::{EditForm, EditRead, KeepDraft, SendEdit, read_edit};
use crate::components::{ErrorNote, ErrorPanel, SchemaNote, Waiting, disabled_while, is_edited};
use crate::visible::{show_line, show_lines, show_name, show_within};
use crate::{links, wording};

/// What the form does: shows what changes, and sends what was shown.
#[derive(Clone, Copy)]
struct Actions {
    keep: ServerAction<KeepDraft>,
    send: ServerAction<SendEdit>,
}

impl Actions {
    fn is_pending(self) -> Signal<bool> {
        Signal::derive(move || self.keep.pending().get() || self.send.pending().get())
    }

    /// Does what the button that was pressed asks for.
    fn carry_out(self, submit: &SubmitEvent) {
        // What our own form holds can be read; if not, the browser posts it and the server says why.
        let Ok(data) = form_data_from_event(submit) else {
            return;
        };
        submit.prevent_default();
        let of = |name: &str| data.get(name).as_string().unwrap_or_default();
        let (id, form) = (
            of("id"),
            EditForm {
                draft: of("draft"),
                shape: of("shape"),
                text: of("text"),
                content_type: of("content_type"),
                queue: of("queue"),
                headers: of("headers"),
                needs_approval: of("needs_approval"),
                plan: of("plan"),
            },
        );
        let button = submit.submitter();
        let path = button.and_then(|button| button.get_attribute("formaction"));
        if path.as_deref() == Some(SendEdit::PATH) {
            self.send.dispatch(SendEdit { id, form });
        } else {
            self.keep.dispatch(KeepDraft { id, form });
        }
    }
}

/// Edits one letter: what is written, what that changes, and then the button that sends it.
#[component]
pub(crate) fn EditLetterPage() -> impl IntoView {
    let (params, query) = (use_params_map(), use_query_map());
    let id = Memo::new(move |_| params.with(|params| params.get("id").unwrap_or_default()));
    let form = Memo::new(move |_| {
        let of = |name: &str| query.with(|query| query.get(name).unwrap_or_default());
        EditForm {
            shape: of("as"),
            draft: of("draft"),
            queue: of("queue"),
            headers: of("headers"),
            needs_approval: of("needs_approval"),
            ..EditForm::default()
        }
    });
    let actions = Actions { keep: ServerAction::new(), send: ServerAction::new() };
    // What is not sent any more as it was shown is shown anew.
    let read = Resource::new(
        move || (id.get(), form.get(), actions.send.version().get()),
        |(id, form, _)| {
            let EditForm { shape, draft, queue, headers, needs_approval, .. } = form;
            read_edit(id, shape, draft, queue, headers, needs_approval)
        },
    );
    let error = Signal::derive(move || {
        let kept = actions.keep.value().get().and_then(Result::err);
        kept.or_else(|| actions.send.value().get().and_then(Result::err))
    });
    view! {
        <Title text=move || format!("Edit letter {}", show_line(&wording::short(&id.get()))) />
        <ErrorNote error />
        <Transition fallback=Waiting>
            {move || Suspend::new(async move {
                match read.await {
                    Ok(read) => view! { <Sheet read form=form.get() actions /> }.into_any(),
                    Err(error) => view! { <ErrorPanel error /> }.into_any(),
                }
            })}
        </Transition>
    }
    .into_any()
}

#[component]
fn Sheet(read: EditRead, form: EditForm, actions: Actions) -> impl IntoView {
    let sheet = read.sheet.clone();
    let arrived = sheet.schema.clone().filter(|_| sheet.draft.is_none());
    let arrived = arrived.map(|check| view! { <SchemaNote check what="What arrived" /> });
    let content = match sheet.cannot.clone() {
        Some(why) => view! { <p class="note-line">{show_lines(&why)}</p> }.into_any(),
        None => view! { <Form read form actions /> }.into_any(),
    };
    view! {
        <Head sheet />
        {arrived}
        {content}
    }
    .into_any()
}

#[component]
fn Head(sheet: EditSheet) -> impl IntoView {
    let id = sheet.letter_id;
    let heading = match &sheet.draft {
        None => "Edit what is sent. The letter keeps what arrived.",
        Some(draft) if draft.differs => "This is what would change. Nothing was sent yet.",
        Some(_) => "Nothing is different from what arrived.",
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
                        .map(|queue| view! { <span>"died in " <span class="id">{show_name(&queue)}</span></span> })}
                </p>
            </div>
        </div>
    }
    .into_any()
}

/// The one form of the page: every button of it sends every field. Without a button of its own, Enter shows
/// what changes.
#[component]
fn Form(read: EditRead, form: EditForm, actions: Actions) -> impl IntoView {
    let element = NodeRef::<html::Form>::new();
    let edited = RwSignal::new(false);
    // What stands in the fields is asked of them: they may be changed before this code runs.
    let look = move || {
        if let Some(form) = element.get_untracked() {
            edited.set(is_edited(&form));
        }
    };
    Effect::new(move |_| look());
    let waits = actions.is_pending();
    let EditRead { sheet, .. } = read.clone();
    let draft = sheet.draft.as_ref().map(|draft| draft.id.to_string());
    let changes = sheet.draft.is_some().then(|| {
        view! { <Changes read form=form.clone() edited waits /> }
    });
    view! {
        <form
            class="stack"
            method="post"
            action=KeepDraft::PATH
            autocomplete="off"
            node_ref=element
            on:input=move |_| look()
            on:submit=move |event| actions.carry_out(&event)
        >
            <button type="submit" hidden>
                "Show what changes"
            </button>
            <input type="hidden" name="id" value=sheet.letter_id.to_string() />
            <input type="hidden" name="draft" value=draft.unwrap_or_default() />
            <input type="hidden" name="shape" value=sheet.shape.as_str() />
            {changes}
            <Writing sheet form waits />
        </form>
    }
    .into_any()
}

/// The fields that the body is written in.
#[component]
fn Writing(sheet: EditSheet, form: EditForm, waits: Signal<bool>) -> impl IntoView {
    let id = sheet.letter_id;
    let tab = |shape: Shape| {
        let name = match shape {
            Shape::Json => "JSON",
            Shape::Text => "Text",
            Shape::Hex => "Hex",
        };
        let href =
            links::edit_of(id, &EditForm { shape: shape.as_str().to_owned(), ..form.clone() });
        view! {
            <a href=href aria-current=(shape == sheet.shape).then_some("true")>
                {name}
            </a>
        }
    };
    let tabs: Vec<_> = sheet.shapes.iter().copied().map(tab).collect();
    let packed = sheet.content_encoding.as_deref().map(|encoding| {
        let encoding = show_within(encoding);
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
            {sheet.note.clone().map(|note| view! { <p class="note-line">{show_lines(&note)}</p> })}
            {packed}
            <div class="stack tight padded">
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
            </div>
        </section>
    }
    .into_any()
}
