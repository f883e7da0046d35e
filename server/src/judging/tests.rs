use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::TimeDelta;
use dlo_domain::arrival::Delivered;
use dlo_domain::failure::HeaderMap;
use dlo_domain::filter::LetterFilter;
use dlo_domain::grouping::{Masker, Outcome};
use dlo_domain::ids::{LetterId, ReplayId};
use dlo_domain::reading::{self, ReturnsFrom};
use dlo_domain::rule::{NewRule, RulePreview, Verdict};
use dlo_domain::severity::Severity;
use dlo_domain::wire::FieldValue;
use sqlx::PgPool;
use uuid::Uuid;

use super::*;
use crate::clock::{Clock as _, ManualClock, new_id};
use crate::grouping::{self, Grouper};
use crate::store::groups::{read, signatures, totals};
use crate::store::judging::Ruling;
use crate::store::letters::{Court, Incoming, append_returned, insert_new, stored};

/// An office that takes letters from the source `main`.
struct Office {
    pool: PgPool,
    clock: Arc<ManualClock>,
    judges: Judges,
    source: SourceId,
}

impl Office {
    async fn open(pool: &PgPool) -> Self {
        let noon: DateTime<Utc> = "2026-11-21T12:00:00Z".parse().expect("a time");
        let source = Uuid::from_u128(1);
        sqlx::query(
            "insert into sources (id, broker, vhost, queue, name, mode, configured,
                 condition_since, created_at)
             values ($1, 'main', '/', 'dead', 'main', 'take', false, now(), now())",
        )
        .bind(source)
        .execute(pool)
        .await
        .expect("a source");
        Self {
            pool: pool.clone(),
            clock: Arc::new(ManualClock::at(noon)),
            judges: Judges::default(),
            source: SourceId(source),
        }
    }

    fn walker(&self) -> Walker {
        Walker::new(Deps {
            pool: self.pool.clone(),
            clock: self.clock.clone(),
        })
    }

    /// A delivery that is read and judged by the rules as they are.
    async fn incoming(&self, delivered: Delivered) -> Incoming {
        let mut conn = self.pool.acquire().await.expect("a connection");
        let (judge, name) = self
            .judges
            .current_for(&mut conn, self.source)
            .await
            .expect("a judge");
        let court = Court {
            judge: &judge,
            source: &name,
        };
        let reading = reading::read(&delivered, &HeaderMap::default());
        let id = LetterId(new_id(&*self.clock));
        let now = self.clock.now();
        Incoming::new(id, now, delivered, reading, court, &mut Masker::new())
    }

    async fn receive(&self, deliveries: Vec<Delivered>) -> Vec<LetterId> {
        let mut incoming = Vec::new();
        for delivered in deliveries {
            incoming.push(self.incoming(delivered).await);
        }
        let all: Vec<&Incoming> = incoming.iter().collect();
        let mut transaction = self.pool.begin().await.expect("a transaction");
        signatures::remember(&mut transaction, &all)
            .await
            .expect("remembered");
        insert_new(&mut transaction, self.source, &all)
            .await
            .expect("stored");
        transaction.commit().await.expect("committed");
        incoming.iter().map(|one| one.letter_id).collect()
    }

    /// Adds a rule, and has what it concerns judged again.
    async fn add(&self, filter: &str, verdict: Verdict) {
        let due = Due {
            severity: matches!(verdict, Verdict::Severity(_)),
            signature: matches!(verdict, Verdict::Grouping(_)),
        };
        let rule = NewRule {
            name: "a rule".into(),
            filter: filter.into(),
            verdict,
            enabled: true,
        };
        let mut transaction = self.pool.begin().await.expect("a transaction");
        let conn = &mut *transaction;
        rules::take(conn).await.expect("taken");
        let id = new_id(&*self.clock);
        let now = self.clock.now();
        rules::insert(conn, id, &rule, "ann", now)
            .await
            .expect("added");
        // Before those that come with the product.
        rules::order(conn, rule.verdict.kind(), &[dlo_domain::ids::RuleId(id)])
            .await
            .expect("ordered");
        rules::revise(conn).await.expect("revised");
        judging::begin(conn, due, now).await.expect("begun");
        transaction.commit().await.expect("committed");
    }

    async fn walk(&self) {
        let mut walker = self.walker();
        while walker.step().await.expect("a step") {}
    }

    async fn group(&self) {
        let deps = grouping::Deps {
            pool: self.pool.clone(),
            clock: self.clock.clone(),
        };
        Grouper::new(deps).catch_up().await.expect("grouped");
        let mut transaction = self.pool.begin().await.expect("a transaction");
        totals::fold(&mut transaction).await.expect("folded");
        transaction.commit().await.expect("committed");
    }

    async fn severities(&self) -> BTreeMap<String, i64> {
        let rows: Vec<(String, i64)> =
            sqlx::query_as("select state || ' ' || severity, count(*) from letters group by 1")
                .fetch_all(&self.pool)
                .await
                .expect("counted");
        rows.into_iter().collect()
    }

    async fn progress(&self) -> Option<dlo_domain::rule::JudgingAgain> {
        let mut conn = self.pool.acquire().await.expect("a connection");
        judging::progress(&mut conn).await.expect("read")
    }

    async fn preview(&self, filter: &str, verdict: Verdict) -> RulePreview {
        let rule = NewRule {
            name: "a rule".into(),
            filter: filter.into(),
            verdict,
            enabled: true,
        };
        let filter = LetterFilter::parse(filter).expect("a filter");
        let mut transaction = self.pool.begin().await.expect("a transaction");
        let judge = self
            .judges
            .current(&mut transaction)
            .await
            .expect("a judge");
        let with = judge.with_first(&rule).expect("it can be used");
        preview(&mut transaction, &rule, &filter, &with, self.clock.now())
            .await
            .expect("previewed")
    }

    async fn set(&self, what: &'static str) {
        sqlx::raw_sql(what).execute(&self.pool).await.expect("set");
    }

    /// Counters equal a recount: letters, arrivals, and arrivals an hour.
    async fn assert_counted_right(&self) {
        for (what, counted, recount) in [
            (
                "letters",
                "select signature, state, severity, letters as n from signature_totals
                 union all
                 select signature, state, severity, letters from signature_changes",
                "select signature, state, severity, count(*) as n from letters group by 1, 2, 3",
            ),
            (
                "arrivals",
                "select signature, 'any' as state, '' as severity, arrivals as n
                 from signature_totals
                 union all select signature, 'any', '', arrivals from signature_changes",
                "select signature, 'any' as state, '' as severity, sum(arrivals) as n
                 from letters group by 1",
            ),
            (
                "hours",
                "select signature, hour::text as state, '' as severity, arrivals as n
                 from signature_hours",
                "select signature, date_trunc('hour', last_arrived_at, 'UTC')::text as state,
                     '' as severity, sum(arrivals) as n from letters group by 1, 2",
            ),
        ] {
            let sql = format!(
                "select count(*) from (
                     select signature, state, severity, sum(n) as n from ({counted}) as parts
                     group by 1, 2, 3) as counted
                 full join ({recount}) as recount using (signature, state, severity)
                 where coalesce(counted.n, 0) <> coalesce(recount.n, 0)"
            );
            let wrong: i64 = sqlx::query_scalar(sqlx::AssertSqlSafe(sql))
                .fetch_one(&self.pool)
                .await
                .expect("compared");
            assert_eq!(wrong, 0, "the {what} equal a recount");
        }
    }
}

