//! What of letters the index of texts has. Searches find the rest too, as far back as their time reaches.

use super::file::Reader;
use super::value::{number, switch};
use crate::store::texts::IndexedParts;

/// As much of a body as searches read.
const MOST_BODY_BYTES: i32 = 256 * 1024;

/// The section `[search]`.
pub(super) fn read(reader: &mut Reader<'_>) -> IndexedParts {
    let usual = IndexedParts::default();
    let mut table = reader.table("search");
    let headers =
        reader.setting(&mut table, "index_headers", Some("DLO_SEARCH_INDEX_HEADERS"), switch);
    let body_bytes = reader.setting(
        &mut table,
        "index_body_bytes",
        Some("DLO_SEARCH_INDEX_BODY_BYTES"),
        number(0, MOST_BODY_BYTES),
    );
    reader.close(table);
    IndexedParts {
        headers: headers.unwrap_or(usual.headers),
        body_bytes: body_bytes.unwrap_or(usual.body_bytes),
    }
}
