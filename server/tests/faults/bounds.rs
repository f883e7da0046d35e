//! What one letter may cost: whatever it holds, no page, preview or answer about it needs more than 64 MiB
//! of extra memory or is longer than 2 MB, and what is cut says so. The memory is that of a real office.

mod letters;
mod measured;
mod pages;
mod streams;
