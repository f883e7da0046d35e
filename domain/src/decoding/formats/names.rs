//! Types by their names.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Places of types in a list, by their names.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct TypeNames {
    full: HashMap<String, usize>,
    /// By the ends of their names behind a `.`; `None` where several end so.
    endings: HashMap<String, Option<usize>>,
}

impl TypeNames {
    /// The place of the type of a full name: `own` where the name is new.
    pub(super) fn place_of(&mut self, name: &str, own: usize) -> usize {
        match self.full.entry(name.to_owned()) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(free) => *free.insert(own),
        }
    }

    /// Has a type found by the ends of its name, too.
    pub(super) fn add_endings(&mut self, name: &str, place: usize) {
        for (dot, _) in name.match_indices('.') {
            let ending = self.endings.entry(name[dot + 1..].to_owned());
            ending.and_modify(|known| *known = None).or_insert(Some(place));
        }
    }

    /// The place of the type that a name means: its full name, also behind a `/` as in `type.googleapis.com/`, or the
    /// last part of it where no other type ends so.
    pub(super) fn named(&self, name: &str) -> Option<usize> {
        let name = name.trim();
        let name = name.rsplit_once('/').map_or(name, |(_, name)| name).trim_start_matches('.');
        self.full.get(name).copied().or_else(|| self.endings.get(name).copied().flatten())
    }
}
