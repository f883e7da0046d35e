use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::arrival::Delivered;
use dlo_domain::decoding::MessageTypes;
use dlo_domain::failure::HeaderMap;
use dlo_domain::group::{GroupState, GroupSummary};
use dlo_domain::grouping::Masker;
use dlo_domain::ids::{GroupId, LetterId, SourceId};
use dlo_domain::judge::Judge;
use dlo_domain::reading;
use dlo_domain::severity::Severity;
use sqlx::PgPool;
use uuid::Uuid;

use super::read::{self, Place};
use super::{arrange, signatures, totals};
use crate::clock::{Clock as _, ManualClock, new_id};
use crate::fixture;
use crate::grouping::Grouper;
use crate::store::letters::{Court, Incoming, insert_new};

struct Shop {
    pool: PgPool,
    clock: Arc<ManualClock>,
    source: SourceId,
    grouper: Grouper,
}

impl Shop {
    async fn open(pool: &PgPool) -> Self {
        let clock = Arc::new(ManualClock::at(fixture::noon()));
        Self {
            pool: pool.clone(),
            clock: clock.clone(),
            source: fixture::source(pool).await,
            grouper: Grouper::new(pool.clone(), clock),
        }
    }

    fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// Letters that died with these messages, a moment later.
    async fn receive(&self, messages: &[String], severity: Severity) -> Vec<LetterId> {
        self.clock.advance(TimeDelta::seconds(1));
        let mut masker = Masker::new();
        let incoming: Vec<Incoming> = messages
            .iter()
            .map(|message| {
                let delivered = Delivered::default();
                let mut read =
                    reading::read(&delivered, &HeaderMap::default(), &MessageTypes::default());
                read.failure.error_class = Some("ShopError".to_owned());
                read.failure.error_message = Some(message.clone());
                let id = LetterId(new_id(&*self.clock));
                let court = Court { judge: &Judge::default(), source: "dead" };
                let now = self.clock.now();
                let mut one = Incoming::new(id, now, delivered, read, court, &mut masker);
                one.severity = severity;
                one
            })
            .collect();
        let all: Vec<&Incoming> = incoming.iter().collect();
        let mut transaction = self.pool.begin().await.expect("a transaction");
        signatures::remember(&mut transaction, &all).await.expect("remembered");
        insert_new(&mut transaction, self.source, &all).await.expect("stored");
        transaction.commit().await.expect("committed");
        incoming.iter().map(|one| one.letter_id).collect()
    }

    /// What upkeep and grouping do in the background.
    async fn tidy(&mut self) -> Vec<Uuid> {
        self.grouper.catch_up().await.expect("grouped");
        let mut transaction = self.pool.begin().await.expect("a transaction");
        let groups = totals::fold(&mut transaction, self.now()).await;
        let groups = groups.expect("folded");
        let woken = totals::wake(&mut transaction, &groups, self.now()).await.expect("woken");
        transaction.commit().await.expect("committed");
        woken
    }

    async fn groups(&self) -> Vec<GroupSummary> {
        let mut conn = self.pool.acquire().await.expect("a connection");
        let page = read::page(&mut conn, None, None, 100, self.now()).await.expect("a page");
        page.into_iter().map(|(_, group)| group).collect()
    }

    async fn set(&self, group: GroupId, what: &str) {
        let statement = format!("update groups set {what}, state_since = $2 where id = $1");
        sqlx::query(sqlx::AssertSqlSafe(statement))
            .bind(group.0)
            .bind(self.now())
            .execute(&self.pool)
            .await
            .expect("set");
    }

    async fn assert_counted_right(&self) {
        let wrong: i64 = sqlx::query_scalar(
            "select count(*) from (
                 select signature, state, severity, count(*) as letters, sum(arrivals) as arrivals
                 from letters where signature is not null group by 1, 2, 3) as recount
             full join (
                 select signature, state, severity, sum(letters) as letters from (
                     select signature, state, severity, letters from signature_totals
                     union all
                     select signature, state, severity, letters from signature_changes) as both_
                 group by 1, 2, 3) as counted using (signature, state, severity)
             where coalesce(recount.letters, 0) <> coalesce(counted.letters, 0)",
        )
        .fetch_one(&self.pool)
        .await
        .expect("counted");
        assert_eq!(wrong, 0, "the counters equal a recount");
    }
}

