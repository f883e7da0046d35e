//! Members of a value that are packed by themselves, taken apart where they stand: what is around them stays.

use serde_json::Value;

use super::super::charset::read_text;
use super::super::document::{Document, read_document};
use super::super::formats::php;
use super::super::known_types::KnownTypes;
use super::super::labels::Labels;
use super::super::step::{Evidence, Format, Step};
use super::super::unpacking::unpack;
use super::Envelope;
use super::inside::base64;

/// The most that is unpacked, in bytes.
const MOST_BYTES: usize = 256 * 1024;

/// A member that was taken apart.
#[derive(Debug, Clone, PartialEq)]
pub struct PackedMember {
    /// Which one: `data.command`.
    pub name: &'static str,
    /// How it was read.
    pub steps: Vec<Step>,
}

/// Takes apart what is packed within a value: the command of a Laravel job, which is serialised PHP within JSON, and the
/// `data_base64` of an event of CloudEvents, which becomes its `data`. `None` if there is neither, or it cannot be read.
pub fn take_apart(value: &mut Value, known: KnownTypes<'_>) -> Option<PackedMember> {
    take_apart_command(value).or_else(|| take_apart_data(value, known))
}

fn take_apart_command(value: &mut Value) -> Option<PackedMember> {
    value.get("job").filter(|job| job.is_string())?;
    let command = value.get_mut("data")?.get_mut("command")?;
    let text = command.as_str().filter(|text| php::may_begin(text.as_bytes()))?;
    let name = "data.command";
    let mut step = Step::new(Format::Php, Evidence::Shape, text.len());
    step.detail = Some(name.to_owned());
    *command = php::read(text.as_bytes()).ok()?;
    Some(PackedMember { name, steps: vec![step] })
}

fn take_apart_data(value: &mut Value, known: KnownTypes<'_>) -> Option<PackedMember> {
    Envelope::of(value).filter(|of| *of == Envelope::CloudEvents && value.get("data").is_none())?;
    let text = |name| value.get(name).and_then(Value::as_str);
    let body = base64(text("data_base64")?)?;
    let content_type = text("datacontenttype");
    let names: Vec<&str> = [text("dataschema"), text("type")].into_iter().flatten().collect();
    let known = known.within().naming(content_type, &names);
    let labels = Labels { content_type, content_encoding: None, known };
    let unpacked = unpack(labels, &body, true, MOST_BYTES);
    let name = "data_base64";
    let mut packed = Step::new(Format::Base64, Evidence::Label, body.len());
    packed.detail = Some(name.to_owned());
    let mut steps = vec![packed];
    steps.extend(unpacked.steps);
    let labels = Labels { known: unpacked.known, ..labels };
    let read = read_document(labels, &unpacked.bytes).document;
    let (step, data) = if let Some(Document { step, value, .. }) = read {
        (step, value)
    } else {
        let text = read_text(labels, &unpacked.bytes, unpacked.is_whole)?;
        (text.step, Value::from(text.text.into_owned()))
    };
    steps.push(step);
    value.as_object_mut()?.insert("data".to_owned(), data);
    Some(PackedMember { name, steps })
}
