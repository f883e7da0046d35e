//! What can be decided on letters: the actions behind the forms, and what is said afterwards.

use leptos::form::{FromFormData, form_data_from_event};
use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use web_sys::SubmitEvent;

use super::{Toast, Toasts};
use crate::api::letters::{DecideUnknown, DiscardLetters, HoldLetters, RestoreLetters};
use crate::api::replays::{ReplayForm, StartReplay};
use crate::error::ApiError;
use crate::wording::counted;

/// The actions of one page.
#[derive(Clone, Copy)]
pub(crate) struct Decisions {
    /// Puts letters away.
    pub(crate) discard: ServerAction<DiscardLetters>,
    /// Takes them back.
    pub(crate) restore: ServerAction<RestoreLetters>,
    /// Holds those that retry policies would replay.
    pub(crate) hold: ServerAction<HoldLetters>,
    /// Replays them; leads to the replay's page.
    pub(crate) replay: ServerAction<StartReplay>,
    /// Says what came of a publish that was cut off.
    pub(crate) decide: ServerAction<DecideUnknown>,
}

impl Decisions {
    /// The actions of a page that is being made.
    pub(crate) fn new() -> Self {
        let decisions = Self {
            discard: ServerAction::new(),
            restore: ServerAction::new(),
            hold: ServerAction::new(),
            replay: ServerAction::new(),
            decide: ServerAction::new(),
        };
        decisions.say_what_was_done();
        decisions
    }

    /// Grows with every decision that was carried out.
    pub(crate) fn version(self) -> usize {
        self.discard.version().get()
            + self.restore.version().get()
            + self.hold.version().get()
            + self.decide.version().get()
    }

    /// Grows with every replay that was not made because something was no longer as it was shown.
    pub(crate) fn outdated_plans(self) -> Memo<usize> {
        Memo::new(move |before: Option<&usize>| {
            let version = self.replay.version().get();
            match self.replay.value().get() {
                Some(Err(ApiError::Conflict { .. })) => version,
                _ => before.copied().unwrap_or_default(),
            }
        })
    }

    /// Whether an answer is awaited.
    pub(crate) fn is_pending(self) -> bool {
        self.discard.pending().get()
            || self.restore.pending().get()
            || self.hold.pending().get()
            || self.replay.pending().get()
            || self.decide.pending().get()
    }

    /// The last failure.
    pub(crate) fn error(self) -> Option<ApiError> {
        fn failure<T>(value: Option<Result<T, ApiError>>) -> Option<ApiError> {
            value.and_then(Result::err)
        }
        failure(self.discard.value().get())
            .or_else(|| failure(self.restore.value().get()))
            .or_else(|| failure(self.hold.value().get()))
            .or_else(|| failure(self.replay.value().get()))
            .or_else(|| failure(self.decide.value().get()))
    }

    /// Carries out the decision that a form's button names by its `formaction`. A form without
    /// our script posts there by itself; any other button is left to the browser.
    pub(crate) fn carry_out(self, submit: &SubmitEvent) {
        let path = submit
            .submitter()
            .and_then(|button| button.get_attribute("formaction"))
            .unwrap_or_default();
        if path == DiscardLetters::PATH {
            dispatch(self.discard, submit);
        } else if path == RestoreLetters::PATH {
            dispatch(self.restore, submit);
        } else if path == HoldLetters::PATH {
            dispatch(self.hold, submit);
        } else if path == StartReplay::PATH {
            self.start(submit);
        }
    }

    /// Publishes the plan of a form's button. The fields are read one by one, which takes less code in the
    /// browser than to decode them.
    fn start(self, submit: &SubmitEvent) {
        if let Ok(data) = form_data_from_event(submit) {
            submit.prevent_default();
            let checked = data.get_all("ids[]");
            let ids = checked.iter().filter_map(|id| id.as_string());
            let form = ReplayForm::of(ids, |name| data.get(name).as_string());
            self.replay.dispatch(StartReplay { form });
        }
    }

    fn say_what_was_done(self) {
        let toasts = Toasts::current();
        Effect::new(move |_| {
            if let Some(Ok(changed)) = self.discard.value().get() {
                toasts.say(Toast {
                    text: format!("{} discarded.", counted(changed.changed, "letter")),
                    left_out: changed.left_out,
                    undo: changed.ids,
                });
            }
        });
        Effect::new(move |_| {
            if let Some(Ok(changed)) = self.restore.value().get() {
                toasts.say(Toast {
                    text: format!("{} restored: held again.", counted(changed.changed, "letter")),
                    left_out: changed.left_out,
                    undo: Vec::new(),
                });
            }
        });
        Effect::new(move |_| {
            if let Some(Ok(changed)) = self.hold.value().get() {
                let held = counted(changed.changed, "letter");
                toasts.say(Toast {
                    text: format!("{held} held for a person to decide."),
                    left_out: changed.left_out,
                    undo: Vec::new(),
                });
            }
        });
    }
}

fn dispatch<F>(action: ServerAction<F>, submit: &SubmitEvent)
where
    F: ServerFn + FromFormData + Clone + Send + Sync + 'static,
    F::Output: Send + Sync + 'static,
    F::Error: Send + Sync + 'static,
{
    // What our own form holds can be read; if not, the browser posts it and the server says why.
    if let Ok(input) = F::from_event(submit) {
        submit.prevent_default();
        action.dispatch(input);
    }
}
