//! The filter language: what is read can be written, and is read again as the same; completion holds at
//! every place of any text.
#![no_main]

use dlo_domain::filter::{LetterFilter, complete};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(filter) = LetterFilter::parse(text) {
        let written = filter.to_string();
        let again = LetterFilter::parse(&written);
        assert_eq!(again.as_ref(), Ok(&filter), "{text:?} was written as {written:?}");
    }
    for (cursor, _) in text.char_indices().take(64) {
        let _ = complete(text, cursor, |_| vec!["orders".to_owned()]);
    }
});
