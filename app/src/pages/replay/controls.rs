//! What can be told to a replay that goes on.

use dlo_domain::replay::{Control, Replay, ReplayState};
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;

use super::acting::ControlReplay;
use crate::wording;

/// One thing that can be told: the word, the button, what it means, and whether letters that went
/// wrong are taken up once more.
struct Choice {
    word: Control,
    again: bool,
    button: String,
    is_primary: bool,
    meaning: String,
}

/// The buttons, if anything can be told.
#[component]
pub(super) fn ReplayControls(
    /// The replay.
    replay: Replay,
) -> impl IntoView {
    let choices = choices(&replay);
    if choices.is_empty() {
        return ().into_any();
    }
    let id = replay.id.map(|id| id.to_string()).unwrap_or_default();
    view! {
        <section class="section" aria-labelledby="controls-title">
            <header>
                <h2 id="controls-title">"Controls"</h2>
                <span class="note">"it goes on when this page is closed"</span>
            </header>
            <ul class="do">
                {choices
                    .into_iter()
                    .map(|choice| view! { <Line choice id=id.clone() /> })
                    .collect_view()}
            </ul>
        </section>
    }
    .into_any()
}

#[component]
fn Line(choice: Choice, id: String) -> impl IntoView {
    let class = if choice.is_primary { "button primary" } else { "button" };
    view! {
        <li>
            <span>{choice.meaning}</span>
            <form method="post" action=ControlReplay::PATH>
                <input type="hidden" name="id" value=id />
                <input type="hidden" name="word" value=choice.word.as_str() />
                {choice.again.then(|| view! { <input type="hidden" name="again" value="yes" /> })}
                <button class=class type="submit">
                    {choice.button}
                </button>
            </form>
        </li>
    }
    .into_any()
}

/// What can be told to a replay as it stands.
fn choices(replay: &Replay) -> Vec<Choice> {
    let pending = wording::count(replay.outcomes.pending);
    let wrong = replay.outcomes.wrong();
    let choice = |word, button: String, meaning: &str| Choice {
        word,
        again: false,
        button,
        is_primary: false,
        meaning: meaning.to_owned(),
    };
    let cancel = choice(
        Control::Cancel,
        format!("Cancel, release {pending}"),
        "Publish nothing more; what was published cannot be recalled.",
    );
    match replay.state {
        ReplayState::AwaitingApproval => vec![cancel],
        ReplayState::Running => vec![
            choice(
                Control::Pause,
                format!("Pause, keep {pending} claimed"),
                "Publish nothing more until it is resumed.",
            ),
            cancel,
        ],
        ReplayState::Scheduled => vec![
            choice(
                Control::Resume,
                format!("Publish {pending} now"),
                "Start now, not at the scheduled time.",
            ),
            cancel,
        ],
        ReplayState::Paused => {
            let mut list = Vec::new();
            if wrong > 0 {
                let what =
                    if wrong == replay.outcomes.died_again { "died again" } else { "went wrong" };
                list.push(Choice {
                    again: true,
                    is_primary: true,
                    ..choice(
                        Control::Resume,
                        format!("Resume with the {} that {what}", wording::count(wrong)),
                        "Once the cause is fixed: letters that died again or did not get through and are still held, then the rest; the ladder starts over.",
                    )
                });
            }
            list.push(choice(
                Control::Resume,
                format!("Resume with {pending} to go"),
                if replay.in_order {
                    "What did not get through goes first, unless already decided; then the rest."
                } else {
                    "The letters that were not published yet, the ladder from its first step."
                },
            ));
            list.push(cancel);
            list
        }
        ReplayState::DryRun | ReplayState::Cancelled | ReplayState::Finished => Vec::new(),
    }
}
