//! Values as nested disclosures: they open and close without a script. Each value leads to the letters that have the
//! same one.

use dlo_domain::filter::{Path, Pattern, Subject, Term, Test, Value as Sought};
use leptos::prelude::*;
use serde_json::Value;

use crate::links;
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

/// The longest text that letters are looked for by from here, in bytes.
const MOST_SOUGHT_BYTES: usize = 200;

/// A page.
#[component]
pub(super) fn ValueTree(
    /// The page.
    value: Value,
    /// Whether letters can be looked for by its values.
    is_sought: bool,
) -> impl IntoView {
    let mut tree = Tree { left: MOST, steps: Vec::new(), arrays: 0, is_sought };
    let nodes = tree.node(None, &value, 0);
    let rest = (tree.left == 0).then(|| {
        view! { <p class="note-line">"The tree stops after " {MOST} " values. The text has them all."</p> }
    });
    view! {
        <div class="tree">{nodes}</div>
        {rest}
    }
    .into_any()
}

/// A tree in the making.
struct Tree {
    /// Values that may be shown yet.
    left: usize,
    /// The names of members that lead here.
    steps: Vec<String>,
    /// How many lists lie directly within each other here. A filter looks into one.
    arrays: usize,
    is_sought: bool,
}

impl Tree {
    fn node(&mut self, name: Option<&str>, value: &Value, depth: usize) -> AnyView {
        self.left = self.left.saturating_sub(1);
        match value {
            Value::Object(members) if !members.is_empty() && depth < DEEPEST => {
                let summary = format!("{{ {} }}", counted(signed(members.len()), "member"));
                let children = self.members(members, depth);
                branch(name, &summary, children, depth, members.len())
            }
            Value::Array(items) if !items.is_empty() && depth < DEEPEST => {
                let summary = format!("[ {} ]", counted(signed(items.len()), "item"));
                self.arrays += 1;
                let mut children = Vec::new();
                for (index, value) in items.iter().enumerate() {
                    if self.left == 0 {
                        break;
                    }
                    children.push(self.node(Some(&index.to_string()), value, depth + 1));
                }
                self.arrays -= 1;
                branch(name, &summary, children, depth, items.len())
            }
            leaf => self.leaf(name, leaf),
        }
    }

    fn members(&mut self, members: &serde_json::Map<String, Value>, depth: usize) -> Vec<AnyView> {
        // What lies too deep in lists is not found, and neither is what lies within it.
        let arrays = if self.arrays > 1 { self.arrays } else { 0 };
        let arrays = std::mem::replace(&mut self.arrays, arrays);
        let mut children = Vec::new();
        for (name, value) in members {
            if self.left == 0 {
                break;
            }
            self.steps.push(name.clone());
            children.push(self.node(Some(name), value, depth + 1));
            self.steps.pop();
        }
        self.arrays = arrays;
        children
    }

    fn leaf(&self, name: Option<&str>, value: &Value) -> AnyView {
        let key = name.map(|name| view! { <span class="k">{show_line(name)}</span> ": " });
        let (class, text) = scalar(value);
        let text = show_line(&text);
        let path = self.path();
        let sought = path.clone().and_then(|path| same(path, value));
        let shown = match sought {
            Some(filter) => {
                let href = links::with_query(links::LETTERS, [("q", filter.as_str())]);
                view! {
                    <a class=class href=href title="Letters with this value">
                        {text}
                    </a>
                }
                .into_any()
            }
            None => view! { <span class=class>{text}</span> }.into_any(),
        };
        let copy = path.map(|path| {
            let path = Subject::Body(path).to_string();
            let label = format!("copy path {}", show_line(&path));
            view! {
                <button class="copy needs-script" type="button" data-copy=path aria-label=label>
                    "copy path"
                </button>
            }
        });
        view! { <span class="leaf">{key} {shown} {copy}</span> }.into_any()
    }

    /// The way to what stands here, as a filter goes it. `None` if no filter comes here.
    fn path(&self) -> Option<Path> {
        Path::of(self.steps.clone()).filter(|_| self.is_sought && self.arrays <= 1)
    }
}

/// The filter that means the letters with this value in this place.
fn same(path: Path, value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) if text.len() <= MOST_SOUGHT_BYTES => text.clone(),
        Value::Number(_) | Value::Bool(_) | Value::Null => value.to_string(),
        _ => return None,
    };
    let value = Sought::Text(Pattern::literal(&text));
    let term = Term { subject: Subject::Body(path), test: Test::Is(vec![value]) };
    Some(term.to_string())
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

#[cfg(test)]
mod tests {
    use dlo_domain::filter::LetterFilter;
    use serde_json::json;

    use super::*;

    /// What the values of a page lead to, and the paths that are copied.
    fn leads(value: Value, is_sought: bool) -> (Vec<String>, Vec<String>) {
        let html = view! { <ValueTree value is_sought /> }.into_any().to_html();
        let parts = |name: &str| -> Vec<String> {
            let begin = format!(" {name}=\"");
            let parts = html.split(&begin).skip(1);
            parts.map(|part| part.split('"').next().unwrap_or_default().to_owned()).collect()
        };
        (parts("href"), parts("data-copy"))
    }

    #[test]
    fn a_value_leads_to_the_letters_that_have_the_same() {
        let order = json!({"id": 42, "lines": [{"sku": "A 17"}], "paid": false, "tags": ["new"]});
        let (hrefs, paths) = leads(order, true);
        let expected = ["body.id", "body.lines.sku", "body.paid", "body.tags"];
        assert_eq!(paths, expected);
        assert_eq!(hrefs[0], "/letters?q=body.id:42");
        assert!(hrefs[1].starts_with("/letters?q=body.lines.sku:%22A"), "{hrefs:?}");
        assert_eq!(hrefs.len(), 4);
    }

    #[test]
    fn a_name_or_value_of_signs_is_read_as_it_is() {
        for value in ["*", "a\"b\\c", "(x)", "1..2", "", ">7"] {
            let path = Path::of(vec!["odd: \"name\".*".to_owned()]).expect("a path");
            let filter = same(path.clone(), &json!(value)).expect("a filter");
            let read = LetterFilter::parse(&filter).expect("is read back");
            let Some(dlo_domain::filter::Expr::Term(term)) = read.root() else {
                panic!("{filter}: {read:?}");
            };
            assert_eq!(term.subject, Subject::Body(path));
            assert_eq!(
                term.test,
                Test::Is(vec![Sought::Text(Pattern::literal(value))]),
                "{filter}"
            );
        }
    }

    #[test]
    fn what_no_filter_finds_leads_nowhere() {
        let none = (Vec::<String>::new(), Vec::<String>::new());
        assert_eq!(leads(json!({"id": 42}), false), none);
        assert_eq!(leads(json!([[{"deep": 1}], [2]]), true), none);
        let (hrefs, paths) = leads(json!({"text": "x".repeat(201), "none": {}}), true);
        assert_eq!((hrefs, paths), (vec![], vec!["body.none".to_owned(), "body.text".to_owned()]));
        let (hrefs, _) = leads(json!([{"id": 1}]), true);
        assert_eq!(hrefs, ["/letters?q=body.id:1"]);
    }
}
