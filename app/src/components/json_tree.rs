//! JSON as nested disclosures: it opens and closes without a script.

use leptos::prelude::*;
use serde_json::Value;

use crate::visible::show_line;
use crate::wording::counted;

/// Values shown at most; the text has all of them.
const MOST: usize = 2_000;

/// Levels that are open at first.
const OPEN: usize = 3;

/// Levels shown at most.
const DEEPEST: usize = 64;

/// Members of one value beyond which it starts closed.
const CROWDED: usize = 50;

/// A JSON document.
#[component]
pub(crate) fn JsonTree(
    /// The document.
    value: Value,
) -> impl IntoView {
    let mut left = MOST;
    let tree = node(None, &value, 0, &mut left);
    let rest = (left == 0).then(|| {
        view! { <p class="note-line">"The tree stops after " {MOST} " values. The text has them all."</p> }
    });
    view! {
        <div class="tree">{tree}</div>
        {rest}
    }
    .into_any()
}

fn node(name: Option<&str>, value: &Value, depth: usize, left: &mut usize) -> AnyView {
    *left = left.saturating_sub(1);
    let key = name.map(|name| view! { <span class="k">{show_line(name)}</span> ": " });
    match value {
        Value::Object(members) if !members.is_empty() && depth < DEEPEST => {
            let summary = format!("{{ {} }}", counted(signed(members.len()), "member"));
            let mut children = Vec::new();
            for (name, value) in members {
                if *left == 0 {
                    break;
                }
                children.push(node(Some(name), value, depth + 1, left));
            }
            branch(name, &summary, children, depth, members.len())
        }
        Value::Array(items) if !items.is_empty() && depth < DEEPEST => {
            let summary = format!("[ {} ]", counted(signed(items.len()), "item"));
            let mut children = Vec::new();
            for (index, value) in items.iter().enumerate() {
                if *left == 0 {
                    break;
                }
                children.push(node(Some(&index.to_string()), value, depth + 1, left));
            }
            branch(name, &summary, children, depth, items.len())
        }
        leaf => {
            let (class, text) = scalar(leaf);
            view! {
                <span class="leaf">
                    {key} <span class=class>{show_line(&text)}</span>
                </span>
            }
            .into_any()
        }
    }
}

fn branch(
    name: Option<&str>,
    summary: &str,
    children: Vec<AnyView>,
    depth: usize,
    size: usize,
) -> AnyView {
    let is_open = depth < OPEN && (size <= CROWDED || depth == 0);
    view! {
        <details open=is_open>
            <summary>
                {name.map(|name| view! { <span class="k">{show_line(name)}</span> " " })}
                <span class="z">{summary.to_owned()}</span>
            </summary>
            <div>{children}</div>
        </details>
    }
    .into_any()
}

fn scalar(value: &Value) -> (&'static str, String) {
    match value {
        Value::String(_) => ("s", value.to_string()),
        Value::Number(number) => ("n", number.to_string()),
        Value::Bool(truth) => ("n", truth.to_string()),
        Value::Null => ("z", "null".to_owned()),
        Value::Object(_) => ("z", "{ }".to_owned()),
        Value::Array(_) => ("z", "[ ]".to_owned()),
    }
}

fn signed(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
