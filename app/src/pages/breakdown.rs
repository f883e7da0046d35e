//! What letters have in common that others have not: a sentence, then the figures with bars.

use dlo_domain::breakdown::{Breakdown, FEWEST_LETTERS, Facet, FacetValue, percent};
use leptos::prelude::*;

use crate::visible::{show_line, show_name};
use crate::{links, wording};

/// How much is shown beside other things: facets, and values of each.
const BRIEF: (usize, usize) = (5, 3);

/// A breakdown as a table; every value leads to its letters.
#[component]
pub(super) fn BreakdownTable(
    /// What was found.
    breakdown: Breakdown,
    /// The filter that means the letters in question.
    scope: String,
    /// Whether only the beginning is shown.
    #[prop(optional)]
    brief: bool,
) -> impl IntoView {
    let (most_facets, most_values) = if brief { BRIEF } else { (usize::MAX, usize::MAX) };
    let sentence = sentence(&breakdown, &scope);
    let sample = sample(&breakdown);
    let rows = breakdown
        .facets
        .into_iter()
        .take(most_facets)
        .flat_map(|facet| rows(facet, most_values, &scope))
        .collect_view();
    view! {
        {sentence}
        <table class="ledger breakdown">
            <thead>
                <tr>
                    <th class="far">"what"</th>
                    <th>"value"</th>
                    <th>"share"</th>
                    <th class="num far">"letters"</th>
                    <th class="num">"here"</th>
                    <th class="num far">"of all"</th>
                    <th class="num">"lift"</th>
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </table>
        <p class="note-line">{sample}</p>
    }
    .into_any()
}

/// The strongest finding; its value leads to the letters that have it.
fn sentence(breakdown: &Breakdown, scope: &str) -> AnyView {
    let Some((facet, found)) = breakdown.strongest() else {
        let text = if breakdown.letters < FEWEST_LETTERS {
            "Too few letters to compare."
        } else {
            "Nothing stands out: other letters are like these."
        };
        return view! { <p class="finding">{text}</p> }.into_any();
    };
    let text = format!("{}={}", facet.name, found.value);
    view! {
        <p class="finding">
            <b>{spaced(found.share)}</b>
            " of these have "
            <a class="id" href=links::letters_within(scope, &found.filter)>
                {show_name(&text)}
            </a>
            {format!(", {} of all letters do.", spaced(found.share_of_all))}
        </p>
    }
    .into_any()
}

/// A share whose sign stays on its line.
fn spaced(share: f64) -> String {
    percent(share).replace(' ', "\u{a0}")
}

/// What was looked at.
fn sample(breakdown: &Breakdown) -> String {
    let Breakdown { letters, letters_in_set, compared_with, letters_in_all, .. } = *breakdown;
    let these = if letters < letters_in_set {
        format!(
            "Of the newest {} of {}",
            wording::count(letters),
            wording::counted(letters_in_set, "letter")
        )
    } else {
        format!("Of {}", wording::counted(letters, "letter"))
    };
    let others = if compared_with < letters_in_all {
        format!(
            "{} picked evenly from all {}",
            wording::count(compared_with),
            wording::count(letters_in_all)
        )
    } else {
        format!("all {}", wording::count(compared_with))
    };
    format!(
        "{these}, beside {others}. Lift is the share here divided by the share of all, which is \
         the mark on the bar."
    )
}

fn rows(facet: Facet, most_values: usize, scope: &str) -> Vec<AnyView> {
    let Facet { name, mut values, mut other_values, mut other_letters, .. } = facet;
    for left_out in values.drain(values.len().min(most_values)..) {
        other_values += 1;
        other_letters += left_out.letters;
    }
    let mut rows: Vec<AnyView> =
        (0..).zip(values).map(|(place, value)| row(&name, place == 0, value, scope)).collect();
    if other_values > 0 {
        rows.push(others(other_values, other_letters));
    }
    rows
}

fn row(name: &str, is_first: bool, value: FacetValue, scope: &str) -> AnyView {
    let name = name.to_owned();
    let FacetValue { value, letters, share, share_of_all, lift, stands_out, filter } = value;
    let shown = if value.is_empty() { "\"\"".to_owned() } else { value.clone() };
    let usual = place(share_of_all);
    view! {
        <tr class:first=is_first>
            <th scope="row" class="fit far">
                <span class="name id" title=show_line(&name)>
                    {is_first.then(|| show_name(&name))}
                </span>
            </th>
            <td class="value">
                {is_first.then(|| view! { <div class="sub quiet">{show_name(&name)}</div> })}
                <a class="id" href=links::letters_within(scope, &filter) title=show_line(&value)>
                    {show_name(&shown)}
                </a>
            </td>
            <td class="bar">
                <svg class="bars" height="8" aria-hidden="true">
                    <rect class="all" width="100%" height="8"></rect>
                    <rect class="here" width=place(share) height="8"></rect>
                    <line class="usual" x1=usual.clone() x2=usual y1="-4" y2="12"></line>
                </svg>
            </td>
            <td class="fit num far">{wording::count(letters)}</td>
            <td class="fit num">{spaced(share)}</td>
            <td class="fit num far quiet">{spaced(share_of_all)}</td>
            <td class="fit num" class:strong=stands_out>
                {lift.map_or_else(|| "—".to_owned(), ratio)}
            </td>
        </tr>
    }
    .into_any()
}

fn others(values: i64, letters: i64) -> AnyView {
    view! {
        <tr>
            <th class="far" aria-hidden="true"></th>
            <td class="value quiet">{wording::counted(values, "other value")}</td>
            <td></td>
            <td class="fit num far quiet">{wording::count(letters)}</td>
            <td></td>
            <td class="far"></td>
            <td></td>
        </tr>
    }
    .into_any()
}

/// A share as a place on a bar.
fn place(share: f64) -> String {
    format!("{:.1}%", share * 100.0)
}

/// `1.4×`, `17×`.
fn ratio(lift: f64) -> String {
    if lift < 9.95 { format!("{lift:.1}×") } else { format!("{lift:.0}×") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_short() {
        let shown: Vec<String> = [0.04, 1.0, 8.72, 9.96, 1_234.0].into_iter().map(ratio).collect();
        assert_eq!(shown, ["0.0×", "1.0×", "8.7×", "10×", "1234×"]);
    }

    #[test]
    fn the_sample_is_told() {
        let mut breakdown = Breakdown {
            letters: 412,
            letters_in_set: 412,
            compared_with: 1_300,
            letters_in_all: 1_300,
            sentence: None,
            facets: Vec::new(),
        };
        assert!(sample(&breakdown).starts_with("Of 412 letters, beside all 1,300."));
        breakdown.letters_in_set = 12_804;
        breakdown.letters_in_all = 1_000_000;
        assert!(sample(&breakdown).starts_with(
            "Of the newest 412 of 12,804 letters, beside 1,300 picked evenly from all 1,000,000."
        ));
    }
}
