//! Sizes as people write them: `512`, `64kb`, `1.5mb`. A unit is 1,024 times the one before it, as
//! on the pages.

const UNITS: [(&str, i64); 4] = [("gb", 1_073_741_824), ("mb", 1_048_576), ("kb", 1_024), ("b", 1)];

/// Far above any body, and exact as a floating-point number.
const MOST_BYTES: f64 = 1e15;

/// Bytes in a size; `64kib` is `64kb`.
pub(super) fn read_size(text: &str) -> Option<i64> {
    let lower = text.to_ascii_lowercase();
    let end = lower.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(lower.len());
    let (number, unit) = lower.split_at(end);
    let factor = match unit {
        "" => 1,
        "k" | "kib" => 1_024,
        "m" | "mib" => 1_048_576,
        "g" | "gib" => 1_073_741_824,
        unit => UNITS.iter().find(|(name, _)| *name == unit)?.1,
    };
    #[expect(clippy::cast_precision_loss, reason = "the factors are powers of two")]
    let bytes = number.parse::<f64>().ok()? * factor as f64;
    #[expect(clippy::cast_possible_truncation, reason = "bounded on the same line")]
    (bytes <= MOST_BYTES).then(|| bytes.round() as i64)
}

/// Bytes in the largest unit that needs no fraction.
pub(super) fn size(bytes: i64) -> String {
    UNITS
        .iter()
        .find(|(_, factor)| bytes > 0 && bytes % factor == 0)
        .filter(|(unit, _)| *unit != "b")
        .map_or_else(|| bytes.to_string(), |(unit, factor)| format!("{}{unit}", bytes / factor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_written() {
        for (text, bytes, written) in [
            ("512", 512, "512"),
            ("64KB", 65_536, "64kb"),
            ("1.5mb", 1_572_864, "1536kb"),
            ("1GiB", 1_073_741_824, "1gb"),
            ("0", 0, "0"),
            ("7b", 7, "7"),
        ] {
            assert_eq!(read_size(text), Some(bytes), "{text}");
            assert_eq!(size(bytes), written);
        }
        for text in ["", "kb", "-1", "1tb", "1 kb", ".", "1e3", "9999999gb"] {
            assert_eq!(read_size(text), None, "{text}");
        }
    }
}
