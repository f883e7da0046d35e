//! Takes messages out of sources.
