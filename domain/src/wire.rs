//! What AMQP 0.9.1 carries beside the body: field tables and basic properties.
//!
//! Both turn into type-tagged JSON and back without loss: every AMQP type keeps its name, bytes
//! that are not text (or hold NUL, which Postgres' `jsonb` refuses) become base64, and floats
//! that JSON cannot say become their bits. A table is a list of entries, since a JSON object
//! would neither keep the order nor allow every name.

mod excerpt;
mod json;
mod octets;
mod properties;
mod text;
mod value;

pub use json::WireJsonError;
pub use octets::{ContentHeader, WireFault};
pub use properties::Properties;
pub use text::WireText;
pub use value::{Field, FieldTable, FieldValue, MOST_LEVELS};

#[cfg(test)]
mod tests;
