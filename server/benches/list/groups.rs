//! P6: the page of groups, against counting the letters of each group when it is asked for.

use dlo_server::clock::{Clock as _, SystemClock};
use dlo_server::store::groups::read::{self, Place};
use dlo_server::store::{counts, groups::totals};
use sqlx::PgPool;

use crate::Outcome;
use crate::pages::PAGE;
use crate::table::{Times, Wanted, head, line};

/// Prints the part, of which `when` says what goes on beside it; the time of a page is returned.
pub async fn measure(pool: &PgPool, rounds: usize, when: &str) -> Outcome<f64> {
    let mut conn = pool.acquire().await?;
    let groups: i64 =
        sqlx::query_scalar("select count(*) from group_totals").fetch_one(&mut *conn).await?;
    head("P6", &format!("pages of {groups} groups {when}, in ms"));
    let mut times = Times::default();
    let mut after: Option<Place> = None;
    for _ in 0..rounds {
        let page = times.of(read::page(&mut conn, None, after, PAGE, SystemClock.now())).await?;
        // From page to page, and again from the first.
        after = page.last().map(|(place, _)| *place);
    }
    let p99 = times.p99();
    line(
        "a page",
        &format!("p50 {:.2} p99 {p99:.2}", times.percentile(50)),
        p99,
        20.0,
        Wanted::AtMost,
    );
    Ok(p99)
}

/// Prints how much dearer it is to count when asked.
pub async fn print_live(pool: &PgPool, page: f64) -> Outcome<()> {
    let mut conn = pool.acquire().await?;
    let mut times = Times::default();
    for _ in 0..3 {
        times.of(sqlx::raw_sql(LIVE).execute(&mut *conn)).await?;
    }
    let live = times.percentile(50);
    head("P6", "counting the letters of all groups when asked, without intake");
    line("a page", &format!("{live:.0} ms against {page:.2}"), live / page, 40.0, Wanted::AtLeast);
    Ok(())
}

const LIVE: &str = "
    select s.group_id, count(*) as letters, sum(l.arrivals) as arrivals, max(l.last_arrived_at),
        count(*) filter (where l.state in ('held', 'scheduled', 'unknown')) as waiting,
        sum(case l.severity when 'critical' then 1000 when 'high' then 100 when 'normal' then 10
            else 1 end) filter (where l.state in ('held', 'scheduled', 'unknown')) as impact
    from letters l join signatures s on s.id = l.signature
    group by s.group_id order by impact desc nulls last limit 51";

/// Folds what is left and compares every counter with a recount.
pub async fn recount(pool: &PgPool) -> Outcome<()> {
    let mut transaction = pool.begin().await?;
    counts::fold(&mut transaction, SystemClock.now()).await?;
    totals::fold(&mut transaction, SystemClock.now()).await?;
    transaction.commit().await?;
    for (name, sql) in
        [("letters by source, state, severity", BY_STATE), ("letters by group", BY_GROUP)]
    {
        let wrong: i64 = sqlx::query_scalar(sql).fetch_one(pool).await?;
        line(name, "counters that differ from a recount", as_figure(wrong), 0.0, Wanted::AtMost);
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "a small count")]
fn as_figure(count: i64) -> f64 {
    count as f64
}

const BY_STATE: &str = "
    select count(*) from (
        select source_id, state, severity, sum(letters) as letters from (
            select source_id, state, severity, letters from letter_counts
            union all
            select source_id, state, severity, -count(*) from letters group by 1, 2, 3) as together
        group by 1, 2, 3 having sum(letters) <> 0) as wrong";

const BY_GROUP: &str = "
    select count(*) from (
        select group_id, sum(letters), sum(arrivals), sum(waiting) from (
            select group_id, letters, arrivals, waiting from group_totals
            union all
            select s.group_id, -sum(l.letters), -sum(l.arrivals), -sum(l.waiting)
            from (
                select signature, count(*) as letters, sum(arrivals) as arrivals,
                    count(*) filter (where state in ('held', 'scheduled', 'unknown')) as waiting
                from letters group by signature) as l
            join signatures s on s.id = l.signature where s.group_id is not null
            group by s.group_id) as together
        group by group_id
        having sum(letters) <> 0 or sum(arrivals) <> 0 or sum(waiting) <> 0) as wrong";
