//! What holds of the model whatever happens, and the traces by which earlier rules lost copies.

use proptest::prelude::*;

use super::{Point, Step, World};

fn point() -> impl Strategy<Value = Point> {
    prop_oneof![
        Just(Point::Cancelled),
        Just(Point::Stored),
        Just(Point::Sent),
        Just(Point::Cut),
        Just(Point::Acknowledged),
        Just(Point::Settled),
        Just(Point::Nowhere),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (0..2_usize).prop_map(Step::Open),
        4 => (0..2_usize, 1..6_usize).prop_map(|(office, most)| Step::Deliver(office, most)),
        3 => (0..2_usize, 1..5_usize).prop_map(|(office, most)| Step::Store(office, most)),
        4 => (0..2_usize, point()).prop_map(|(office, point)| Step::Fence(office, point)),
        2 => (0..2_usize).prop_map(Step::End),
        3 => Just(Step::BrokerSees),
        3 => Just(Step::DatabaseSees),
        1 => (0..2_usize).prop_map(Step::Suspect),
    ]
}

/// Few contents, so that there are many copies; few priorities.
fn messages() -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
    (1..8_u8, 0..40_usize).prop_flat_map(|(kinds, count)| {
        let contents = prop::collection::vec(0..kinds, count);
        let priorities = prop_oneof![
            3 => Just(vec![0; count]),
            1 => prop::collection::vec(0..2_u8, count),
        ];
        (contents, priorities)
    })
}

/// One session that ends, and what happens before.
type Life = (Vec<Step>, usize, Point);

fn run_one_by_one(contents: &[u8], lives: &[Life], shuffle: u64, marks_more: bool) -> World {
    let mut world = World::new(contents, &vec![0; contents.len()], shuffle, marks_more);
    for (steps, office, point) in lives {
        world.open(0);
        world.open(1);
        for step in steps {
            if matches!(step, Step::Deliver(..) | Step::Store(..)) {
                world.step(*step);
            }
        }
        world.fence(*office, *point);
        world.end(*office, false);
        world.work_on(false);
    }
    world.work_on(true);
    world
}

/// Sessions that end one at a time, and whether the queue marks more than what was delivered. Then an announced
/// acknowledgement that never arrives is left out: nothing tells it from one that did, so that its messages are
/// stored once more. `no_message_is_ever_lost` has it.
fn lives() -> impl Strategy<Value = (Vec<Life>, bool)> {
    any::<bool>().prop_flat_map(|marks_more| {
        let told = point().prop_filter("is told", move |at| !marks_more || *at != Point::Cut);
        let life = (prop::collection::vec(step(), 0..12), 0..2_usize, told);
        (prop::collection::vec(life, 0..8), Just(marks_more))
    })
}

/// `PROPTEST_CASES` lengthens it, for a change of the rules.
fn config() -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig { cases: usual.cases.max(2_000), ..usual }
}

proptest! {
    #![proptest_config(config())]

    /// Whatever ends, wherever, and whoever sees it when.
    #[test]
    fn no_message_is_ever_lost(
        (contents, priorities) in messages(),
        steps in prop::collection::vec(step(), 0..80),
        shuffle in any::<u64>(),
        marks_more in any::<bool>(),
    ) {
        let mut world = World::new(&contents, &priorities, shuffle, marks_more);
        for step in steps {
            world.step(step);
        }
        world.work_on(true);
        let surplus = world.surplus(&contents);
        prop_assert!(surplus.values().all(|more| *more >= 0), "{surplus:?}");
        let doubled: i64 = surplus.values().sum();
        let bound = i64::try_from(world.were_in_flight).expect("fits");
        prop_assert!(doubled <= bound, "{doubled} doubled of {bound} in flight");
    }

    /// Messages that are all different, and one session that ends at a time.
    #[test]
    fn different_messages_are_stored_once(
        count in 0..60_u8,
        (lives, marks_more) in lives(),
        shuffle in any::<u64>(),
    ) {
        let contents: Vec<u8> = (0..count).collect();
        let world = run_one_by_one(&contents, &lives, shuffle, marks_more);
        prop_assert_eq!(&world.database.stored, &vec![1; contents.len()]);
    }

    /// The same of copies: as many are stored as there were.
    #[test]
    fn copies_are_stored_once_each(
        (contents, _) in messages(),
        (lives, marks_more) in lives(),
        shuffle in any::<u64>(),
    ) {
        let world = run_one_by_one(&contents, &lives, shuffle, marks_more);
        let surplus = world.surplus(&contents);
        prop_assert!(surplus.values().all(|more| *more == 0), "{surplus:?}");
    }
}

/// A trace of the old rules, in which a copy was lost: one office is killed behind the
/// acknowledgement of its fence, the other one with a copy in hand.
#[test]
fn a_copy_in_the_hand_of_a_second_killed_office_is_kept() {
    let contents = [7, 7];
    let mut world = World::new(&contents, &[0, 0], 0, true);
    for step in [
        Step::Open(0),
        Step::Open(1),
        Step::Deliver(0, 1),
        Step::Fence(0, Point::Acknowledged),
        Step::Deliver(1, 1),
        Step::End(1),
        Step::BrokerSees,
        Step::BrokerSees,
        Step::DatabaseSees,
        Step::DatabaseSees,
    ] {
        world.step(step);
    }
    world.work_on(true);
    assert_eq!(world.surplus(&contents)[&7], 0);
}

/// Another: what came again at one office is stored there anew, and its count swallows a copy later.
#[test]
fn what_is_left_of_a_session_swallows_no_copy_of_later() {
    let contents = [7, 7, 7];
    let mut world = World::new(&contents, &[0, 0, 0], 0, true);
    for step in [
        Step::Open(0),
        Step::Open(1),
        Step::Deliver(0, 1),
        Step::Store(0, 1),
        Step::End(0),
        Step::BrokerSees,
        // The database does not know yet that the first one is over.
        Step::Deliver(1, 1),
        Step::Fence(1, Point::Nowhere),
        Step::DatabaseSees,
        Step::Deliver(1, 1),
        Step::End(1),
        Step::BrokerSees,
        Step::DatabaseSees,
    ] {
        world.step(step);
    }
    world.work_on(true);
    assert!(world.surplus(&contents)[&7] >= 0);
}

/// Another: a quorum queue marks what it had on its way to a cancelled consumer, and one of two copies was
/// taken for the other one, which a killed office had acknowledged.
#[test]
fn a_copy_that_a_cancelled_consumer_never_had_is_kept() {
    let contents = [7; 7];
    let mut world = World::new(&contents, &[0; 7], 3, true);
    for step in [Step::Open(0), Step::Deliver(0, 1), Step::Fence(0, Point::Sent)] {
        world.step(step);
    }
    world.work_on(true);
    assert_eq!(world.surplus(&contents)[&7], 0);
}
