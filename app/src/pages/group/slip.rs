//! What is known of a group, in a few facts.

use chrono::{DateTime, Utc};
use dlo_domain::filter::LetterFilter;
use dlo_domain::group::{GroupSummary, Mute};
use leptos::prelude::*;

use crate::components::{Ago, Spoken};
use crate::visible::{show_line, show_name};
use crate::{links, wording};

/// Who looks into it, how many letters, since when; and until when it is muted.
#[component]
pub(super) fn GroupSlip(
    /// The group.
    summary: GroupSummary,
    /// When its mute ends, if it is muted.
    mute: Option<Mute>,
    /// When it was read.
    now: DateTime<Utc>,
) -> impl IntoView {
    let nobody = || "nobody".to_owned();
    let letters = links::letters_matching(&LetterFilter::of_group(summary.id));
    view! {
        <dl class="slip">
            <div>
                <dt>"owner"</dt>
                <dd>{show_name(&summary.owner.unwrap_or_else(nobody))}</dd>
            </div>
            <div>
                <dt>"letters"</dt>
                <dd>
                    <a href=letters>{wording::count(summary.letters)}</a>
                    " "
                    <span class="quiet">{wording::counted(summary.arrivals, "arrival")}</span>
                </dd>
            </div>
            <div>
                <dt>"first seen"</dt>
                <dd>
                    <Ago at=summary.created_at now spoken=true />
                </dd>
            </div>
            <div>
                <dt>"last arrival"</dt>
                <dd>
                    {match summary.last_arrived_at {
                        Some(at) => view! { <Ago at now spoken=true /> }.into_any(),
                        None => "none".into_any(),
                    }}
                </dd>
            </div>
            {summary
                .ticket_url
                .map(|url| {
                    let shown = url.clone();
                    view! {
                        <div>
                            <dt>"ticket"</dt>
                            <dd>
                                <a href=url rel="external noopener noreferrer">
                                    {show_name(&shown)}
                                </a>
                            </dd>
                        </div>
                    }
                })}
            {(!summary.tags.is_empty())
                .then(|| {
                    view! {
                        <div>
                            <dt>"tags"</dt>
                            <dd>{show_line(&summary.tags.join(", "))}</dd>
                        </div>
                    }
                })}
            {mute
                .map(|mute| {
                    view! {
                        <div class="two">
                            <dt>"muted"</dt>
                            <dd><Spoken text=ends(mute) /></dd>
                        </div>
                    }
                })}
        </dl>
    }
    .into_any()
}

/// When a mute ends, in words.
fn ends(mute: Mute) -> String {
    let ends = [
        mute.until.map(|at| format!("until {}", wording::absolute(at))),
        mute.arrivals
            .map(|count| format!("until {} arrive", wording::counted(count, "more letter"))),
        mute.per_hour.map(|count| {
            let letters = wording::counted(count, "letter");
            format!("until {letters} arrive within an hour")
        }),
    ];
    let ends: Vec<String> = ends.into_iter().flatten().collect();
    ends.join(", or ")
}
