//! Replays that policies make, and those that people do.

use dlo_app::desk::TriageDesk as _;
use dlo_domain::audit::Actor;
use dlo_domain::ids::{LetterId, ReplayId};
use dlo_domain::policy::NewPolicy;
use dlo_domain::replay::{Makers, NewReplay, Outcome, ReplayState};
use dlo_domain::republish::HeaderChanges;
use dlo_domain::selection::Selection;
use sqlx::PgPool;

use super::office::{Office, policy};
use crate::config::ReplayConfig;
use crate::retrying::Scheduler;

async fn replay(office: &Office, by: &str, letter: LetterId) -> ReplayId {
    let new = NewReplay { selection: Selection::of_ids(vec![letter]), ..NewReplay::default() };
    let planned = office.desk.plan_replay(&Actor(by.to_owned()), &new).await;
    planned.expect("planned").id.expect("an id")
}

/// The replays of some makers, read two at a time.
async fn of(office: &Office, by: Makers) -> Vec<ReplayId> {
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let page = office.desk.replays(by, after, 2).await.expect("a page");
        all.extend(page.items.iter().filter_map(|replay| replay.id));
        after = page.next_cursor;
        if after.is_none() {
            assert_eq!(page.estimated_total, i64::try_from(all.len()).expect("few"));
            return all;
        }
    }
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn replays_of_people_and_of_each_policy_are_listed_apart(pool: PgPool) {
    let office = Office::open(&pool).await;
    let one = office.add(&policy("one", "queue:one")).await;
    let two = office.add(&policy("two", "queue:two")).await;
    let by_hand = office.arrive("none").await;
    let mut people = Vec::new();
    let mut scheduler = office.scheduler();
    for _ in 0..3 {
        office.arrive("one").await;
        office.arrive("two").await;
        office.after(0, &mut scheduler).await;
        office.after(10, &mut scheduler).await;
        office.engine_says(Outcome::Confirmed).await;
    }
    people.push(replay(&office, "anna", by_hand).await);
    let other = office.arrive("none").await;
    // A token may have the name that a policy acts by.
    people.insert(0, replay(&office, "retry policy one", other).await);
    let (of_one, of_two) = (Makers::Policy(one), Makers::Policy(two));
    let (of_one, of_two) = (of(&office, of_one).await, of(&office, of_two).await);
    assert_eq!((of_one.len(), of_two.len()), (3, 3));
    let mut listed = of(&office, Makers::People).await;
    listed.sort_unstable();
    people.sort_unstable();
    assert_eq!(listed, people);
    let policies = of(&office, Makers::Policies).await;
    assert_eq!(policies.len(), 6);
    assert!(of_one.iter().chain(&of_two).all(|id| policies.contains(id)));
    assert_eq!(of(&office, Makers::All).await.len(), 8);
    let told = office.desk.replay(of_one[0]).await.expect("a replay");
    assert_eq!(told.policy_id, Some(one));
    let told = office.desk.replay(people[0]).await.expect("a replay");
    assert_eq!(told.policy_id, None);
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_person_with_the_name_of_a_policy_does_not_hold_it_up(pool: PgPool) {
    let office = Office::open(&pool).await;
    let by_hand = office.arrive("work").await;
    office.add(&policy("again", "")).await;
    replay(&office, "retry policy again", by_hand).await;
    office.arrive("work").await;
    let mut scheduler = office.scheduler();
    office.after(0, &mut scheduler).await;
    office.after(60, &mut scheduler).await;
    assert_eq!(office.made().await, 1);
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_try_with_other_headers_waits_for_a_person_where_changes_do(pool: PgPool) {
    let office = Office::open(&pool).await;
    let headers: HeaderChanges = "-x-delay, tenant=acme".parse().expect("changes");
    let changing = NewPolicy { headers: headers.clone(), ..policy("again", "") };
    office.add(&changing).await;
    for (rule, state) in [(false, ReplayState::Running), (true, ReplayState::AwaitingApproval)] {
        let config = ReplayConfig { transforms_need_approval: rule, ..ReplayConfig::default() };
        let mut scheduler = Scheduler::new(office.pool.clone(), office.clock.clone(), config, true);
        office.arrive("work").await;
        office.after(0, &mut scheduler).await;
        office.after(10, &mut scheduler).await;
        let made = office.desk.replays(Makers::Policies, None, 1).await.expect("a page").items;
        assert_eq!((made[0].state, made[0].total), (state, 1));
        assert_eq!(made[0].headers, headers);
        office.engine_says(Outcome::Confirmed).await;
    }
}
