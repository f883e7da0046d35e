//! What a form did, told by the address that it came back to: only words of our own, since an address is
//! anybody's to write.

use leptos::prelude::*;
use leptos::server_fn::error::ServerFnUrlError;
use leptos_router::hooks::use_query_map;

use crate::components::Spoken;
use crate::error::ApiError;
use crate::wording::{counted, sentence};

/// Says what was done, or why it was not.
#[component]
pub(super) fn Outcome() -> impl IntoView {
    let (notice, error) = use_query_map().with_untracked(|query| {
        let error = query.get("__err");
        let error: Option<ApiError> = error.map(|text| ServerFnUrlError::decode_err(&text));
        let number = |name| query.get(name).and_then(|text| text.parse().ok()).unwrap_or(0_u32);
        let (letters, left_out) = (i64::from(number("letters")), i64::from(number("left_out")));
        let notice = query.get("notice").and_then(|notice| {
            let said = said(&notice, letters).map(|text| (text, None));
            said.or_else(|| said_of_letters(&notice, letters, left_out))
        });
        (notice, error)
    });
    view! {
        <div class="notice-place" role="status">
            {notice
                .map(|(text, link)| {
                    let link = link.map(|(href, words)| view! { <a href=href>{words}</a> });
                    view! { <p class="notice">{text} " " {link}</p> }
                })}
        </div>
        <div class="error-place" role="alert">
            {error
                .map(|error| {
                    view! {
                        <p class="error-note">
                            <Spoken text=sentence(&error.to_string()) />
                        </p>
                    }
                })}
        </div>
    }
    .into_any()
}

/// What was done, with so many letters where it was done with some.
fn said(notice: &str, letters: i64) -> Option<String> {
    let letters = counted(letters, "letter");
    let said = match notice {
        "acknowledged" => {
            "Acknowledged: nobody is reminded of it. Its end is told, and when it becomes worse."
        }
        "muted" => "Muted: nobody is told of it until then. It is listed as before.",
        "silenced" => "Silenced: these alerts are listed, and nobody is told.",
        "silence-ended" => "The silence has ended. What still is an alert is told now.",
        "rule-removed" => "The rule was removed. What it had told of is over.",
        "rule" => "Saved. It is evaluated from now on, every second.",
        "channel" => "Saved. Channels are told within seconds.",
        "channel-removed" => "The channel was removed, with what waited for it.",
        "checking" => "All brokers are asked again. What they say is here in some seconds.",
        "finding" | "group" => "Saved.",
        "judging-rule" => "Saved. Letters that come are judged by it at once.",
        "judging-rule-removed" => "The rule was removed. The others judge its letters again.",
        "judging-rules" => "The rules are changed.",
        "merged" => "The groups are one now: this one.",
        "split" => "The checked signatures are a group of their own now: this one.",
        "dead-lettering" => "It is set. The broker takes it up within seconds.",
        "dead-lettering-gone" => {
            "It is taken back. What applied before applies again within seconds."
        }
        "limit-lifted" => "The limit is lifted. Letters are taken again within seconds.",
        "drains" => "The worker drains: it is given nothing more.",
        "active" => "The worker is taken back into work.",
        "added" => "The source was added. Intake looks for its queue now.",
        "removed" => "The source is watched no more. Its letters stay.",
        "loss-accepted" => "The loss is accepted. Letters are taken within seconds.",
        "loss-withdrawn" => {
            "No loss is accepted any more. Nothing is taken while the queue drops letters."
        }
        "tested" => "A test was posted. What was answered stands beside the channel.",
        "schema" => "Uploaded. Bodies are read by it from now on, and stored letters soon.",
        "schema-removed" | "type-rule-removed" => {
            "Removed. Bodies are read without it from now on."
        }
        "type-rule" => "Saved. Bodies are read by it from now on, and stored letters soon.",
        "policy" => "The policy is kept. It is asked of letters that come from now on.",
        "policies" => "The retry policies are changed.",
        "policy-removed" => "The policy was removed. Letters that waited for it are held.",
        "searched" => {
            return Some(format!(
                "{letters} found and confirmed. What was not found stays unknown."
            ));
        }
        "policy-applied" => {
            return Some(format!(
                "The policies are asked of {letters} that are held, from now on."
            ));
        }
        _ => return None,
    };
    Some(said.to_owned())
}

type Link = (&'static str, &'static str);

/// What was done with letters, and where they are to be found now.
fn said_of_letters(notice: &str, letters: i64, left_out: i64) -> Option<(String, Option<Link>)> {
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
        "held" => (format!("{letters} held for a person to decide.{rest}"), None),
        _ => return None,
    })
}