/// A message that died of this error.
fn died_of(message: &str) -> Delivered {
    let mut delivered = Delivered {
        body: br#"{"tenant": "acme", "lines": [{"n": 1}]}"#.to_vec(),
        ..Delivered::default()
    };
    let header = |text: &str| FieldValue::LongString(text.into());
    delivered.headers.set("x-error", header(message));
    let queue = header("orders.work");
    delivered.headers.set("x-first-death-queue", queue);
    delivered
}

fn many(count: usize, message: &str) -> Vec<Delivered> {
    (0..count).map(|_| died_of(message)).collect()
}

fn critical() -> Verdict {
    Verdict::Severity(Severity::Critical)
}

fn key(key: &str) -> Verdict {
    Verdict::Grouping(Outcome::Key(key.to_owned()))
}

#[sqlx::test(migrations = "../migrations")]
async fn open_letters_are_judged_again_and_what_is_done_stays(pool: PgPool) {
    let office = Office::open(&pool).await;
    let letters = office.receive(many(700, "no stock")).await;
    office.clock.advance(TimeDelta::seconds(1));
    office.receive(many(20, "no money")).await;
    assert_eq!(office.progress().await, None, "nothing to do when empty");
    for (state, from) in [("resolved", 0), ("discarded", 100), ("replayed", 200)] {
        let ids: Vec<Uuid> = letters[from..from + 10].iter().map(|id| id.0).collect();
        sqlx::query("update letters set state = $2 where id = any($1)")
            .bind(ids)
            .bind(state)
            .execute(&pool)
            .await
            .expect("moved");
    }
    office.add("error:\"no stock\"", critical()).await;
    let progress = office.progress().await.expect("there is a walk");
    assert_eq!((progress.done, progress.of), (0, 720));
    let mut first = office.walker();
    assert!(first.step().await.expect("a step"));
    drop(first);
    let progress = office.progress().await.expect("it is not over");
    assert_eq!(progress.done, 300);
    assert_eq!(progress.changed, 280, "the newest 20 are others");
    office.walk().await;
    assert_eq!(office.progress().await, None);
    let expected = [
        ("discarded normal", 10),
        ("held critical", 670),
        ("held normal", 20),
        ("replayed critical", 10),
        ("resolved normal", 10),
    ];
    let expected = expected.map(|(what, count)| (what.to_owned(), count));
    assert_eq!(office.severities().await, BTreeMap::from(expected));
    office.group().await;
    office.assert_counted_right().await;
}

