//! offices
