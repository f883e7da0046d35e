//! What a form did, told by the address that it came back to: only words of our own, since an address is
//! anybody's to write.

use leptos::prelude::*;
use leptos::server_fn::error::ServerFnUrlError;
use leptos_router::hooks::use_query_map;

use crate::components::Spoken;
use crate::error::ApiError;
use crate::wording::sentence;

/// Says what was done, or why it was not.
#[component]
pub(super) fn Outcome() -> impl IntoView {
    let (notice, error) = use_query_map().with_untracked(|query| {
        let error = query.get("__err");
        let error: Option<ApiError> = error.map(|text| ServerFnUrlError::decode_err(&text));
        (query.get("notice").as_deref().and_then(said), error)
    });
    view! {
        <div class="notice-place" role="status">
            {notice.map(|text| view! { <p class="notice">{text}</p> })}
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

fn said(notice: &str) -> Option<&'static str> {
    Some(match notice {
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
        "finding" => "Saved.",
        "dead-lettering" => "It is set. The broker takes it up within seconds.",
        "dead-lettering-gone" => {
            "It is taken back. What applied before applies again within seconds."
        }
        "limit-lifted" => "The limit is lifted. Letters are taken again within seconds.",
        "drains" => "The worker drains: it is given nothing more.",
        "active" => "The worker is taken back into work.",
        "tested" => "A test was posted. What was answered stands beside the channel.",
        "schema" => "Uploaded. Bodies are read by it from now on, and stored letters soon.",
        "schema-removed" | "type-rule-removed" => {
            "Removed. Bodies are read without it from now on."
        }
        "type-rule" => "Saved. Bodies are read by it from now on, and stored letters soon.",
        _ => return None,
    })
}
