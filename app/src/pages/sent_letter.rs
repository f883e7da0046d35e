//! What did a replay send in place of this letter's body, and how did it come back?

use dlo_domain::changing::{BackBody, SentBody};
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;

use super::frame::{Watches, shown};
use crate::components::Instant;
use crate::desk::desk;
use crate::error::ApiError;
use crate::pages::body_diff::BodyDiff;
use crate::pages::head::{PageHead, crumbs_of_letter};
use crate::visible::{show_line, show_name};
use crate::{api, links, wording};

/// What one replay sent of one letter.
#[component]
pub(crate) fn SentLetterPage() -> impl IntoView {
    let [id, replay] = use_params_map()
        .with_untracked(|path| ["id", "replay"].map(|name| path.get(name).unwrap_or_default()));
    let title = format!("Sent of letter {}", show_line(&wording::short(&id)));
    let read = async move {
        let (letter, replay) = (api::id(&id, "letter")?, api::id(&replay, "replay")?);
        Ok::<_, ApiError>(desk().sent_body(letter, replay).await?)
    };
    view! {
        <Title text=title />
        <Watches events=&["changed"] />
        {shown(read, |sent| view! { <Sent sent /> }.into_any())}
    }
    .into_any()
}

#[component]
fn Sent(sent: SentBody) -> impl IntoView {
    let id = sent.letter_id;
    let heading = match &sent.back {
        None => "This body goes in place of what arrived.",
        Some(back) if back.is_same => "It came back as it was sent, byte by byte.",
        Some(_) => "It came back different from what was sent.",
    };
    view! {
        <PageHead crumbs=crumbs_of_letter(id, "Sent") heading=heading.into_any()>
            <p class="meta">
                <span>
                    "by replay "
                    <a class="id" href=links::replay(sent.replay_id)>
                        {wording::short(&sent.replay_id)}
                    </a>
                </span>
                <span>{wording::size(sent.size_bytes)}</span>
                {sent.content_type.map(|kind| view! { <span class="id">{show_name(&kind)}</span> })}
                <span>
                    "SHA-256 " <span class="id">{sent.body_sha256[..16].to_owned()} "…"</span>
                </span>
            </p>
        </PageHead>
        <section class="section" aria-labelledby="sent-title">
            <header>
                <h2 id="sent-title">"From what arrived to what is sent"</h2>
                <span class="note">"arrival " {sent.from_arrival}</span>
            </header>
            <BodyDiff diff=sent.diff label="From what arrived to what is sent" />
        </section>
        {sent.back.map(|back| view! { <Back back /> })}
    }
    .into_any()
}

#[component]
fn Back(back: BackBody) -> impl IntoView {
    view! {
        <section class="section" aria-labelledby="back-title">
            <header>
                <h2 id="back-title">"From what was sent to what came back"</h2>
                <span class="note">"arrival " {back.arrival} ", " <Instant at=back.arrived_at /></span>
            </header>
            {if back.is_same {
                view! { <p class="note-line">"Nothing differs."</p> }.into_any()
            } else {
                view! { <BodyDiff diff=back.diff label="From what was sent to what came back" /> }
                    .into_any()
            }}
        </section>
    }
    .into_any()
}
