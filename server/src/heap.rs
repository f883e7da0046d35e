//! What the allocator keeps of freed memory.
//!
//! Messages come and go in windows of some megabytes. The C library of Linux gives such memory back to the
//! kernel each time, which has to zero it again, until a block as large was freed once: that raises both of its
//! thresholds, of what is mapped by itself and of what is given back (`mallopt(3)`, `M_MMAP_THRESHOLD`). So one
//! is freed before anything else. Elsewhere it changes nothing.

use std::hint::black_box;

/// A window. Twice as much is kept.
const WINDOW_BYTES: usize = 4 * 1024 * 1024;

/// Has the allocator keep what a window of messages needs.
pub fn keep_windows() {
    drop(black_box(Vec::<u8>::with_capacity(WINDOW_BYTES)));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pages that the kernel had to provide so far, from `/proc/self/stat`: the tenth field.
    fn provided() -> u64 {
        let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux");
        let after_name = stat.rsplit_once(')').expect("the name of the program").1;
        after_name.split_whitespace().nth(7).expect("a field").parse().expect("a number")
    }

    #[test]
    fn what_a_window_needed_is_there_for_the_next() {
        const PAGES: usize = 512;
        let window = || (0..PAGES).map(|_| black_box(vec![1_u8; 4096])).collect::<Vec<_>>();
        keep_windows();
        drop(window());
        let before = provided();
        for _ in 0..20 {
            drop(window());
        }
        assert!(provided() - before < PAGES as u64, "{} pages", provided() - before);
    }
}
