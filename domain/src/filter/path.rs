//! A path into headers or a JSON body.
//!
//! A name leads into an object, or into each object of an array. At the end an array stands for
//! its values. In both places this is so for one array, not for arrays within arrays: it is what
//! Postgres' own paths do, and memory and database must agree.

use serde_json::Value;

/// More names in a path than any message needs.
pub const MOST_STEPS: usize = 16;

/// Names to follow, one after the other; at least one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Path(Vec<String>);

impl Path {
    /// A path of these names; none when there are no names or too many.
    #[must_use]
    pub fn of(steps: Vec<String>) -> Option<Self> {
        (1..=MOST_STEPS).contains(&steps.len()).then_some(Self(steps))
    }

    /// The names.
    #[must_use]
    pub fn steps(&self) -> &[String] {
        &self.0
    }

    /// The path in the language of Postgres' `jsonpath`. Names become its quoted strings.
    #[must_use]
    pub fn to_jsonpath(&self) -> String {
        let mut path = "lax $".to_owned();
        for step in &self.0 {
            path.push('.');
            path.push_str(&Value::from(step.as_str()).to_string());
        }
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn values(path: &[&str], document: &Value) -> Vec<Value> {
        let steps = path.iter().map(|step| (*step).to_owned()).collect();
        let path = Path::of(steps).expect("a path");
        path.values(document).cloned().collect()
    }

    #[test]
    fn any_element_of_an_array_will_do() {
        let order = json!({"items": [{"sku": "a"}, {"sku": ["b", "c"]}, [{"sku": "deep"}], 7]});
        assert_eq!(values(&["items", "sku"], &order), [json!("a"), json!("b"), json!("c")]);
        assert_eq!(values(&["items", "price"], &order), [json!(null); 0]);
        assert_eq!(values(&["a"], &json!([{"a": 1}, {"a": 2}])), [1, 2]);
    }

    #[test]
    fn names_stay_within_their_quotes() {
        let path = Path::of(vec!["a\" ? (1==1) \"".into(), "ü\n\\".into()]).expect("a path");
        assert_eq!(path.to_jsonpath(), r#"lax $."a\" ? (1==1) \""."ü\n\\""#);
    }
}
