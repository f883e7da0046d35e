//! Python's pickle, taken apart: a program for a small machine, of which only what builds values is followed, and
//! nothing is looked up or called (`Lib/pickletools.py`, protocols 0 to 5).
//!
//! An object is its members beside `$class`, `$arguments` and `$state`. Tuples and sets are lists.

mod machine;
mod operands;
mod written;

use serde_json::Value;

use self::machine::Machine;

/// Reads bytes that are one value and nothing else.
pub fn read(bytes: &[u8]) -> Result<Value, String> {
    let mut machine = Machine::new(bytes);
    let root = machine.run()?;
    written::write(&machine.into_nodes(), root)
}

/// Whether bytes that nobody calls so begin as one of protocol 2 or later, and end as one.
pub fn may_begin(bytes: &[u8]) -> bool {
    matches!(bytes, [0x80, 2..=5, .., b'.'])
}

#[cfg(test)]
mod tests;
