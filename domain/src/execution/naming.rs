//! Where a source's messages name the execution that they are about, and what is done with it.

use serde::{Deserialize, Serialize};

use super::report::is_name;
use crate::arrival::Delivered;
use crate::death::Reason;
use crate::decoding::{Contents, MessageTypes, Values};
use crate::named;
use crate::reading::Reading;

/// The largest body that is looked into, in bytes.
const MOST_BODY_BYTES: usize = 1024 * 1024;

/// The longest path or name, in bytes.
const MOST_PATH_BYTES: usize = 255;

/// Where a message names its execution. With neither a path nor a header the dead-letter handler
/// leaves a source's letters alone.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ExecutionNaming {
    /// A JSON pointer (RFC 6901) into the body, such as `/payload/execution_id`.
    pub path: Option<String>,
    /// A header that holds it; asked first.
    pub header: Option<String>,
    /// Only messages of this type are about executions; any when it is left out.
    pub message_type: Option<String>,
    /// A letter that died for one of these reasons goes to another worker, as long as its execution has
    /// attempts left. For all others, and without any, the execution is failed.
    pub reschedule_on: Vec<Reason>,
}

/// Why a naming cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NamingFault {
    /// It is no pointer.
    #[error(
        "`executions.path` is a JSON pointer such as /payload/execution_id: it begins with `/`, has \
         at most {MOST_PATH_BYTES} bytes, and `~` stands before 0 or 1 only"
    )]
    Path,
    /// AMQP names are short.
    #[error("`executions.{0}` has 1 to {MOST_PATH_BYTES} bytes, and no NUL character")]
    Name(&'static str),
    /// It says what to do with what is never found.
    #[error("`executions` names neither a path nor a header, so no letter names an execution")]
    Nowhere,
}

impl ExecutionNaming {
    /// Whether letters of the source name executions at all.
    #[must_use]
    pub fn is_asked(&self) -> bool {
        self.path.is_some() || self.header.is_some()
    }

    /// Checks paths and names.
    ///
    /// # Errors
    /// The first fault.
    pub fn check(&self) -> Result<(), NamingFault> {
        if self.path.as_deref().is_some_and(|path| !is_pointer(path)) {
            return Err(NamingFault::Path);
        }
        let names = [("header", &self.header), ("message_type", &self.message_type)];
        for (member, name) in names {
            let fits =
                |name: &String| (1..=MOST_PATH_BYTES).contains(&name.len()) && !name.contains('\0');
            if name.as_ref().is_some_and(|name| !fits(name)) {
                return Err(NamingFault::Name(member));
            }
        }
        let says_more = self.message_type.is_some() || !self.reschedule_on.is_empty();
        if says_more && !self.is_asked() {
            return Err(NamingFault::Nowhere);
        }
        Ok(())
    }

    /// The execution that a message names. Nothing is named by a message of another type, by a body
    /// that is not JSON or too large, and by what cannot be a name: it is a letter like any other.
    #[must_use]
    pub fn read(
        &self,
        delivered: &Delivered,
        reading: &Reading,
        types: &MessageTypes,
    ) -> Option<String> {
        let kind = &reading.message_type;
        if !self.is_asked() || self.message_type.is_some() && self.message_type != *kind {
            return None;
        }
        let name = self.in_header(delivered).or_else(|| self.in_body(delivered, reading, types));
        name.filter(|name| is_name(name))
    }

    fn in_header(&self, delivered: &Delivered) -> Option<String> {
        let value = delivered.headers.get(self.header.as_deref()?)?;
        let text = value.as_text().and_then(|text| text.as_str());
        text.map(ToOwned::to_owned)
            .or_else(|| value.as_integer().map(|number| number.to_string()))
            .filter(|name| !name.is_empty())
    }

    fn in_body(
        &self,
        delivered: &Delivered,
        reading: &Reading,
        types: &MessageTypes,
    ) -> Option<String> {
        let path = self.path.as_deref()?;
        let name = |values: &Values| named::text_of(&values.at(&delivered.body, path)?);
        match &reading.contents.values {
            Some(values) => name(values),
            // A body that is too large for searching may name one all the same.
            None => name(&Contents::up_to(delivered, types, MOST_BODY_BYTES).values?),
        }
    }
}

fn is_pointer(path: &str) -> bool {
    let mut tildes = path.split('~').skip(1);
    path.starts_with('/')
        && path.len() <= MOST_PATH_BYTES
        && !path.contains('\0')
        && tildes.all(|after| after.starts_with(['0', '1']))
}
