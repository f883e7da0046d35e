//! What reads show of origins, and what becomes known by it.
