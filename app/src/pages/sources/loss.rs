//! What can be done about a source whose queue drops letters that come back: lift the limit, or take them all
//! the same.

use dlo_domain::source::{Source, SourceCondition, SourceMode};
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;

use super::acting::{AcceptLoss, WithdrawLoss};
use crate::visible::show_within;
use crate::{links, wording};

/// The way to the policy that lifts the limit, and the form that accepts a loss; nothing where no letter can be
/// lost.
#[component]
pub(crate) fn LossForm(
    /// The source.
    source: Source,
) -> impl IntoView {
    let stands_still = source.condition == SourceCondition::DeliveryLimit;
    if !stands_still && source.accepted_loss.is_none() {
        return ().into_any();
    }
    let lift = source.delivery_limit.map(|_| {
        let queue = match source.mode {
            SourceMode::Take => source.queue.clone(),
            SourceMode::Mirror => format!("dlo.mirror.{}", source.queue),
        };
        let page = links::queue(&source.broker, &source.vhost, &queue);
        let href = format!("{}#preview", links::with_query(&page, [("look", "lift")]));
        view! {
            <a class="button primary" href=href>
                "Lift the limit…"
            </a>
        }
    });
    let accepted = source.accepted_loss.clone().map(|loss| {
        let limit = match loss.delivery_limit {
            Some(limit) => format!("at a delivery limit of {limit}"),
            None => "at a delivery limit that was not known".to_owned(),
        };
        let letters = wording::counted(i64::from(loss.letters), "letter");
        let id = source.id.to_string();
        view! {
            <p class="meta">
                {format!("Loss of {letters} at once accepted by {}, {limit}.", show_within(&loss.by))}
            </p>
            <form method="post" action=WithdrawLoss::PATH>
                <input type="hidden" name="id" value=id />
                <button class="button" type="submit">
                    "Accept no loss any more"
                </button>
            </form>
        }
    });
    let form = stands_still.then(|| accepting(&source));
    view! { <div class="actions">{lift} {form} {accepted}</div> }.into_any()
}

/// The form that names the number, at the limit that is on the screen.
fn accepting(source: &Source) -> AnyView {
    let id = source.id.to_string();
    let limit = source.delivery_limit.map(|limit| limit.to_string());
    view! {
        <form method="post" action=AcceptLoss::PATH class="fields">
            <input type="hidden" name="id" value=id />
            <input type="hidden" name="delivery_limit" value=limit.unwrap_or_default() />
            <label class="choice">
                <span>"or take letters all the same, and lose at most"</span>
                <input type="number" name="letters" min="1" max="2000" required value="1" />
            </label>
            <button class="button" type="submit">
                "Accept this loss, and take letters"
            </button>
        </form>
    }
    .into_any()
}
