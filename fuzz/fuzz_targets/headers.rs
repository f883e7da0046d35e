//! Everything that intake reads out of a message: death history, origin, failure, notes.
#![no_main]

use arbitrary::Unstructured;
use dlo_domain::extract::Extract;
use dlo_domain::failure::HeaderMap;
use dlo_domain::fingerprint::Fingerprint;
use dlo_domain::reading;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(delivered) = dlo_fuzz::message(&mut Unstructured::new(bytes)) else {
        return;
    };
    let read = reading::read(&delivered, &HeaderMap::default());
    assert_eq!(Fingerprint::of(&delivered), Fingerprint::of(&delivered.clone()));
    // Postgres keeps no NUL in a text, and one text that holds it would refuse the whole letter.
    for note in &read.notes {
        assert!(!note.contains('\0'), "a note holds NUL: {note:?}");
    }
    let message = read.failure.error_message.as_deref();
    let extract = Extract::of(&delivered.headers, &delivered.body, message);
    assert!(!extract.text.contains('\0'), "an extract holds NUL");
});
