//! Paths into JSON, in Postgres' `jsonpath`. The path's names are quoted strings of it, and the
//! whole is a parameter; the values are its variables.

use dlo_domain::filter::{Comparison, Decimal, Path, Pattern, Test, Value};

use super::columns::like;
use super::{Sql, joined, sign};

/// Writes that what a path leads to in a document passes a test.
pub(super) fn write(sql: &mut Sql, document: &str, path: &Path, test: &Test) {
    match test {
        Test::Exists => write_exists(sql, document, path.to_jsonpath(), &[]),
        Test::Is(values) => joined(sql, " or ", values, |sql, value| {
            if let Value::Text(pattern) = value {
                write_text(sql, document, path, pattern);
            } else {
                sql.push("false");
            }
        }),
        Test::Compare(side, value) => {
            let condition = format!("@ {} $low", sign(*side));
            write_number(sql, document, path, &condition, &[("low", value)]);
        }
        Test::Between(low, high) => {
            let condition = format!(
                "@ {} $low && @ {} $high",
                sign(Comparison::AtLeast),
                sign(Comparison::AtMost)
            );
            write_number(sql, document, path, &condition, &[("low", low), ("high", high)]);
        }
    }
}

/// A variable of a path.
enum Variable {
    Text(&'static str, String),
    Number(&'static str, String),
}

fn write_exists(sql: &mut Sql, document: &str, path: String, variables: &[Variable]) {
    sql.push("jsonb_path_exists(").push(document).push(", ");
    write_path(sql, path, variables);
    sql.push(")");
}

/// The arguments after the document. What does not fit the path is passed over, not an error.
fn write_path(sql: &mut Sql, path: String, variables: &[Variable]) {
    sql.push_bind(path).push("::jsonpath, jsonb_build_object(");
    for (place, variable) in variables.iter().enumerate() {
        if place > 0 {
            sql.push(", ");
        }
        match variable {
            Variable::Text(name, text) => {
                sql.push("'").push(name).push("', ");
                sql.push_bind(text.clone()).push("::text");
            }
            Variable::Number(name, number) => {
                sql.push("'").push(name).push("', ");
                sql.push_bind(number.clone()).push("::numeric");
            }
        }
    }
    sql.push("), true");
}

/// Texts are compared as texts, numbers by value, and `true`, `false` and `null` by their words.
fn write_text(sql: &mut Sql, document: &str, path: &Path, pattern: &Pattern) {
    let path = path.to_jsonpath();
    let Some(text) = pattern.as_literal() else {
        sql.push("exists (select from jsonb_path_query(").push(document).push(", ");
        write_path(sql, format!("{path} ? (@.type() == \"string\")"), &[]);
        sql.push(") as f (found) where f.found #>> '{}' like ").push_bind(like(pattern)).push(")");
        return;
    };
    let mut condition = "@.type() == \"string\" && @ == $text".to_owned();
    let mut variables = vec![Variable::Text("text", text.to_owned())];
    if let Ok(number) = text.parse::<Decimal>() {
        condition.push_str(" || @.type() == \"number\" && @ == $number");
        variables.push(Variable::Number("number", number.to_string()));
    }
    condition.push_str(match text {
        "true" => " || @.type() == \"boolean\" && @ == true",
        "false" => " || @.type() == \"boolean\" && @ == false",
        "null" => " || @.type() == \"null\"",
        _ => "",
    });
    write_exists(sql, document, format!("{path} ? ({condition})"), &variables);
}

fn write_number(
    sql: &mut Sql,
    document: &str,
    path: &Path,
    condition: &str,
    ends: &[(&'static str, &Value)],
) {
    let variables: Vec<Variable> = ends
        .iter()
        .filter_map(|(name, value)| match value {
            Value::Number(number) => Some(Variable::Number(name, number.to_string())),
            _ => None,
        })
        .collect();
    let path = path.to_jsonpath();
    let path = format!("{path} ? (@.type() == \"number\" && {condition})");
    write_exists(sql, document, path, &variables);
}
