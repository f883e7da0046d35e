//! What was found of letters lately. A page is often asked for again while nothing changed: by whoever follows a link
//! that the browser read beforehand, by everybody who looks at the group that fails, and by pages that are live.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::breakdown::{Breakdown, Sampled};
use dlo_domain::ids::GroupId;
use hashlink::LruCache;

use crate::store::breakdown::Newest;

/// How long it is kept though the letters are the same: the types of their messages may be told otherwise.
const FRESH: TimeDelta = TimeDelta::seconds(10);

/// Sets of letters of which it is kept, each with a thousand ids.
const MOST_SETS: usize = 64;

/// Letters that are asked about.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Key {
    /// The group whose newest they are; nothing for those that wait.
    pub group: Option<GroupId>,
    /// The letters.
    pub newest: Newest,
}

/// What was found of them.
#[derive(Debug)]
pub(super) struct Comparison {
    /// What they have in common.
    pub told: Breakdown,
    /// The queues that they died in and how many did, those with the most first.
    pub queues: Vec<(String, i64)>,
}

#[derive(Debug)]
struct Entry {
    at: DateTime<Utc>,
    /// Known by where it is, not held: it is large.
    compared_with: Weak<Vec<Sampled>>,
    found: Arc<Comparison>,
}

/// What is kept.
#[derive(Debug)]
pub(super) struct ComparisonCache(Mutex<LruCache<Key, Entry>>);

impl Default for ComparisonCache {
    fn default() -> Self {
        Self(Mutex::new(LruCache::new(MOST_SETS)))
    }
}

impl ComparisonCache {
    /// What was found of the same letters, compared with the same others, a moment before `now`.
    pub fn find(
        &self,
        key: &Key,
        all: &Arc<Vec<Sampled>>,
        now: DateTime<Utc>,
    ) -> Option<Arc<Comparison>> {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = entries.get(key)?;
        let is_fresh = (now - entry.at).abs() < FRESH;
        let is_same = entry.compared_with.upgrade().is_some_and(|with| Arc::ptr_eq(&with, all));
        (is_fresh && is_same).then(|| entry.found.clone())
    }

    /// Keeps what was found.
    pub fn keep(
        &self,
        key: Key,
        all: &Arc<Vec<Sampled>>,
        found: Comparison,
        now: DateTime<Utc>,
    ) -> Arc<Comparison> {
        let found = Arc::new(found);
        let entry = Entry { at: now, compared_with: Arc::downgrade(all), found: found.clone() };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key, entry);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_letters_compared_with_the_same_others_are_kept_for_a_moment() {
        let (cache, at, all) =
            (ComparisonCache::default(), DateTime::UNIX_EPOCH, Arc::new(Vec::new()));
        let newest = Newest { ids: Vec::new(), arrived_at: Some(at) };
        let key = Key { group: None, newest };
        let found = Comparison { told: Breakdown::default(), queues: Vec::new() };
        cache.keep(key.clone(), &all, found, at);

        let is_kept = |key: &Key, all: &_, seconds| {
            cache.find(key, all, at + TimeDelta::seconds(seconds)).is_some()
        };
        assert!(is_kept(&key, &all, 9));
        assert!(!is_kept(&key, &all, 10), "for a moment");
        assert!(!is_kept(&key, &all, -10), "by a clock that went back");
        let others = Arc::new(Vec::new());
        assert!(!is_kept(&key, &others, 0), "compared with others");
        let arrived_anew = Newest { arrived_at: Some(at + FRESH), ..key.newest.clone() };
        assert!(!is_kept(&Key { newest: arrived_anew, ..key.clone() }, &all, 0));
        let of_group = Key { group: Some(GroupId(uuid::Uuid::nil())), ..key };
        assert!(!is_kept(&of_group, &all, 0), "of a group");
    }
}
