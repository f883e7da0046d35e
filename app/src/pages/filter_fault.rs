//! What is wrong with a filter, and where.

use dlo_domain::filter::FilterFault;
use dlo_islands::FAULT_ID;
use leptos::prelude::*;

use crate::visible::show_line;

/// The place below the filter's box: what is wrong, if anything is, and what follows from it.
#[component]
pub(super) fn FaultPlace(
    /// What is wrong.
    fault: Option<FilterFault>,
    /// Whether its place is one of the text above it.
    has_place: bool,
    /// What follows from it.
    children: ChildrenFn,
) -> impl IntoView {
    let told = fault.map(|fault| {
        let column = has_place.then(|| {
            view! {
                <p class="where" aria-hidden="true">
                    {" ".repeat(fault.position)}
                    {"^".repeat(fault.length.max(1))}
                </p>
            }
        });
        let place = has_place.then(|| format!("At character {}: ", fault.position + 1));
        view! {
            {column}
            <p class="says">
                <b>{place} {show_line(&fault.why)} "."</b>
                {children()}
            </p>
        }
    });
    view! {
        <div id=FAULT_ID role="alert">
            {told}
        </div>
    }
    .into_any()
}
