//! How duties are paced, and what is told of one that fails.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use dlo_domain::ids::SourceId;
use futures_util::stream;
use uuid::Uuid;

use super::*;
use crate::clock::ManualClock;
use crate::fixture;
use crate::lifecycle::{self, Outcome, SOFT_LIMIT};

/// A duty that fails when it is told to, and counts.
#[derive(Debug, Clone, Default)]
struct Counting {
    steps: Arc<AtomicUsize>,
    fails: Arc<AtomicBool>,
    ended: Arc<AtomicUsize>,
}

impl Counting {
    fn steps(&self) -> usize {
        self.steps.load(Ordering::SeqCst)
    }
}

impl Duty for Counting {
    async fn step(&mut self, _: &CancellationToken) -> Result<Next, StoreError> {
        self.steps.fetch_add(1, Ordering::SeqCst);
        if self.fails.load(Ordering::SeqCst) {
            return Err(StoreError::corrupt("letters", "state", "it is odd"));
        }
        Ok(Next::Usual)
    }

    fn is_woken_by(&self, event: &LiveEvent) -> bool {
        matches!(event, LiveEvent::Policies)
    }

    async fn end(self) {
        self.ended.fetch_add(1, Ordering::SeqCst);
    }
}

/// Lets every task go on until it waits.
async fn moment() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

#[test]
fn a_duty_that_fails_is_tried_less_often() {
    let second = Duration::from_secs(1);
    let pauses: Vec<u64> = (1..=6).map(|failures| pause(second, failures).as_secs()).collect();
    assert_eq!(pauses, [1, 2, 4, 5, 5, 5]);
    let minute = Duration::from_mins(1);
    assert_eq!([pause(minute, 1), pause(minute, 50)], [minute; 2]);
}

#[test]
fn a_duty_that_fails_for_long_is_told_until_it_is_done_again() {
    let conditions = Conditions::default();
    let noon = fixture::noon();
    let odd = StoreError::corrupt("letters", "state", "it is odd");
    conditions.set("counting", &odd, noon);
    conditions.set("counting", &odd, noon + TimeDelta::seconds(20));
    assert_eq!(conditions.troubles(noon + TimeDelta::seconds(29)), [], "it may be passing");
    let troubles = conditions.troubles(noon + TimeDelta::seconds(30));
    let [trouble] = &troubles[..] else { panic!("{troubles:?}") };
    assert!(trouble.what.contains("`counting`") && trouble.what.contains("it is odd"));
    assert_eq!(trouble.since, noon);
    conditions.clear("counting");
    assert_eq!(conditions.troubles(noon + TimeDelta::hours(1)), []);
}

#[tokio::test]
async fn an_event_wakes_a_duty_that_wants_it_and_not_one_that_fails() {
    let (lifecycle, ending) = lifecycle::begin(SOFT_LIMIT);
    let hub = Hub::default();
    let duties = Duties::new(lifecycle, hub.clone(), Arc::new(ManualClock::at(fixture::noon())));
    let counting = Counting::default();
    duties.every("counting", Duration::from_hours(1), counting.clone());
    moment().await;
    assert_eq!(counting.steps(), 1, "the first step is at once");
    hub.tell(LiveEvent::Source { source_id: SourceId(Uuid::nil()) });
    moment().await;
    assert_eq!(counting.steps(), 1, "that is nothing to it");
    hub.tell(LiveEvent::Policies);
    moment().await;
    assert_eq!(counting.steps(), 2);
    hub.tell(LiveEvent::Missed);
    moment().await;
    assert_eq!(counting.steps(), 3, "something may have been missed");
    counting.fails.store(true, Ordering::SeqCst);
    hub.tell(LiveEvent::Policies);
    moment().await;
    hub.tell(LiveEvent::Policies);
    moment().await;
    assert_eq!(counting.steps(), 4, "events do not shorten the pauses of one that fails");
    assert_eq!(ending.wait(stream::iter([()])).await, Outcome::Done);
    assert_eq!(counting.ended.load(Ordering::SeqCst), 1, "it ends in order");
}
