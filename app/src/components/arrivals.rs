//! Every time that a letter's message reached a source.

use chrono::{DateTime, Utc};
use dlo_domain::arrival::Arrival;
use dlo_domain::ids::LetterId;
use leptos::prelude::*;

use super::Ago;
use crate::{links, wording};

/// The arrivals of a letter, newest first; a click shows one of them.
#[component]
pub(crate) fn Arrivals(
    /// The letter.
    id: LetterId,
    /// Its arrivals, oldest first.
    arrivals: Vec<Arrival>,
    /// The one whose body and headers are shown.
    shown: i32,
    /// When they were read.
    now: DateTime<Utc>,
) -> impl IntoView {
    let number = arrivals.len();
    let same_body = arrivals
        .windows(2)
        .all(|pair| pair[0].body_sha256 == pair[1].body_sha256);
    view! {
        <section class="section" aria-labelledby="arrivals-title">
            <header>
                <h2 id="arrivals-title">"Arrivals"</h2>
                <span class="note">
                    {if number == 1 {
                        "1"
                    } else if same_body {
                        "the body was the same each time"
                    } else {
                        "the body changed between them"
                    }}
                </span>
            </header>
            <table class="ledger">
                <thead>
                    <tr>
                        <th class="num">"no."</th>
                        <th>"when"</th>
                        <th class="far">"came by"</th>
                        <th class="num">"size"</th>
                        <th>"body"</th>
                    </tr>
                </thead>
                <tbody>
                    {arrivals
                        .into_iter()
                        .rev()
                        .map(|arrival| {
                            let is_shown = arrival.ordinal == shown;
                            let ordinal = arrival.ordinal.to_string();
                            let href = links::with_query(
                                &links::letter(id),
                                [("arrival", ordinal.as_str())],
                            );
                            let exchange = if arrival.exchange.is_empty() {
                                "default exchange".to_owned()
                            } else {
                                arrival.exchange
                            };
                            view! {
                                <tr data-row="" class:current=is_shown>
                                    <td class="num fit">{ordinal}</td>
                                    <td class="fit">
                                        <Ago at=arrival.arrived_at now spoken=true />
                                    </td>
                                    <td class="far">
                                        <span class="id">{exchange} ", " {arrival.routing_key}</span>
                                    </td>
                                    <td class="num fit">{wording::size(arrival.size_bytes)}</td>
                                    <td class="fit">
                                        <a
                                            href=href
                                            title=format!("SHA-256 {}", arrival.body_sha256)
                                            aria-current=is_shown.then_some("true")
                                        >
                                            {if is_shown { "shown here" } else { "show" }}
                                        </a>
                                    </td>
                                </tr>
                            }
                        })
                        .collect_view()}
                </tbody>
            </table>
        </section>
    }
    .into_any()
}
