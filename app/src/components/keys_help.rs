//! The list of keys. `public/scripts/keys.js` opens it and does what it says.

use leptos::prelude::*;

const KEYS: [(&str, &str); 19] = [
    ("Ctrl K", "find a page, a letter, or what to do"),
    ("/", "write a filter"),
    ("j", "next row"),
    ("k", "previous row"),
    ("x", "select the row"),
    ("Enter", "open the row"),
    ("r", "to the button that replays"),
    ("d", "to the reason of a discard"),
    ("g o", "go to the overview"),
    ("g l", "go to the letters"),
    ("g g", "go to the groups"),
    ("g r", "go to the replays"),
    ("g q", "go to the queues"),
    ("g w", "go to the workers"),
    ("g e", "go to the executions"),
    ("g a", "go to the alerts"),
    ("g u", "go to the rules"),
    ("g s", "go to the sources"),
    ("?", "this list"),
];

/// The dialog that lists the keys.
#[component]
pub(crate) fn KeysHelp() -> impl IntoView {
    view! {
        <dialog id="keys" class="keys" aria-labelledby="keys-title">
            <form method="dialog">
                <header>
                    <h2 id="keys-title">"Keys"</h2>
                    <button class="button plain" type="submit">
                        "Close"
                    </button>
                </header>
                <dl>
                    {KEYS
                        .into_iter()
                        .map(|(keys, what)| {
                            view! {
                                <div>
                                    <dt>
                                        {keys
                                            .split(' ')
                                            .map(|key| view! { <kbd>{key}</kbd> })
                                            .collect_view()}
                                    </dt>
                                    <dd>{what}</dd>
                                </div>
                            }
                        })
                        .collect_view()}
                </dl>
            </form>
        </dialog>
    }
    .into_any()
}
