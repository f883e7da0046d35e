//! Workers that report to a real broker and a real office, and what becomes of them while a server
//! stands still.

mod messages;
