//! Masking, signatures and the miner: every line has a group, and the same line has the same one.
#![no_main]

use dlo_domain::grouping::Lines;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut lines = Lines::new();
    let mut count = 0;
    for line in bytes.split(|byte| *byte == b'\n').take(200) {
        lines.push(line);
        lines.push(line);
        count += 2;
    }
    let groups: Vec<_> = lines.groups().collect();
    assert_eq!(groups.len(), count);
    assert!(groups.chunks(2).all(|pair| pair[0] == pair[1]));
});
