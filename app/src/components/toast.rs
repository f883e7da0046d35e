//! What an action did, said once in a corner; a discard can be taken back from it.

use std::time::Duration;

use dlo_domain::ids::LetterId;
use dlo_domain::replay::LeftOut;
use leptos::form::ActionForm;
use leptos::prelude::*;

use crate::api::letters::RestoreLetters;
use crate::visible::show_lines;
use crate::wording::{counted, plural};

/// Long enough to read it and to press Undo; a discard can be taken back later, too.
const SHOWN: Duration = Duration::from_secs(20);

/// Something that was done.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Toast {
    /// What, as a sentence.
    pub(crate) text: String,
    /// What was not done, and why.
    pub(crate) left_out: Vec<LeftOut>,
    /// Letters whose discard can be taken back.
    pub(crate) undo: Vec<LetterId>,
}

/// The toast of this application.
#[derive(Clone, Copy)]
pub(crate) struct Toasts {
    shown: RwSignal<Option<Toast>>,
    restore: ServerAction<RestoreLetters>,
}

impl Toasts {
    /// The toast of this application.
    pub(crate) fn current() -> Self {
        expect_context()
    }

    /// Says it for a while, in the place of what was said before.
    pub(crate) fn say(self, toast: Toast) {
        let said = toast.clone();
        self.shown.set(Some(toast));
        set_timeout(
            move || {
                if self.shown.with_untracked(|shown| shown.as_ref() == Some(&said)) {
                    self.shown.set(None);
                }
            },
            SHOWN,
        );
    }

    /// Grows when something was taken back from a toast.
    pub(crate) fn version(self) -> usize {
        self.restore.version().get()
    }
}

/// Provides the place where toasts are put.
pub(crate) fn provide_toasts() {
    provide_context(Toasts { shown: RwSignal::new(None), restore: ServerAction::new() });
}

/// Shows the toast.
#[component]
pub(crate) fn ToastView() -> impl IntoView {
    let toasts = Toasts::current();
    let Toasts { shown: toast, restore } = toasts;
    Effect::new(move |_| {
        if let Some(Ok(changed)) = restore.value().get() {
            toasts.say(Toast {
                text: format!("{} restored: held again.", counted(changed.changed, "letter")),
                left_out: changed.left_out,
                undo: Vec::new(),
            });
        }
    });
    view! {
        <div class="toast-place" role="status">
            {move || {
                toast
                    .get()
                    .map(|shown| {
                        view! {
                            <div class="toast">
                                <p>
                                    <b>{shown.text}</b>
                                    {left_out_text(&shown.left_out)}
                                </p>
                                {(!shown.undo.is_empty())
                                    .then(|| view! { <Undo restore ids=shown.undo.clone() /> })}
                                <button
                                    class="button plain"
                                    type="button"
                                    on:click=move |_| toast.set(None)
                                >
                                    "Close"
                                </button>
                            </div>
                        }
                    })
            }}
        </div>
    }
    .into_any()
}

#[component]
fn Undo(restore: ServerAction<RestoreLetters>, ids: Vec<LetterId>) -> impl IntoView {
    let text =
        format!("Undo: hold {} again", counted(i64::try_from(ids.len()).unwrap_or(0), "letter"));
    view! {
        <ActionForm action=restore>
            {ids
                .into_iter()
                .map(|id| view! { <input type="hidden" name="ids[]" value=id.to_string() /> })
                .collect_view()} <button class="button" type="submit">{text}</button>
        </ActionForm>
    }
    .into_any()
}

fn left_out_text(left_out: &[LeftOut]) -> String {
    let parts: Vec<String> = left_out
        .iter()
        .map(|left| {
            format!(
                " {} {} left out: {}.",
                counted(left.letters, "letter"),
                if plural(left.letters, "") == "s" { "were" } else { "was" },
                show_lines(left.reason.trim_end_matches('.'))
            )
        })
        .collect();
    parts.concat()
}
