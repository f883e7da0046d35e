//! A severity: colour, shape and word, always all three.

use dlo_domain::severity::Severity;
use leptos::prelude::*;

/// The mark of a severity.
#[component]
pub(crate) fn SeverityMark(
    /// Which.
    severity: Severity,
) -> impl IntoView {
    view! { <span class=format!("sev {severity}")>{severity.as_str()}</span> }
}
