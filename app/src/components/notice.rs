//! What a plain form did, told by the address that it came back to. Only words of our own and
//! numbers are shown: an address is anybody's to write.

use leptos::prelude::*;
use leptos_router::hooks::use_location;

use crate::wording::counted;

/// Says what was done, when the address tells.
#[component]
pub(crate) fn Notice() -> impl IntoView {
    // Not `use_query_map`, which stays behind when one page of a kind leads to another of it, as a
    // merge of groups does (leptos_router 0.8, FlatRoutes).
    let query = use_location().query;
    let text = move || {
        query.with(|query| {
            let number = |name| {
                let text: Option<&str> = query.get_str(name);
                text.and_then(|text| text.parse::<u32>().ok()).map_or(0, i64::from)
            };
            said(query.get_str("notice")?, number("letters"), number("left_out"))
        })
    };
    view! {
        <div class="notice-place" role="status">
            {move || {
                text()
                    .map(|(text, link)| {
                        view! {
                            <p class="notice">
                                {text}
                                {link
                                    .map(|(href, words)| {
                                        view! {
                                            " "
                                            <a href=href>{words}</a>
                                        }
                                    })}
                            </p>
                        }
                    })
            }}
        </div>
    }
    .into_any()
}

type Link = (&'static str, &'static str);

fn said(notice: &str, letters: i64, left_out: i64) -> Option<(String, Option<Link>)> {
    let letters = counted(letters, "letter");
    let rest = match left_out {
        0 => String::new(),
        n => format!(" {} left out, because their state does not allow it.", counted(n, "letter")),
    };
    Some(match notice {
        "discarded" => (
            format!("{letters} discarded.{rest}"),
            Some(("/letters?state=discarded", "Discarded letters can be restored.")),
        ),
        "restored" => (format!("{letters} restored: held again.{rest}"), None),
        "added" => ("The source was added. Intake looks for its queue now.".to_owned(), None),
        "group" => ("Written down.".to_owned(), None),
        "merged" => ("The groups are one now: this one.".to_owned(), None),
        "split" => {
            ("The checked signatures are a group of their own now: this one.".to_owned(), None)
        }
        "rule" => {
            ("Written into the book. Letters that come are judged by it at once.".to_owned(), None)
        }
        "rule-removed" => {
            ("The rule was removed. The others judge its letters again.".to_owned(), None)
        }
        "rules" => ("The rules are changed.".to_owned(), None),
        "policy" => {
            ("The policy is kept. It is asked of letters that come from now on.".to_owned(), None)
        }
        "policies" => ("The retry policies are changed.".to_owned(), None),
        "policy-removed" => {
            ("The policy was removed. Letters that waited for it are held.".to_owned(), None)
        }
        "policy-applied" => {
            (format!("The policies are asked of {letters} that are held, from now on."), None)
        }
        "held" => (format!("{letters} held for a person to decide.{rest}"), None),
        "loss-accepted" => {
            ("The loss is accepted. Letters are taken within seconds.".to_owned(), None)
        }
        "loss-withdrawn" => (
            "No loss is accepted any more. Nothing is taken while the queue drops letters."
                .to_owned(),
            None,
        ),
        "searched" => {
            (format!("{letters} found and confirmed. What was not found stays unknown."), None)
        }
        "removed" => ("The source is watched no more. Its letters stay.".to_owned(), None),
        _ => return None,
    })
}