#[sqlx::test(migrations = "../migrations")]
async fn a_change_during_a_walk_begins_it_anew(pool: PgPool) {
    let office = Office::open(&pool).await;
    office.receive(many(400, "no stock")).await;
    office.add("", Verdict::Severity(Severity::Low)).await;
    let mut walker = office.walker();
    assert!(walker.step().await.expect("a step"));
    office.add("", critical()).await;
    let progress = office.progress().await.expect("a walk");
    assert_eq!((progress.done, progress.changed), (0, 0));
    // It learns of the change by itself.
    while walker.step().await.expect("a step") {}
    let expected = BTreeMap::from([("held critical".to_owned(), 400)]);
    assert_eq!(office.severities().await, expected);
}

#[sqlx::test(migrations = "../migrations")]
async fn one_office_walks_at_a_time_and_gives_way_to_people(pool: PgPool) {
    let office = Office::open(&pool).await;
    let letters = office.receive(many(3, "no stock")).await;
    office.add("", critical()).await;
    let mut other = pool.begin().await.expect("a transaction");
    assert!(judging::take(&mut other).await.expect("taken").is_some());
    assert!(!office.walker().step().await.expect("left to the other"));
    other.rollback().await.expect("let go");
    let mut person = pool.begin().await.expect("a transaction");
    sqlx::query("select from letters where id = $1 for update")
        .bind(letters[1].0)
        .execute(&mut *person)
        .await
        .expect("locked");
    let refused = office
        .walker()
        .step()
        .await
        .expect_err("it waits for nobody");
    assert!(refused.is_lock_timeout(), "{refused}");
    person.rollback().await.expect("let go");
    office.walk().await;
    let expected = BTreeMap::from([("held critical".to_owned(), 3)]);
    assert_eq!(office.severities().await, expected);
}

#[sqlx::test(migrations = "../migrations")]
async fn a_letter_that_died_again_meanwhile_keeps_its_newer_judgement(pool: PgPool) {
    let office = Office::open(&pool).await;
    let letters = office.receive(many(2, "no stock")).await;
    let rulings: Vec<Ruling> = letters
        .iter()
        .map(|letter| Ruling {
            letter: *letter,
            arrivals: 1,
            severity: Severity::Critical,
            signature: None,
        })
        .collect();
    sqlx::query("update letters set arrivals = 2 where id = $1")
        .bind(letters[0].0)
        .execute(&pool)
        .await
        .expect("died again");
    let mut conn = pool.acquire().await.expect("a connection");
    let changed = judging::rejudge(&mut conn, &rulings).await.expect("judged");
    assert_eq!(changed, letters[1..]);
}

