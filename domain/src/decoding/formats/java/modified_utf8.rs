//! Java's own UTF-8.

/// Reads it: NUL takes two octets, and what is above U+FFFF two times three.
pub(super) fn modified_utf8(octets: &[u8]) -> String {
    if let Ok(text) = std::str::from_utf8(octets) {
        return text.to_owned();
    }
    let mut units = Vec::new();
    let mut rest = octets;
    while let Some((first, after)) = rest.split_first() {
        let part = |octet: Option<&u8>| octet.map_or(0, |octet| u16::from(octet & 0x3f));
        let first = u16::from(*first);
        let (unit, length) = match first {
            0xc0..=0xdf => ((first & 0x1f) << 6 | part(after.first()), 1),
            0xe0..=0xef => {
                ((first & 0x0f) << 12 | part(after.first()) << 6 | part(after.get(1)), 2)
            }
            other => (other, 0),
        };
        units.push(unit);
        rest = after.get(length..).unwrap_or_default();
    }
    String::from_utf16_lossy(&units)
}
