//! Names that lie about themselves: with characters that nobody sees, or that turn the others around.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Characters that nobody sees. They are allowed wherever text is: in names of queues, headers and bodies.
pub const UNSEEN: [char; 6] = [
    '\u{202e}', '\u{2066}', '\u{200b}', '\u{1}', '\u{feff}', '\u{9f}',
];

/// All of them behind one another.
pub fn unseen() -> String {
    UNSEEN.iter().collect()
}

/// Texts that are the office's own.
const OWN: [&str; 2] = ["/body_sha256", "/action"];

/// The same with every text of it made odd that stays what it is: no id, no time, no word of a state.
pub fn odd<T: Serialize + DeserializeOwned>(usual: &T) -> T {
    let mut value = serde_json::to_value(usual).expect("JSON");
    for place in places(&value, String::new()) {
        if OWN.iter().any(|own| place.ends_with(own)) {
            continue;
        }
        let text = value.pointer(&place).and_then(Value::as_str);
        let text = text.expect("a text of it").to_owned();
        set(&mut value, &place, format!("{text}{}", unseen()));
        if serde_json::from_value::<T>(value.clone()).is_err() {
            set(&mut value, &place, text);
        }
    }
    serde_json::from_value(value).expect("what it was")
}

fn set(value: &mut Value, place: &str, text: String) {
    *value.pointer_mut(place).expect("a place of it") = Value::String(text);
}

/// Pointers to the texts in a value.
fn places(value: &Value, at: String) -> Vec<String> {
    match value {
        Value::String(_) => vec![at],
        Value::Array(items) => {
            let items = items.iter().enumerate();
            let of = |(place, item)| places(item, format!("{at}/{place}"));
            items.flat_map(of).collect()
        }
        Value::Object(members) => {
            let of = |(name, member): (&String, &Value)| {
                let name = name.replace('~', "~0").replace('/', "~1");
                places(member, format!("{at}/{name}"))
            };
            members.iter().flat_map(of).collect()
        }
        _ => Vec::new(),
    }
}

/// What a page shows, names and says aloud: its HTML without scripts, without what forms send and without
/// addresses, all of which keep the true characters.
pub fn shown(page: &str) -> String {
    let mut page = page.to_owned();
    for (begins, ends) in [
        ("<script", "</script>"),
        ("<textarea", "</textarea>"),
        (" value=\"", "\""),
        (" href=\"", "\""),
    ] {
        page = without(&page, begins, ends);
    }
    page
}

fn without(page: &str, begins: &str, ends: &str) -> String {
    let mut parts = page.split(begins);
    let mut left = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (_, behind) = part.split_once(ends).expect("its end");
        left.push_str(behind);
    }
    left
}

/// Each unseen character of a page with what stands before it.
pub fn found(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut was_one = false;
    for (place, letter) in page.char_indices() {
        let is_one = UNSEEN.contains(&letter);
        if is_one && !was_one {
            let before = page[..place].chars().rev().take(100);
            let before: Vec<char> = before.collect();
            let before: String = before.into_iter().rev().collect();
            found.push(format!("{before}{}", letter.escape_unicode()));
        }
        was_one = is_one;
    }
    found
}
