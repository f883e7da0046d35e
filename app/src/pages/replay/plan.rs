//! What a replay was made with.

use dlo_domain::replay::{Replay, Target};
use leptos::prelude::*;

use crate::components::Moment;
use crate::pages::target_text::target_text;
use crate::visible::{show_line, show_name};
use crate::wording;

/// The plan, frozen.
#[component]
pub(super) fn ReplayPlan(
    /// The replay.
    replay: Replay,
) -> impl IntoView {
    let way = match &replay.target {
        Target::OriginExchange | Target::Exchange { .. } => {
            "by an exchange: whoever is bound gets them"
        }
        Target::OriginQueue | Target::Queue { .. } | Target::Worker { .. } => {
            "by the default exchange: nobody else gets them"
        }
    };
    let rate = match replay.rate_per_second {
        Some(rate) => format!("{} a second at most", wording::count(rate.into())),
        None => "as fast as the broker confirms".to_owned(),
    };
    let order = if replay.in_order {
        "of arrival, one at a time"
    } else {
        "of arrival, many on their way at once"
    };
    let begins = replay.start_at.map(|at| {
        view! {
            <div>
                <dt>"put off to"</dt>
                <dd><Moment at /></dd>
            </div>
        }
    });
    let headers = (!replay.headers.is_empty()).then(|| {
        view! {
            <div class="two">
                <dt>"headers"</dt>
                <dd class="id">{show_line(&replay.headers.to_string())}</dd>
            </div>
        }
    });
    let opened = replay.open_envelopes.then(|| {
        view! {
            <div class="two">
                <dt>"body"</dt>
                <dd>"what is inside of the envelope"</dd>
            </div>
        }
    });
    view! {
        <section class="section" aria-labelledby="plan-title">
            <header>
                <h2 id="plan-title">"The plan, frozen"</h2>
                <span class="note">"letters that arrive later never join"</span>
            </header>
            <dl class="slip">
                <div>
                    <dt>"letters"</dt>
                    <dd>{wording::count(replay.total)}</dd>
                </div>
                <div class="two">
                    <dt>"to"</dt>
                    <dd>
                        {target_text(&replay.target, replay.total)} " " <span class="second">{way}</span>
                    </dd>
                </div>
                <div>
                    <dt>"rate"</dt>
                    <dd>{rate}</dd>
                </div>
                <div>
                    <dt>"order"</dt>
                    <dd>{order}</dd>
                </div>
                <div>
                    <dt>"time to live"</dt>
                    <dd>{if replay.keep_expiration { "as senders gave it" } else { "taken off" }}</dd>
                </div>
                {begins} {headers} {opened}
                <div>
                    <dt>"asked by"</dt>
                    <dd>{show_name(&replay.created_by)}</dd>
                </div>
            </dl>
        </section>
    }
    .into_any()
}