#[sqlx::test(migrations = "../migrations")]
async fn history_is_grouped_again_and_counters_equal_a_recount(pool: PgPool) {
    let office = Office::open(&pool).await;
    office
        .receive(many(30, "robot alpha lost its left arm"))
        .await;
    office.clock.advance(TimeDelta::hours(2));
    office
        .receive(many(40, "robot alpha lost its left arm"))
        .await;
    office
        .receive(many(50, "the conveyor belt stands still"))
        .await;
    office
        .receive(many(5, "the ledger of the month is closed"))
        .await;
    office.group().await;
    let list = async || {
        let mut conn = pool.acquire().await.expect("a connection");
        let page = read::page(&mut conn, None, None, 100, office.clock.now()).await;
        let groups = page.expect("a page").into_iter().map(|(_, group)| group);
        let count = read::count(&mut conn, None).await.expect("counted");
        let groups: Vec<_> = groups.collect();
        assert_eq!(usize::try_from(count).expect("small"), groups.len());
        groups
    };
    let before = list().await;
    assert_eq!(before.len(), 3);
    let belt = before.iter().find(|group| group.letters == 50).expect("it");
    sqlx::query("update groups set owner = 'ann' where id = $1")
        .bind(belt.id.0)
        .execute(&pool)
        .await
        .expect("taken on");
    office
        .add("error:robot OR error:conveyor", key("machines"))
        .await;
    office.walk().await;
    office.group().await;
    office.assert_counted_right().await;
    let after = list().await;
    let mut seen: Vec<_> = after
        .iter()
        .map(|group| (group.letters, group.arrivals, group.owner.as_deref()))
        .collect();
    seen.sort_unstable();
    // The robots' group is left off; the belt's is somebody's.
    assert_eq!(seen, [(0, 0, Some("ann")), (5, 5, None), (120, 120, None)]);
    let machines = after.iter().find(|group| group.letters == 120).expect("it");
    assert_eq!(machines.by_hour[23], 90);
    assert_eq!(machines.by_hour[21], 30, "each in its hour");
}

#[sqlx::test(migrations = "../migrations")]
async fn letters_from_before_there_were_signatures_get_theirs(pool: PgPool) {
    let office = Office::open(&pool).await;
    office.receive(many(10, "no stock")).await;
    office
        .set(
            "update letters set signature = null, severity = 'low';
             truncate signatures, signature_changes, signature_totals, signature_hours cascade;
             update judging set severity_is_due = true, signature_is_due = true;",
        )
        .await;
    office.walk().await;
    office.group().await;
    office.assert_counted_right().await;
    let expected = BTreeMap::from([("held normal".to_owned(), 10)]);
    assert_eq!(office.severities().await, expected);
}

#[sqlx::test(migrations = "../migrations")]
async fn a_stored_letter_is_judged_as_it_was_when_it_arrived(pool: PgPool) {
    let office = Office::open(&pool).await;
    for (place, filter) in [
        "queue:orders.work error:\"NUL\" body.tenant:acme",
        "header.tenant:globex",
        "body.lines.n:>0 -error:stock",
        "\"tenant\": error:stock",
        "size:>100",
    ]
    .into_iter()
    .enumerate()
    {
        let severity = Severity::ALL[place % 4];
        office.add(filter, Verdict::Severity(severity)).await;
        office
            .add(filter, key(&format!("{place} {{error_message}}")))
            .await;
    }
    let mut odd = vec![
        died_of("a NUL \0 in it"),
        died_of("no stock of item 4711"),
        died_of(&"long ".repeat(2_000)),
        Delivered::default(),
    ];
    let mut tenant = died_of("other");
    tenant
        .headers
        .set("tenant", FieldValue::LongString("globex".into()));
    tenant.body = vec![0xff; 200];
    odd.push(tenant);
    let letters = office.receive(odd).await;
    let mut conn = pool.acquire().await.expect("a connection");
    let judge = office.judges.current(&mut conn).await.expect("a judge");
    let read = stored(&mut conn, &letters, true).await.expect("read");
    assert_eq!(read.len(), letters.len());
    for letter in &read {
        let judgement = letter.judged_by(&judge, &mut Masker::new());
        assert_eq!(judgement.severity, letter.severity);
        assert_eq!(letter.severity_by(&judge), letter.severity);
        assert_eq!(Some(judgement.signature.id), letter.signature);
    }
    office.walk().await;
    let mut conn = pool.acquire().await.expect("a connection");
    let changed: i64 = sqlx::query_scalar("select changed from judging")
        .fetch_one(&mut *conn)
        .await
        .expect("read");
    assert_eq!(changed, 0, "the walk finds nothing to change");
}

