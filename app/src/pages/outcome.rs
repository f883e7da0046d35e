//! What a form did, told by the address that it came back to: only words of our own, since an address is
//! anybody's to write.

use leptos::prelude::*;
use leptos::server_fn::error::ServerFnUrlError;

use crate::components::Spoken;
use crate::error::ApiError;
use crate::query::Query;
use crate::wording::{counted, sentence};

/// Says what was done, or why it was not.
#[component]
pub(super) fn Outcome() -> impl IntoView {
    let query = Query::of_request();
    let error: Option<ApiError> = query.get_str("__err").map(ServerFnUrlError::decode_err);
    let number = |name| query.get_str(name).and_then(|text| text.parse().ok()).unwrap_or(0_u32);
    let (letters, left_out) = (i64::from(number("letters")), i64::from(number("left_out")));
    let notice = query.get_str("notice").and_then(|notice| {
        let said = said(notice, letters).map(|text| (text, None));
        said.or_else(|| said_of_letters(notice, letters, left_out))
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
            "Acknowledged: no more reminders. You are still notified when it ends or gets worse."
        }
        "muted" => "Muted: no notifications until then. It stays in the list.",
        "silenced" => "Silenced: these alerts stay in the list, but are not sent.",
        "silence-ended" => "The silence has ended. Alerts that still fire are sent now.",
        "rule-removed" => "The rule was removed, and its open alerts are closed.",
        "rule" => "Saved. It is checked every second from now on.",
        "channel" => "Saved. Channels use it within seconds.",
        "channel-removed" => "The channel was removed, with its waiting messages.",
        "checking" => "Reading all brokers again. Results appear in a few seconds.",
        "finding" | "group" => "Saved.",
        "judging-rule" => "Saved. It applies to new letters at once.",
        "judging-rule-removed" => {
            "The rule was removed. Its letters are judged again by the others."
        }
        "judging-rules" => "The rules were changed.",
        "merged" => {
            "The groups were merged into this one. If they should not be, split signatures off below."
        }
        "split" => "The selected signatures were split off into this group.",
        "dead-lettering" => "Set. The broker applies it within seconds.",
        "dead-lettering-gone" => "Undone. What applied before applies again within seconds.",
        "limit-lifted" => "The limit is lifted. Letters are taken again within seconds.",
        "drains" => "The worker is draining: it gets no new work.",
        "active" => "The worker is back at work.",
        "added" => "The source was added. Intake looks for its queue now.",
        "removed" => "The source is no longer watched. Its letters stay.",
        "loss-accepted" => "The loss is accepted. Letters are taken within seconds.",
        "loss-withdrawn" => {
            "Loss is no longer accepted. Nothing is taken while the queue drops letters."
        }
        "tested" => "A test message was sent. The answer is shown beside the channel.",
        "schema" => "Uploaded. New bodies are decoded with it; stored letters follow soon.",
        "schema-removed" | "type-rule-removed" => {
            "Removed. Bodies are decoded without it from now on."
        }
        "type-rule" => "Saved. New bodies are decoded with it; stored letters follow soon.",
        "policy" => "Saved. The policy applies to letters that arrive from now on.",
        "policies" => "The retry policies were changed.",
        "policy-removed" => "The policy was removed. Letters that waited for it are held.",
        "searched" => {
            return Some(format!(
                "{letters} found and confirmed. What was not found stays unknown."
            ));
        }
        "policy-applied" => {
            return Some(format!("The policies are now applied to {letters} that are held."));
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
