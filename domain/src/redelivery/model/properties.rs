//! What holds of the model whatever happens, and the traces by which earlier rules lost copies.

use proptest::prelude::*;

use super::{Foreign, Point, Step, World};

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
        3 => (0..2_usize, point()).prop_map(|(office, point)| Step::Acknowledge(office, point)),
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

fn foreign() -> impl Strategy<Value = Foreign> {
    prop_oneof![
        3 => (1..6_usize).prop_map(Foreign::Takes),
        2 => Just(Foreign::GivesBack),
        1 => Just(Foreign::Keeps),
        1 => (1..6_usize).prop_map(Foreign::Expire),
        1 => Just(Foreign::Purge),
        1 => Just(Foreign::LosesReceipts),
    ]
}

fn run(
    (contents, priorities): &(Vec<u8>, Vec<u8>),
    steps: Vec<Step>,
    (shuffle, marks_more): (u64, bool),
) -> World {
    let mut world = World::new(contents, priorities, shuffle, marks_more);
    for step in steps {
        world.step(step);
    }
    world.work_on();
    world
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
    fn each_message_is_stored_once(
        messages in messages(),
        steps in prop::collection::vec(step(), 0..80),
        how in any::<(u64, bool)>(),
    ) {
        let world = run(&messages, steps, how);
        let surplus = world.surplus(&messages.0);
        prop_assert!(surplus.values().all(|more| *more == 0), "{surplus:?}");
        prop_assert!(world.database.noted.values().all(|noted| *noted == 0), "nothing is in doubt");
    }

    /// Also when others take, expire and purge messages, and when receipts are lost.
    #[test]
    fn no_message_is_ever_lost_and_each_double_says_so(
        messages in messages(),
        steps in prop::collection::vec(
            prop_oneof![6 => step(), 1 => foreign().prop_map(Step::Foreign)],
            0..80,
        ),
        how in any::<(u64, bool)>(),
    ) {
        let world = run(&messages, steps, how);
        for (content, surplus) in world.surplus(&messages.0) {
            let removed = world.broker.removed.iter().filter(|one| one.content == content).count();
            let removed = i64::try_from(removed).expect("fits");
            prop_assert!(surplus >= -removed, "{} of {content} are missing", -surplus);
            let noted = world.database.noted.get(&content).copied().unwrap_or_default();
            prop_assert!(surplus <= noted, "{surplus} of {content} are doubled, and {noted} say so");
        }
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
    world.work_on();
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
    world.work_on();
    assert_eq!(world.surplus(&contents)[&7], 0);
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
    world.work_on();
    assert_eq!(world.surplus(&contents)[&7], 0);
}
