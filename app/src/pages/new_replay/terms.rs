//! What a new replay sends, and what it does not.

use dlo_domain::replay::Replay;
use leptos::prelude::*;

use crate::pages::replay::HISTORY;
use crate::visible::show_line;
use crate::wording;

/// That all letters go as persistent messages, and how many did not come so.
fn delivery(made_persistent: i64) -> String {
    let all = "as persistent messages, which survive a restart of the broker";
    if made_persistent == 0 {
        return all.to_owned();
    }
    let letters = wording::counted(made_persistent, "letter");
    format!("{all}; {letters} of these came as transient")
}

/// What is sent, and what is not.
#[component]
pub(super) fn Terms(
    /// What a dry run told.
    preview: Replay,
) -> impl IntoView {
    let usual = if preview.keep_expiration {
        ", CC, BCC, user-id, reply-to when it cannot be answered"
    } else {
        ", CC, BCC, expiration, user-id, reply-to when it cannot be answered"
    };
    let found = preview
        .stripped
        .iter()
        .map(|one| format!("{} ({})", one.name, wording::counted(one.letters, "letter")));
    let found: Vec<_> = found.collect();
    view! {
        <section class="section" aria-labelledby="terms-title">
            <header>
                <h2 id="terms-title">"What is sent"</h2>
            </header>
            <dl class="slip">
                <div class="all">
                    <dt>"body"</dt>
                    <dd>
                        {if preview.transform.is_some() {
                            "what the jq program makes of it"
                        } else if preview.open_envelopes {
                            "what is inside of the envelope, where there is one"
                        } else {
                            "the original bytes"
                        }}
                    </dd>
                </div>
                <div class="all">
                    <dt>"taken off"</dt>
                    <dd class="id">{HISTORY} {usual}</dd>
                </div>
                {(!found.is_empty())
                    .then(|| {
                        view! {
                            <div class="all">
                                <dt>"taken off from these letters"</dt>
                                <dd class="id">{show_line(&found.join(", "))}</dd>
                            </div>
                        }
                    })}
                {(!preview.headers.set.is_empty())
                    .then(|| {
                        view! {
                            <div class="all">
                                <dt>"headers changed"</dt>
                                <dd class="id">{show_line(&preview.headers.to_string())}</dd>
                            </div>
                        }
                    })}
                <div class="all">
                    <dt>"delivery"</dt>
                    <dd>{delivery(preview.made_persistent)}</dd>
                </div>
                <div class="all">
                    <dt>"put on"</dt>
                    <dd class="id">"x-dlo-letter, x-dlo-replay, x-dlo-attempt"</dd>
                </div>
                <div class="all">
                    <dt>"cannot be undone"</dt>
                    <dd>"confirmed messages cannot be recalled"</dd>
                </div>
            </dl>
        </section>
    }
    .into_any()
}
