//! The sources that the configuration names.

use std::collections::HashSet;

use dlo_domain::death::{Reason, UnknownReason};
use dlo_domain::execution::ExecutionNaming;
use dlo_domain::failure::HeaderMap;
use dlo_domain::source::{NewSource, SourceMode};

use crate::broker::Brokers;

use super::file::{Reader, Table};
use super::value::globs;

pub(super) fn read(reader: &mut Reader<'_>, brokers: &Brokers) -> Vec<NewSource> {
    let mut sources = Vec::new();
    let mut seen = HashSet::new();
    for mut table in reader.tables("sources") {
        let place = reader.place_of(&table);
        let source = read_one(reader, &mut table);
        reader.close(table);
        for fault in source.check().err().unwrap_or_default() {
            reader.fault(place.clone(), format!("[[sources]] {fault}"));
        }
        let broker = source.broker_name();
        if !brokers.0.contains_key(broker) {
            let known: Vec<_> = brokers.0.keys().map(String::as_str).collect();
            let known = match known.as_slice() {
                [] => "none is configured".to_owned(),
                names => format!("configured are {}", names.join(", ")),
            };
            reader.fault(place.clone(), format!("there is no broker `{broker}`: {known}"));
        }
        let key = (broker.to_owned(), source.vhost.clone(), source.queue.clone());
        if !seen.insert(key) {
            let why = format!("the queue `{}` is named twice: remove one of them", source.queue);
            reader.fault(place, why);
        }
        sources.push(source);
    }
    sources
}

fn read_one<'a>(reader: &mut Reader<'a>, table: &mut Table<'a>) -> NewSource {
    let text = |text: &str| Ok(text.to_owned());
    let vhost = reader.setting(table, "vhost", None, text);
    let queue = reader.setting(table, "queue", None, text);
    let mode = reader.setting(table, "mode", None, mode);
    let name = reader.setting(table, "name", None, text);
    let broker = reader.setting(table, "broker", None, text);
    let origins = reader.setting(table, "origins", None, globs);
    let mut names = reader.inner(table, "headers", "[sources.headers]");
    let headers = HeaderMap {
        error_class: reader.setting(&mut names, "error_class", None, text),
        error_message: reader.setting(&mut names, "error_message", None, text),
        stack_trace: reader.setting(&mut names, "stack_trace", None, text),
        queue: reader.setting(&mut names, "queue", None, text),
        message_type: reader.setting(&mut names, "message_type", None, text),
        business_key: reader.setting(&mut names, "business_key", None, text),
    };
    reader.close(names);
    let mut work = reader.inner(table, "executions", "[sources.executions]");
    let executions = ExecutionNaming {
        path: reader.setting(&mut work, "path", None, text),
        header: reader.setting(&mut work, "header", None, text),
        message_type: reader.setting(&mut work, "message_type", None, text),
        reschedule_on: reader
            .setting(&mut work, "reschedule_on", None, reasons)
            .unwrap_or_default(),
    };
    reader.close(work);
    NewSource {
        vhost: vhost.unwrap_or_else(|| "/".to_owned()),
        queue: queue.unwrap_or_default(),
        mode: mode.unwrap_or_default(),
        name,
        broker,
        headers,
        executions,
        origins: origins.unwrap_or_default(),
    }
}

/// Words with commas between them: a setting holds a single value.
fn reasons(text: &str) -> Result<Vec<Reason>, String> {
    let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
    words.map(|word| word.parse().map_err(|why: UnknownReason| why.to_string())).collect()
}

fn mode(text: &str) -> Result<SourceMode, String> {
    [SourceMode::Take, SourceMode::Mirror]
        .into_iter()
        .find(|mode| mode.as_str() == text)
        .ok_or_else(|| format!("`{text}` is neither take nor mirror"))
}
