//! The signatures of a group, each with its share of the letters; checked ones can be split off.

use dlo_domain::group::SignatureShare;
use dlo_domain::ids::GroupId;
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;

use super::acting::SplitGroup;
use crate::pages::template::TemplateLine;
use crate::visible::show_line;
use crate::{links, wording};

/// What the group is made of.
#[component]
pub(super) fn GroupSignatures(
    /// The group.
    id: GroupId,
    /// Its signatures, the most frequent first.
    signatures: Vec<SignatureShare>,
) -> impl IntoView {
    let all: i64 = signatures.iter().map(|one| one.letters).sum();
    let number = i64::try_from(signatures.len()).unwrap_or(0);
    let can_split = number > 1;
    let rows =
        signatures.into_iter().map(|signature| row(signature, all, can_split)).collect_view();
    view! {
        <section class="section" aria-labelledby="signatures-title">
            <header>
                <h2 id="signatures-title">{wording::counted(number, "signature")}</h2>
                <span class="note">
                    {if can_split {
                        "select those that are another failure, and split them off"
                    } else {
                        "all letters of this group have the same one"
                    }}
                </span>
            </header>
            <form method="post" action=SplitGroup::PATH class="signatures-form">
                <input type="hidden" name="id" value=id.to_string() />
                <table class="ledger breakdown">
                    <thead>
                        <tr>
                            {can_split
                                .then(|| {
                                    view! {
                                        <th class="pick">
                                            <span class="visually-hidden">"check"</span>
                                        </th>
                                    }
                                })}
                            <th>"signature"</th>
                            <th class="far">"share"</th>
                            <th class="num" aria-sort="descending">
                                "letters"
                            </th>
                            <th class="fit">"one of them"</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
                {can_split
                    .then(|| {
                        view! {
                            <button class="button" type="submit">
                                "Split the selected off into a new group"
                            </button>
                        }
                    })}
            </form>
        </section>
    }
    .into_any()
}

fn row(signature: SignatureShare, all: i64, can_split: bool) -> impl IntoView {
    let SignatureShare { id, template, letters, sample_letter_id, arranged, .. } = signature;
    let percent = format!("{}%", letters * 100 / all.max(1));
    let pick = can_split.then(|| {
        view! {
            <td class="pick">
                <input
                    type="checkbox"
                    name="signatures[]"
                    value=id
                    aria-label=format!("Select {}", show_line(&template))
                />
            </td>
        }
    });
    view! {
        <tr>
            {pick}
            <td class="main">
                <TemplateLine template />
                {arranged.then(|| view! { " " <span class="mark">"moved here by a person"</span> })}
            </td>
            <td class="bar far">
                <svg class="bars" height="8" aria-hidden="true">
                    <rect class="all" width="100%" height="8"></rect>
                    <rect class="here" width=percent.clone() height="8"></rect>
                </svg>
            </td>
            <td class="fit num">
                {wording::count(letters)} " " <span class="quiet">{percent}</span>
            </td>
            <td class="fit">
                <a class="id" href=links::letter(sample_letter_id)>
                    {wording::short(&sample_letter_id)}
                </a>
            </td>
        </tr>
    }
    .into_any()
}