fn orders(numbers: std::ops::Range<u32>) -> Vec<String> {
    numbers.map(|number| format!("order {number} not found")).collect()
}

fn outages(count: usize) -> Vec<String> {
    vec!["the payment gateway refused the connection".to_owned(); count]
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn letters_that_failed_alike_are_one_group_and_the_worst_comes_first(pool: PgPool) {
    let mut shop = Shop::open(&pool).await;
    shop.receive(&orders(0..50), Severity::Low).await;
    shop.receive(&outages(3), Severity::Critical).await;
    shop.tidy().await;
    let groups = shop.groups().await;
    let seen: Vec<_> =
        groups.iter().map(|group| (group.letters, group.waiting, group.severity)).collect();
    let expected = [(3, 3, Some(Severity::Critical)), (50, 50, Some(Severity::Low))];
    assert_eq!(seen, expected);
    assert_eq!(groups[1].by_hour.iter().sum::<i64>(), 50);
    assert_eq!(groups[1].by_hour[23], 50, "all in this hour");
    shop.assert_counted_right().await;
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn pages_follow_each_other_without_gap_or_overlap(pool: PgPool) {
    let mut shop = Shop::open(&pool).await;
    for message in [
        "the ledger is closed",
        "no warehouse has it in stock any more",
        "currency mismatch",
        "the customer was merged into another account yesterday",
        "signature verification failed",
    ] {
        shop.receive(&[message.to_owned()], Severity::High).await;
    }
    shop.tidy().await;
    let mut conn = pool.acquire().await.expect("a connection");
    let mut after: Option<Place> = None;
    let mut seen = Vec::new();
    loop {
        let page = read::page(&mut conn, None, after, 2, shop.now()).await.expect("a page");
        let Some((last, _)) = page.last() else { break };
        after = Some(*last);
        seen.extend(page.into_iter().map(|(_, group)| group.id));
    }
    let all: Vec<GroupId> = shop.groups().await.into_iter().map(|group| group.id).collect();
    assert_eq!(seen, all);
    assert_eq!(seen.len(), 5);
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_second_office_and_one_that_starts_again_group_alike(pool: PgPool) {
    let mut shop = Shop::open(&pool).await;
    shop.receive(&orders(0..5), Severity::Low).await;
    shop.tidy().await;
    shop.grouper = Grouper::new(pool.clone(), shop.clock.clone());
    shop.receive(&orders(5..10), Severity::Low).await;
    shop.receive(&outages(1), Severity::Low).await;
    shop.tidy().await;
    let mut letters: Vec<i64> = shop.groups().await.iter().map(|group| group.letters).collect();
    letters.sort_unstable();
    assert_eq!(letters, [1, 10]);
    let positions: Vec<i64> = sqlx::query_scalar("select position from signatures order by 1")
        .fetch_all(&pool)
        .await
        .expect("read");
    assert_eq!(positions, [0, 1]);
}

/// Has signatures be of the version before, as a program left them that was replaced.
async fn make_older(pool: &PgPool) {
    sqlx::query(
        "update signatures
         set version = version - 1, content = jsonb_set(content, '{version}', to_jsonb(version - 1))",
    )
    .execute(pool)
    .await
    .expect("made older");
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn letters_are_grouped_after_signatures_became_of_another_version(pool: PgPool) {
    let mut shop = Shop::open(&pool).await;
    shop.receive(&orders(0..5), Severity::Low).await;
    shop.tidy().await;
    // Its program ended before it was mined.
    shop.receive(&outages(1), Severity::Low).await;
    make_older(&pool).await;
    for newer in ["currency mismatch", "the ledger is closed"] {
        shop.receive(&[newer.to_owned()], Severity::Low).await;
        shop.grouper = Grouper::new(pool.clone(), shop.clock.clone());
        shop.tidy().await;
    }
    let mut letters: Vec<i64> = shop.groups().await.iter().map(|group| group.letters).collect();
    letters.sort_unstable();
    assert_eq!(
        letters,
        [1, 1, 1, 5],
        "stored letters keep their groups, and each new failure has one"
    );
    let positions: Vec<(i16, i64)> =
        sqlx::query_as("select version, position from signatures order by 1, 2")
            .fetch_all(&pool)
            .await
            .expect("read");
    let version = dlo_domain::grouping::CURRENT.0;
    assert_eq!(positions, [(version - 1, 0), (version - 1, 1), (version, 0), (version, 1)]);
}

/// Gives the second signature a group of its own, as a program did that knew less.
async fn take_apart(shop: &Shop) -> GroupId {
    let apart = new_id(&*shop.clock);
    sqlx::query(
        "with copied as (
             insert into groups (id, state, state_since, title, why, created_at)
             select $1, state, state_since, title, why, created_at from groups limit 1)
         update signatures set group_id = $1 where position = 1",
    )
    .bind(apart)
    .execute(&shop.pool)
    .await
    .expect("taken apart");
    let mut conn = shop.pool.acquire().await.expect("a connection");
    totals::sum_up(&mut conn, &[apart]).await.expect("summed up");
    GroupId(apart)
}

fn quotas() -> Vec<String> {
    ["acme", "globex", "initech"].map(|tenant| format!("quota of {tenant} is used up")).into()
}

/// How many letters each group has, once a program began that knows two groups to be one, of which one has these tags.
async fn reunited(pool: &PgPool, tags: &str) -> Vec<i64> {
    let mut shop = Shop::open(pool).await;
    shop.receive(&quotas()[..2], Severity::Low).await;
    shop.tidy().await;
    let apart = take_apart(&shop).await;
    shop.set(apart, &format!("tags = {tags}")).await;
    // It begins anew, and there is something to do.
    shop.grouper = Grouper::new(pool.clone(), shop.clock.clone());
    shop.receive(&quotas()[2..], Severity::Low).await;
    shop.tidy().await;
    shop.assert_counted_right().await;
    let mut letters: Vec<i64> = shop.groups().await.iter().map(|group| group.letters).collect();
    letters.sort_unstable();
    letters
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn groups_that_an_older_program_kept_apart_become_one(pool: PgPool) {
    assert_eq!(reunited(&pool, "'{}'").await, [3]);
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_group_that_people_worked_on_stays_as_an_older_program_left_it(pool: PgPool) {
    assert_eq!(reunited(&pool, "'{known}'").await, [1, 2]);
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn what_varies_in_one_message_shows_what_varies_in_another(pool: PgPool) {
    let mut shop = Shop::open(&pool).await;
    let lost = ["initech lost globex to stark today", "hooli lost acme to wayne today"];
    for message in lost {
        shop.receive(&[message.to_owned()], Severity::Low).await;
    }
    shop.tidy().await;
    assert_eq!(shop.groups().await.len(), 2);
    let tenants = ["acme", "globex", "initech", "hooli", "stark", "wayne"];
    let messages = tenants.map(|tenant| format!("quota of {tenant} is used up"));
    shop.receive(&messages, Severity::Low).await;
    shop.tidy().await;
    let groups = shop.groups().await;
    let mut seen: Vec<_> = groups.iter().map(|it| (it.letters, it.title.as_str())).collect();
    seen.sort_unstable();
    assert_eq!(seen, [(2, "<*> lost <*> to <*> today"), (6, "quota of <*> is used up")]);
    shop.assert_counted_right().await;
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_resolved_group_regresses_when_a_letter_dies_of_it_again(pool: PgPool) {
    let mut shop = Shop::open(&pool).await;
    shop.receive(&outages(2), Severity::High).await;
    shop.tidy().await;
    let group = shop.groups().await[0].id;
    shop.set(group, "state = 'resolved'").await;
    assert!(shop.tidy().await.is_empty(), "nothing came since");
    let [letter] = shop.receive(&outages(1), Severity::High).await[..] else {
        panic!("one letter")
    };
    assert_eq!(shop.tidy().await, [group.0]);
    let mut conn = pool.acquire().await.expect("a connection");
    let now = read::group(&mut conn, group, shop.now()).await.expect("read").expect("there");
    assert_eq!(now.summary.state, GroupState::Regressed);
    assert_eq!(now.timeline[0].action, "regressed");
    assert_eq!(now.signatures.len(), 1);
    assert_ne!(now.signatures[0].sample_letter_id, letter, "the sample is the first");
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_mute_ends_by_time_count_or_rate(pool: PgPool) {
    let mut shop = Shop::open(&pool).await;
    shop.receive(&outages(10), Severity::High).await;
    shop.tidy().await;
    let group = shop.groups().await[0].id;
    let muted = "state = 'muted', arrivals_when_muted = 10";
    shop.set(group, &format!("{muted}, muted_arrivals = 5")).await;
    shop.receive(&outages(4), Severity::High).await;
    assert!(shop.tidy().await.is_empty(), "4 of 5");
    shop.receive(&outages(1), Severity::High).await;
    assert_eq!(shop.tidy().await, [group.0]);

    shop.set(group, &format!("{muted}, muted_per_hour = 20")).await;
    shop.receive(&outages(4), Severity::High).await;
    assert!(shop.tidy().await.is_empty(), "19 in this hour");
    shop.receive(&outages(1), Severity::High).await;
    assert_eq!(shop.tidy().await, [group.0]);

    let until = (shop.now() + TimeDelta::minutes(5)).to_rfc3339();
    shop.set(group, &format!("{muted}, muted_until = '{until}'")).await;
    assert!(shop.tidy().await.is_empty(), "not yet");
    shop.clock.advance(TimeDelta::minutes(6));
    assert_eq!(shop.tidy().await, [group.0]);
    assert_eq!(shop.groups().await[0].state, GroupState::Open);
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn what_people_merge_stays_merged_and_old_addresses_lead_there(pool: PgPool) {
    let mut shop = Shop::open(&pool).await;
    shop.receive(&outages(2), Severity::High).await;
    shop.receive(&orders(0..3), Severity::Low).await;
    shop.tidy().await;
    let groups = shop.groups().await;
    let (into, from) = (groups[0].id, groups[1].id);
    let mut transaction = pool.begin().await.expect("a transaction");
    arrange::merge(&mut transaction, &[from], into, shop.now(), "anna").await.expect("merged");
    transaction.commit().await.expect("committed");
    shop.receive(&orders(3..5), Severity::Low).await;
    shop.tidy().await;
    let groups = shop.groups().await;
    assert_eq!((groups.len(), groups[0].letters), (1, 7));
    let mut conn = pool.acquire().await.expect("a connection");
    let found = read::group(&mut conn, from, shop.now()).await.expect("read").expect("there");
    assert_eq!(found.summary.id, into);
    assert_eq!(found.timeline[0].actor, "anna");
    shop.assert_counted_right().await;
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn what_people_split_off_stays_apart(pool: PgPool) {
    let mut shop = Shop::open(&pool).await;
    shop.receive(&outages(2), Severity::High).await;
    shop.receive(&orders(0..3), Severity::Low).await;
    shop.tidy().await;
    let groups = shop.groups().await;
    let (whole, other) = (groups[0].id, groups[1].id);
    let mut transaction = pool.begin().await.expect("a transaction");
    arrange::merge(&mut transaction, &[other], whole, shop.now(), "anna").await.expect("merged");
    let split_off = Uuid::from_u128(99);
    let found = read::group(&mut transaction, whole, shop.now()).await.expect("read");
    let found = found.expect("there");
    let order = found.signatures.iter().find(|one| one.template.contains("order"));
    let ids = [order.expect("orders").id.clone().try_into().expect("an id")];
    arrange::split(&mut transaction, whole, &ids, GroupId(split_off), shop.now(), "anna")
        .await
        .expect("split");
    transaction.commit().await.expect("committed");
    shop.receive(&orders(3..5), Severity::Low).await;
    shop.tidy().await;
    let groups = shop.groups().await;
    let seen: Vec<_> = groups.iter().map(|group| (group.id.0, group.letters)).collect();
    assert_eq!(seen, [(whole.0, 2), (split_off, 5)]);
    assert!(groups[1].title.contains("order"), "{}", groups[1].title);
}
