//! Pages of a list by keyset: those after follow a cursor, those before go back the way one came.

use dlo_domain::page::Cursor;
use leptos::prelude::*;

use crate::links;
use crate::query::Query;

/// So many pages back are remembered in the address.
const REMEMBERED: usize = 20;

/// Names in an address that belong to one page of a list, or to what was just done.
const PASSING: [&str; 7] = ["cursor", "newer", "notice", "letters", "left_out", "__path", "__err"];

/// Links to the next newer and older page.
#[component]
pub(crate) fn Pager(
    /// The page's path.
    path: String,
    /// The page's query.
    query: Query,
    /// Where the next page begins.
    next: Option<Cursor>,
    /// What is listed, for the label.
    label: &'static str,
    /// What the links to the page before and after are called.
    #[prop(default = ("Newer", "Older"))]
    words: (&'static str, &'static str),
) -> impl IntoView {
    let here = query.get("cursor").unwrap_or_default();
    let back = query.get("newer").unwrap_or_default();
    if here.is_empty() && next.is_none() {
        return ().into_any();
    }
    let newer = (!here.is_empty()).then(|| {
        let (rest, last) = back.rsplit_once('.').unwrap_or(("", &back));
        address(&path, &query, last, rest)
    });
    let older = next.map(|cursor| {
        let way = remember(&back, &here);
        address(&path, &query, &cursor.to_string(), &way)
    });
    view! {
        <nav class="pager" aria-label=format!("Pages of {label}")>
            <span class="end"></span>
            {match newer {
                Some(href) => view! { <a class="button" href=href rel="prev">{words.0}</a> }.into_any(),
                None => view! { <a class="button" role="link" aria-disabled="true">{words.0}</a> }.into_any(),
            }}
            {match older {
                Some(href) => view! { <a class="button" href=href rel="next">{words.1}</a> }.into_any(),
                None => view! { <a class="button" role="link" aria-disabled="true">{words.1}</a> }.into_any(),
            }}
        </nav>
    }
    .into_any()
}

/// The way back, one page longer. The first page has no cursor: it is the empty entry.
fn remember(back: &str, here: &str) -> String {
    if here.is_empty() {
        return String::new();
    }
    let mut way: Vec<&str> = back.split('.').collect();
    way.push(here);
    let forgotten = way.len().saturating_sub(REMEMBERED);
    way[forgotten..].join(".")
}

fn address(path: &str, query: &Query, cursor: &str, newer: &str) -> String {
    let kept = kept(query);
    links::with_query(path, kept.pairs().chain([("cursor", cursor), ("newer", newer)]))
}

/// What of a page's query says which letters, not which page of them.
pub(crate) fn kept(query: &Query) -> Query {
    query.pairs().filter(|(name, _)| !PASSING.contains(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_back_leads_over_every_page() {
        let second = remember("", "");
        assert_eq!(second, "");
        let third = remember(&second, "B");
        assert_eq!(third, ".B", "back to the second page, then to the first");
        assert_eq!(remember(&third, "C"), ".B.C");
    }

    #[test]
    fn a_long_way_forgets_its_beginning() {
        let way = (0..40).fold(String::new(), |way, page| remember(&way, &format!("c{page}")));
        assert_eq!(way.split('.').count(), REMEMBERED);
        assert_eq!(way.rsplit_once('.').map(|(_, last)| last), Some("c39"));
    }
}
