//! Whether every reader of AMQP reads a content header alike, and keeps all of it. It is asked of every
//! message, so that nothing is allocated that is not needed, and nothing recurses.

use super::cursor::Cursor;
use super::header::{BEFORE_FLAGS, SHAPES, Shape, has_unknown, places};
use super::table::fixed_size;
use crate::wire::value::MOST_LEVELS;

/// Whether the payload of a content header frame has no fault, no name twice in one table, and
/// nothing that is nested deeper than [`MOST_LEVELS`].
#[must_use]
pub fn is_plain(payload: &[u8]) -> bool {
    header_is_plain(payload).unwrap_or(false)
}

/// `None` where the octets end too soon.
fn header_is_plain(payload: &[u8]) -> Option<bool> {
    let mut cursor = Cursor(payload);
    cursor.take(BEFORE_FLAGS)?;
    let flags = cursor.u16()?;
    if has_unknown(flags) {
        return Some(false);
    }
    for place in places(flags) {
        let is_plain = match SHAPES[place] {
            Shape::Short => std::str::from_utf8(cursor.short()?).is_ok(),
            Shape::Table => table_is_plain(cursor.long()?)?,
            Shape::Octet => cursor.take(1).is_some(),
            Shape::Time => cursor.take(8).is_some(),
        };
        if !is_plain {
            return Some(false);
        }
    }
    Some(cursor.is_empty())
}

/// A table or an array that is being read.
struct Scope {
    /// How many octets are left behind its end.
    behind: usize,
    /// How many names were known before it.
    names: usize,
    is_table: bool,
}

fn table_is_plain(octets: &[u8]) -> Option<bool> {
    let mut cursor = Cursor(octets);
    let mut names: Vec<&[u8]> = Vec::new();
    let mut scopes = vec![Scope { behind: 0, names: 0, is_table: true }];
    while let Some(scope) = scopes.last() {
        let left = cursor.0.len().checked_sub(scope.behind)?;
        if left == 0 {
            if has_repeated(&mut names[scope.names..]) {
                return Some(false);
            }
            names.truncate(scope.names);
            scopes.pop();
            continue;
        }
        if scope.is_table {
            let name = cursor.short()?;
            if std::str::from_utf8(name).is_err() {
                return Some(false);
            }
            names.push(name);
        }
        let letter = cursor.octet()?;
        match letter {
            b'S' | b'x' => {
                cursor.long()?;
            }
            b'A' | b'F' => {
                // The headers themselves are the first scope.
                if scopes.len() > MOST_LEVELS {
                    return Some(false);
                }
                let mut ahead = cursor;
                let inside = ahead.long()?;
                cursor.take(cursor.0.len() - ahead.0.len() - inside.len())?;
                scopes.push(Scope {
                    behind: ahead.0.len(),
                    names: names.len(),
                    is_table: letter == b'F',
                });
            }
            _ => {
                cursor.take(fixed_size(letter)?)?;
            }
        }
    }
    Some(true)
}

fn has_repeated(names: &mut [&[u8]]) -> bool {
    names.sort_unstable();
    names.windows(2).any(|pair| pair[0] == pair[1])
}