#[sqlx::test(migrations = "../migrations")]
async fn a_letter_that_dies_again_is_judged_by_what_it_then_is(pool: PgPool) {
    let office = Office::open(&pool).await;
    office
        .add("arrivals:>1 replays:>0 error:stock", critical())
        .await;
    office.add("arrivals:>1", key("again and again")).await;
    office.walk().await;
    let letter = office.receive(many(1, "no stock")).await[0];
    let replay = ReplayId(Uuid::from_u128(7));
    sqlx::query(
        "with replay as (
             insert into replays (id, state, target, created_by, created_at, total, pending)
             values ($1, 'running', '{}', 'ann', now(), 1, 1)),
         item as (
             insert into replay_items (replay_id, position, letter_id, attempt, vhost, broker)
             values ($1, 1, $2, 1, '/', 'main'))
         update letters set state = 'replayed', replays = 1 where id = $2",
    )
    .bind(replay.0)
    .bind(letter.0)
    .execute(&pool)
    .await
    .expect("replayed");
    // This death tells no error: the letter keeps the one that it had.
    let mut incoming = office.incoming(Delivered::default()).await;
    assert_eq!(
        incoming.severity,
        Severity::Normal,
        "as a letter of its own"
    );
    let from = ReturnsFrom {
        letter_id: letter,
        replay_id: replay,
    };
    let mut transaction = pool.begin().await.expect("a transaction");
    let judge = office.judges.newest();
    let joined =
        append_returned(&mut transaction, office.source, &mut incoming, from, &judge).await;
    assert!(joined.expect("joined"));
    transaction.commit().await.expect("committed");
    let expected = BTreeMap::from([("held critical".to_owned(), 1)]);
    assert_eq!(office.severities().await, expected);
    let mut conn = pool.acquire().await.expect("a connection");
    let read = stored(&mut conn, &[letter], true).await.expect("read");
    let judgement = read[0].judged_by(&judge, &mut Masker::new());
    assert_eq!(Some(judgement.signature.id), read[0].signature);
    let known: bool = sqlx::query_scalar("select exists (select from signatures where id = $1)")
        .bind(&judgement.signature.id.0[..])
        .fetch_one(&mut *conn)
        .await
        .expect("asked");
    assert!(
        known,
        "its signature is written down, so that it is grouped"
    );
}

#[sqlx::test(migrations = "../migrations")]
async fn a_preview_counts_the_last_days_and_changes_nothing(pool: PgPool) {
    let office = Office::open(&pool).await;
    office.receive(many(3, "no stock in spring")).await;
    office.clock.advance(TimeDelta::days(8));
    office.receive(many(12, "no stock in berlin")).await;
    office
        .receive(many(6, "no stock in lisbon, and never was any"))
        .await;
    office.receive(many(4, "the ledger is closed")).await;
    office
        .set("update letters set severity = 'low' where error_message like '%lisbon%'")
        .await;
    office.set("update letters set state = 'discarded' where id in (select id from letters where error_message like '%berlin' limit 2)").await;
    office.group().await;
    let preview = office.preview("error:\"no stock\"", critical()).await;
    assert_eq!(
        (preview.days, preview.matched, preview.is_capped),
        (7, 18, false)
    );
    let now: Vec<_> = preview
        .now
        .iter()
        .map(|one| (one.severity, one.letters))
        .collect();
    assert_eq!(now, [(Severity::Normal, 10), (Severity::Low, 6)]);
    assert_eq!(preview.samples.len(), 5);
    assert_eq!((preview.read, preview.groups_now), (0, 0));
    let preview = office.preview("error:\"no stock\"", key("stock")).await;
    assert_eq!((preview.read, preview.now.len()), (18, 0));
    assert_eq!((preview.groups_now, preview.groups_then), (2, 1));
    let apart = office.preview("", key("{error_message}")).await;
    assert_eq!((apart.groups_now, apart.groups_then), (3, 3));
    let nothing = office.preview("queue:nowhere", critical()).await;
    assert_eq!((nothing.matched, nothing.samples.len()), (0, 0));
    assert_eq!(office.progress().await, None, "nothing was changed");
}

#[sqlx::test(migrations = "../migrations")]
async fn a_rename_is_followed_where_rules_ask_for_names(pool: PgPool) {
    let office = Office::open(&pool).await;
    office.receive(many(2, "no stock")).await;
    let mut conn = pool.acquire().await.expect("a connection");
    let now = office.clock.now();
    after_renaming(&mut conn, now).await.expect("looked at");
    assert_eq!(office.progress().await, None, "no rule asks for names");
    office.add("source:dead-letters", critical()).await;
    office.walk().await;
    office.set("update sources set name = 'dead-letters'").await;
    after_renaming(&mut conn, now).await.expect("looked at");
    office.walk().await;
    let expected = BTreeMap::from([("held critical".to_owned(), 2)]);
    assert_eq!(office.severities().await, expected);
}
