//! A field table with the AMQP type of each value.

use dlo_domain::wire::{FieldTable, FieldValue};
use leptos::prelude::*;

use crate::visible::{show_line, show_lines, show_name};
use crate::wording;

/// Tables within tables are shown this deep.
const DEEPEST: usize = 16;

/// Headers, or another field table.
#[component]
pub(super) fn WireTable(
    /// The table.
    table: FieldTable,
) -> impl IntoView {
    view! {
        <table class="ledger wire">
            <thead>
                <tr>
                    <th>"name"</th>
                    <th class="far">"AMQP type"</th>
                    <th>"value"</th>
                </tr>
            </thead>
            <tbody>
                {table
                    .0
                    .into_iter()
                    .map(|field| {
                        let kind = type_word(&field.value);
                        view! {
                            <tr>
                                <th scope="row">
                                    <span class="id">{show_name(&field.name.to_display())}</span>
                                    <div class="sub">{kind.clone()}</div>
                                </th>
                                <td class="fit far quiet">
                                    <small>{kind}</small>
                                </td>
                                <td class="id value">{value_view(&field.value)}</td>
                            </tr>
                        }
                    })
                    .collect_view()}
            </tbody>
        </table>
    }
    .into_any()
}

fn type_word(value: &FieldValue) -> String {
    value.type_name().replace('_', " ")
}

/// A value in its cell; what holds others is a tree.
fn value_view(value: &FieldValue) -> AnyView {
    match value {
        FieldValue::Table(_) | FieldValue::Array(_) => {
            view! { <div class="tree">{node(None, value, 0)}</div> }.into_any()
        }
        leaf => show_lines(&text(leaf)).into_any(),
    }
}

fn node(name: Option<String>, value: &FieldValue, depth: usize) -> AnyView {
    let key = name.map(|name| view! { <span class="k">{show_line(&name)}</span> ": " });
    let (summary, children) = match value {
        FieldValue::Table(table) if !table.0.is_empty() && depth < DEEPEST => {
            let entries = table.0.iter().map(|field| {
                let name = field.name.to_display().into_owned();
                node(Some(name), &field.value, depth + 1)
            });
            ("table of ", entries.collect::<Vec<_>>())
        }
        FieldValue::Array(items) if !items.is_empty() && depth < DEEPEST => {
            let entries = items
                .iter()
                .enumerate()
                .map(|(at, value)| node(Some(at.to_string()), value, depth + 1));
            ("array of ", entries.collect())
        }
        leaf => {
            return view! {
                <span class="leaf">
                    {key} <span class="s">{show_lines(&text(leaf))}</span> <span class="type">{type_word(leaf)}</span>
                </span>
            }
            .into_any();
        }
    };
    view! {
        <details open=depth < 2>
            <summary>
                {key} <span class="z">{summary} {children.len()}</span>
            </summary>
            <div>{children}</div>
        </details>
    }
    .into_any()
}

/// A value that holds no others, as text.
fn text(value: &FieldValue) -> String {
    match value {
        FieldValue::Boolean(truth) => truth.to_string(),
        FieldValue::Float(bits) => f32::from_bits(*bits).to_string(),
        FieldValue::Double(bits) => f64::from_bits(*bits).to_string(),
        FieldValue::Decimal { scale, value } => decimal(*scale, *value),
        FieldValue::ShortString(text) | FieldValue::LongString(text) => {
            text.to_display().into_owned()
        }
        FieldValue::Timestamp(seconds) => timestamp(*seconds),
        FieldValue::ByteArray(bytes) => byte_text(bytes),
        FieldValue::Void => "no value".to_owned(),
        FieldValue::Deep(octets) => format!("nested too deep to be shown, {} B", octets.len()),
        FieldValue::Table(_) => "an empty table".to_owned(),
        FieldValue::Array(_) => "an empty array".to_owned(),
        number => number.as_integer().map(|number| number.to_string()).unwrap_or_default(),
    }
}

/// Seconds since 1970 with the time they stand for.
pub(super) fn timestamp(seconds: u64) -> String {
    let time = i64::try_from(seconds)
        .ok()
        .and_then(|seconds| chrono::DateTime::from_timestamp(seconds, 0));
    match time {
        Some(time) => format!("{seconds} ({})", wording::absolute(time)),
        None => seconds.to_string(),
    }
}

fn decimal(scale: u8, value: u32) -> String {
    let digits = format!("{value:0>width$}", width = usize::from(scale) + 1);
    let (whole, fraction) = digits.split_at(digits.len() - usize::from(scale));
    if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") }
}

fn byte_text(bytes: &[u8]) -> String {
    let shown: Vec<String> = bytes.iter().take(64).map(|byte| format!("{byte:02x}")).collect();
    let more = if bytes.len() > 64 { " …" } else { "" };
    format!("{} B: {}{more}", bytes.len(), shown.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_read_as_their_sender_meant_them() {
        for (value, read) in [
            (FieldValue::Decimal { scale: 2, value: 250 }, "2.50"),
            (FieldValue::Decimal { scale: 3, value: 5 }, "0.005"),
            (FieldValue::Decimal { scale: 0, value: 7 }, "7"),
            (FieldValue::Double(1.5_f64.to_bits()), "1.5"),
            (FieldValue::Float(f32::NAN.to_bits()), "NaN"),
            (FieldValue::LongLongInt(-9), "-9"),
            (FieldValue::ByteArray(vec![0, 255]), "2 B: 00 ff"),
            (FieldValue::Void, "no value"),
            (FieldValue::Deep(vec![0; 7]), "nested too deep to be shown, 7 B"),
            (FieldValue::Timestamp(0), "0 (1970-01-01 00:00:00 UTC)"),
            (FieldValue::Timestamp(u64::MAX), "18446744073709551615"),
        ] {
            assert_eq!(text(&value), read);
        }
    }
}
