//! Where the boxes of the map stand, and how much of a name fits in.

use std::collections::BTreeMap;

use dlo_domain::visible_text::visible;

/// From one row to the next.
pub(super) const ROW: i32 = 48;
/// Of a box.
pub(super) const HEIGHT: i32 = 32;
/// The first row.
pub(super) const TOP: i32 = 20;

/// Boxes of a column, by name: the middle of each.
pub(super) type Places<'a> = BTreeMap<&'a str, i32>;

/// Places boxes as near as can be to the middle of what leads to them, none upon another.
pub(super) fn spread<'a>(leading: impl Iterator<Item = (&'a str, i32)>) -> Places<'a> {
    let mut by_name: BTreeMap<&str, (i32, i32)> = BTreeMap::new();
    for (name, row) in leading {
        let (sum, count) = by_name.entry(name).or_default();
        (*sum, *count) = (*sum + row, *count + 1);
    }
    let mut wished: Vec<(i32, &str)> =
        by_name.into_iter().map(|(name, (sum, count))| (sum / count, name)).collect();
    wished.sort_unstable();
    let mut free = TOP + HEIGHT / 2;
    let placed = wished.into_iter().map(|(wish, name)| {
        let middle = wish.max(free);
        free = middle + ROW;
        (name, middle)
    });
    placed.collect()
}

/// A name that fits; its end tells more than its middle.
pub(super) fn cut(name: &str, fits: usize) -> String {
    let name = visible(name);
    let count = name.chars().count();
    if count <= fits {
        return name.into_owned();
    }
    let tail = fits / 2;
    let head: String = name.chars().take(fits - tail - 1).collect();
    let tail: String = name.chars().skip(count - tail).collect();
    format!("{head}…{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_stand_where_their_lines_come_from_and_not_upon_each_other() {
        let places = spread([("a", 36), ("b", 36), ("b", 84), ("c", 40)].into_iter());
        let mut middles: Vec<i32> = places.values().copied().collect();
        middles.sort_unstable();
        assert_eq!(places["a"], 36);
        assert!(middles.windows(2).all(|two| two[1] - two[0] >= ROW), "{middles:?}");
    }

    #[test]
    fn long_names_keep_their_ends() {
        assert_eq!(cut("orders.dead", 20), "orders.dead");
        assert_eq!(cut("\u{202e}dead", 20), "⟨U+202E⟩dead");
        assert_eq!(cut("a-very-long-name.dead", 11), "a-ver….dead");
        assert_eq!(cut("äöüäöüäöü", 5), "äö…öü");
    }
}
