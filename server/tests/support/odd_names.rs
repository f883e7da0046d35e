//! Names that lie about themselves: with characters that nobody sees, or that turn the others around.

/// Characters that nobody sees. They are allowed wherever text is: in names of queues, headers and bodies.
pub const UNSEEN: [char; 6] = ['\u{202e}', '\u{2066}', '\u{200b}', '\u{1}', '\u{feff}', '\u{9f}'];

/// All of them behind one another.
pub fn unseen() -> String {
    UNSEEN.iter().collect()
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
        // What an island is told.
        (" data-props=\"", "\""),
        // What a button copies.
        (" data-copy=\"", "\""),
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
