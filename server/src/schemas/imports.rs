//! Files by the paths by which others import them.

use std::collections::{BTreeMap, BTreeSet};

/// The same files, each under the path by which others import it: people upload `protos/shop/orders.proto`, which is
/// imported as `shop/orders.proto`, and browsers send `orders.proto` alone. A file that nobody imports, or several that may be meant, stay.
pub(super) fn as_imported(files: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let imported: BTreeSet<&str> = files.values().flat_map(|text| imports(text)).collect();
    let missing = imported.iter().filter(|path| !files.contains_key(**path));
    let mut renamed = files.clone();
    for path in missing {
        let mut ends = files.keys().filter(|own| is_below(own, path));
        if let (Some(own), None) = (ends.next(), ends.next())
            && let Some(text) = renamed.remove(own)
        {
            renamed.insert((*path).to_owned(), text);
        }
    }
    renamed
}

fn is_below(own: &str, path: &str) -> bool {
    let ends = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|before| before.ends_with('/'))
    };
    ends(own, path) || ends(path, own)
}

/// The paths that a file imports.
fn imports(text: &str) -> impl Iterator<Item = &str> {
    text.split(['\n', ';']).filter_map(|part| {
        let rest = part.trim_start().strip_prefix("import")?.trim_start();
        let rest =
            rest.strip_prefix("public").or_else(|| rest.strip_prefix("weak")).unwrap_or(rest);
        let rest = rest.trim_start();
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        rest[1..].split_once(quote).map(|(path, _)| path)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
    }

    #[test]
    fn a_file_gets_the_path_by_which_it_is_imported() {
        let uploaded = files(&[
            (
                "protos/shop/orders.proto",
                "import \"shop/money.proto\";\n import public 'common.proto';",
            ),
            ("protos/shop/money.proto", ""),
            ("a/common.proto", ""),
            ("b/common.proto", ""),
        ]);
        let paths: Vec<String> = as_imported(&uploaded).into_keys().collect();
        let wanted =
            ["a/common.proto", "b/common.proto", "protos/shop/orders.proto", "shop/money.proto"];
        assert_eq!(paths, wanted);
    }
}
