#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| dlo_fuzz::targets::ranking(input));
