//! An office to test with.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use dlo_domain::arrival::Delivered;
use dlo_domain::decoding::MessageTypes;
use dlo_domain::failure::HeaderMap;
use dlo_domain::filter::LetterFilter;
use dlo_domain::grouping::Masker;
use dlo_domain::ids::{LetterId, RuleId, SourceId};
use dlo_domain::reading;
use dlo_domain::rule::{JudgingAgain, NewRule, RulePreview, Verdict};
use sqlx::PgPool;

use crate::clock::{Clock as _, ManualClock, new_id};
use crate::fixture;
use crate::grouping::Grouper;
use crate::judging::{Judges, Walker, preview};
use crate::store::groups::{signatures, totals};
use crate::store::judging::{self, Due};
use crate::store::letters::{Court, Incoming, insert_new};
use crate::store::rules;

/// An office that takes letters from one source.
pub(super) struct Office {
    pub(super) pool: PgPool,
    pub(super) clock: Arc<ManualClock>,
    pub(super) judges: Judges,
    pub(super) source: SourceId,
}

impl Office {
    pub(super) async fn open(pool: &PgPool) -> Self {
        Self {
            pool: pool.clone(),
            clock: Arc::new(ManualClock::at(fixture::noon())),
            judges: Judges::default(),
            source: fixture::source(pool).await,
        }
    }

    pub(super) fn walker(&self) -> Walker {
        Walker::new(self.pool.clone())
    }

    /// A delivery that is read and judged by the rules as they are.
    pub(super) async fn incoming(&self, delivered: Delivered) -> Incoming {
        let mut conn = self.pool.acquire().await.expect("a connection");
        let (judge, standing) =
            self.judges.current_for(&mut conn, self.source).await.expect("a judge");
        let court = Court { judge: &judge, source: &standing.source };
        let reading = reading::read(&delivered, &HeaderMap::default(), &MessageTypes::default());
        let id = LetterId(new_id(&*self.clock));
        let now = self.clock.now();
        Incoming::new(id, now, delivered, reading, court, &mut Masker::new())
    }

    pub(super) async fn receive(&self, deliveries: Vec<Delivered>) -> Vec<LetterId> {
        let mut incoming = Vec::new();
        for delivered in deliveries {
            incoming.push(self.incoming(delivered).await);
        }
        let all: Vec<&Incoming> = incoming.iter().collect();
        let mut transaction = self.pool.begin().await.expect("a transaction");
        signatures::remember(&mut transaction, &all).await.expect("remembered");
        insert_new(&mut transaction, self.source, &all).await.expect("stored");
        transaction.commit().await.expect("committed");
        incoming.iter().map(|one| one.letter_id).collect()
    }

    /// Adds a rule, and has what it concerns judged again.
    pub(super) async fn add(&self, filter: &str, verdict: Verdict) {
        let due = Due {
            severity: matches!(verdict, Verdict::Severity(_)),
            signature: matches!(verdict, Verdict::Grouping(_)),
            contents: false,
        };
        let rule = NewRule { name: "a rule".into(), filter: filter.into(), verdict, enabled: true };
        let mut transaction = self.pool.begin().await.expect("a transaction");
        let conn = &mut *transaction;
        rules::take(conn).await.expect("taken");
        let id = new_id(&*self.clock);
        let now = self.clock.now();
        rules::insert(conn, id, &rule, "ann", now).await.expect("added");
        // Before those that come with the product.
        rules::order(conn, rule.verdict.kind(), &[RuleId(id)]).await.expect("ordered");
        rules::revise(conn).await.expect("revised");
        judging::begin(conn, due, now).await.expect("begun");
        transaction.commit().await.expect("committed");
    }

    pub(super) async fn walk(&self) {
        let mut walker = self.walker();
        while walker.walk_on().await.expect("a step") {}
    }

    pub(super) async fn group(&self) {
        Grouper::new(self.pool.clone(), self.clock.clone()).catch_up().await.expect("grouped");
        let mut transaction = self.pool.begin().await.expect("a transaction");
        let folded = totals::fold(&mut transaction, self.clock.now()).await;
        folded.expect("folded");
        transaction.commit().await.expect("committed");
    }

    pub(super) async fn severities(&self) -> BTreeMap<String, i64> {
        let rows: Vec<(String, i64)> =
            sqlx::query_as("select state || ' ' || severity, count(*) from letters group by 1")
                .fetch_all(&self.pool)
                .await
                .expect("counted");
        rows.into_iter().collect()
    }

    pub(super) async fn progress(&self) -> Option<JudgingAgain> {
        let mut conn = self.pool.acquire().await.expect("a connection");
        judging::progress(&mut conn).await.expect("read")
    }

    pub(super) async fn preview(&self, filter: &str, verdict: Verdict) -> RulePreview {
        let rule = NewRule { name: "a rule".into(), filter: filter.into(), verdict, enabled: true };
        let filter = LetterFilter::parse(filter).expect("a filter");
        let mut transaction = self.pool.begin().await.expect("a transaction");
        let judge = self.judges.current(&mut transaction).await.expect("a judge");
        let with = judge.with_first(&rule).expect("it can be used");
        preview(&mut transaction, &rule, &filter, &with, self.clock.now(), Duration::from_mins(1))
            .await
            .expect("previewed")
    }

    pub(super) async fn set(&self, what: &'static str) {
        sqlx::raw_sql(what).execute(&self.pool).await.expect("set");
    }

    /// Counters equal a recount: letters, arrivals, and arrivals an hour.
    pub(super) async fn assert_counted_right(&self) {
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
