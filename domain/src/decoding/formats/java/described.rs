//! How a stream describes classes.

/// A class.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Class {
    /// Its name, with dots.
    pub(super) name: String,
    /// How its objects are written.
    pub(super) flags: u8,
    /// Its own fields, in the order in which they are written.
    pub(super) fields: Vec<Field>,
    /// The class that it extends, by its place among those described.
    pub(super) parent: Option<usize>,
}

/// A field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field {
    /// Its type: a letter as in descriptors.
    pub(super) kind: u8,
    /// Its name.
    pub(super) name: String,
}

impl Class {
    /// Whether the class writes more than its fields, up to a sign of the end.
    pub(super) fn writes_itself(&self) -> bool {
        self.flags & 0x01 != 0
    }

    /// Whether its fields are written.
    pub(super) fn is_serializable(&self) -> bool {
        self.flags & 0x02 != 0
    }

    /// Whether it writes all of itself, and the stream tells where that ends.
    pub(super) fn is_external(&self) -> bool {
        self.flags & 0x04 != 0
    }

    /// Whether what it writes is in blocks whose lengths are told.
    pub(super) fn has_blocks(&self) -> bool {
        self.flags & 0x08 != 0
    }
}
