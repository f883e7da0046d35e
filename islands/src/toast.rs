//! What a decision did, said once in a corner; a discard can be taken back from it. `public/scripts/forms.js` sends the
//! decisions and tells what became of the letters.

use std::time::Duration;

use dlo_domain::ids::LetterId;
use dlo_domain::numbers::counted;
use dlo_domain::selection::{Changed, LeftOut};
use dlo_domain::visible_text::visible_lines;
use leptos::prelude::*;
use serde::Deserialize;

use crate::page;

/// Long enough to read it and to press Undo; a discard can be taken back later, too.
const SHOWN: Duration = Duration::from_secs(20);

/// A decision that was carried out.
#[derive(Clone, Deserialize)]
struct Decided {
    /// Where it was sent.
    path: String,
    /// What became of the letters.
    changed: Changed,
}

/// Shows what the last decision of this page did.
#[island]
pub fn ToastPlace(
    /// Where letters are restored.
    restore: String,
) -> impl IntoView {
    let said = RwSignal::new((0_u32, None::<Decided>));
    page::on_told(page::DECIDED, move |decided: Decided| {
        said.update(|(times, said)| {
            *times += 1;
            *said = Some(decided);
        });
        let times = said.with_untracked(|(times, _)| *times);
        let close = move || {
            if said.with_untracked(|(now, _)| *now == times) {
                said.update(|(_, said)| *said = None);
            }
        };
        set_timeout(close, SHOWN);
    });
    let close = move |_| said.update(|(_, said)| *said = None);
    view! {
        <div class="toast-place" role="status" data-alive=page::alive()>
            {move || {
                let decided = said.with(|(_, said)| said.clone())?;
                let undo = decided.can_be_undone().then(|| undo(&restore, decided.changed.ids.clone()));
                Some(
                    view! {
                        <div class="toast">
                            <p>
                                <b>{decided.text()}</b>
                                {left_out(&decided.changed.left_out)}
                            </p>
                            {undo}
                            <button class="button plain" type="button" on:click=close>
                                "Close"
                            </button>
                        </div>
                    },
                )
            }}
        </div>
    }
}

impl Decided {
    fn text(&self) -> String {
        let letters = counted(self.changed.changed, "letter");
        match self.path.rsplit('/').next() {
            Some("discard") => format!("{letters} discarded."),
            Some("restore") => format!("{letters} restored: held again."),
            _ => format!("{letters} held for a person to decide."),
        }
    }

    fn can_be_undone(&self) -> bool {
        self.path.ends_with("/discard") && !self.changed.ids.is_empty()
    }
}

/// The form that takes a discard back.
fn undo(restore: &str, ids: Vec<LetterId>) -> impl IntoView + use<> {
    let letters = counted(i64::try_from(ids.len()).unwrap_or(0), "letter");
    let fields = ids
        .into_iter()
        .map(|id| view! { <input type="hidden" name="ids[]" value=id.to_string() /> });
    view! {
        <form method="post" action=restore.to_owned() data-decides="">
            {fields.collect_view()}
            <button class="button" type="submit">
                {format!("Undo: hold {letters} again")}
            </button>
        </form>
    }
}

fn left_out(left_out: &[LeftOut]) -> String {
    let part = |left: &LeftOut| {
        let letters = counted(left.letters, "letter");
        let were = if left.letters == 1 { "was" } else { "were" };
        let reason = visible_lines(left.reason.trim_end_matches('.'));
        format!(" {letters} {were} left out: {reason}.")
    };
    left_out.iter().map(part).collect()
}
