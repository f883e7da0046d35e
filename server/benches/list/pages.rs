//! P5: pages of the list at random places, against looking one letter up.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::filter::LetterFilter;
use dlo_domain::page::Cursor;
use dlo_server::clock::{Clock as _, SystemClock};
use dlo_server::config::Patience;
use dlo_server::store::letter_list::{self, Found, Matching, SearchTime};
use sqlx::{Connection as _, PgConnection, PgPool};
use uuid::Uuid;

use crate::Outcome;
use crate::table::{Times, Wanted, head, line};

/// A page and the letter after it, as the desk asks for them.
pub const PAGE: i64 = 51;
/// What people filter by: each field that has an index, and some together.
const FILTERS: [&str; 11] = [
    "",
    "state:held",
    "queue:payments.work",
    "source:emails.dead",
    "severity:critical",
    "severity:high",
    "reason:maxlen",
    "state:held queue:orders.retry",
    "source:sales.dead severity:low",
    "state:held severity:critical reason:rejected",
    "queue:shipping.export -state:discarded age:<30d",
];
/// How deep the deep page is.
const DEEP_PAGE: i64 = 100_000;

/// Prints the part.
pub async fn measure(many: &PgPool, few: &PgPool, rounds: usize) -> Outcome<()> {
    head("P5", "pages of the list at random places, in ms");
    let mut times = Vec::new();
    let (mut by_key, mut all, mut all_few) = (Times::default(), Times::default(), Times::default());
    let (mut conn, mut conn_few) = (many.acquire().await?, few.acquire().await?);
    let (span, span_few) = (span(&mut conn).await?, span(&mut conn_few).await?);
    for filter in FILTERS {
        let filter = LetterFilter::parse(filter)?;
        let (mut at_many, mut at_few) = (Times::default(), Times::default());
        // The first pages warm the caches up and are not counted.
        for round in 0..rounds + 20 {
            let (place, place_few) = (somewhere(span), somewhere(span_few));
            let (mut big, mut small, mut key) = Default::default();
            let (big, small, key): (&mut Times, &mut Times, &mut Times) =
                (&mut big, &mut small, &mut key);
            let found = big.of(page(&mut conn, &filter, Some(place))).await?;
            small.of(page(&mut conn_few, &filter, Some(place_few))).await?;
            if let Some(letter) = found.letters.last() {
                key.of(look_up(&mut conn, letter.id.0)).await?;
            }
            if round >= 20 {
                at_many.extend(big);
                at_few.extend(small);
                by_key.extend(key);
            }
        }
        all.extend(&at_many);
        all_few.extend(&at_few);
        times.push((filter.to_string(), at_many, at_few));
    }
    times.push(("all of them".to_owned(), all, all_few));
    let floor = by_key.p99();
    println!("  looking one letter up: p50 {:.3}, p99 {floor:.3}", by_key.percentile(50));
    for (name, at_many, at_few) in &times {
        let (p50, p99, few) = (at_many.percentile(50), at_many.p99(), at_few.p99());
        let name = if name.is_empty() { "no filter" } else { name };
        let figures = format!("p50 {p50:.2} p99 {p99:.2}");
        line(name, &figures, p99 / floor, 30.0, Wanted::AtMost);
        let figures = format!("p99 {p99:.2}, of 100,000 letters {few:.2}");
        line("", &figures, p99 / few, 2.0, Wanted::AtMost);
    }
    deep(&mut conn, span, rounds).await
}

async fn deep(conn: &mut PgConnection, span: Span, rounds: usize) -> Outcome<()> {
    let letters: i64 = sqlx::query_scalar("select sum(letters)::bigint from letter_counts")
        .fetch_one(&mut *conn)
        .await?;
    let depth = (DEEP_PAGE * (PAGE - 1)).min(letters * 9 / 10);
    let offset = "select last_arrived_at, id from letters order by last_arrived_at desc, id desc \
                  offset $1 limit 1";
    let (at, id): (DateTime<Utc>, Uuid) =
        sqlx::query_as(offset).bind(depth).fetch_one(&mut *conn).await?;
    let filter = LetterFilter::default();
    let (mut first, mut deep) = (Times::default(), Times::default());
    let top = Cursor { at: span.until, id: Uuid::max() };
    for _ in 0..rounds {
        first.of(page(conn, &filter, Some(top))).await?;
        deep.of(page(conn, &filter, Some(Cursor { at, id }))).await?;
    }
    let name = format!("page {} against page 1", depth / (PAGE - 1));
    let figures = format!("p99 {:.2} and {:.2}", deep.p99(), first.p99());
    line(&name, &figures, deep.p99() / first.p99(), 1.5, Wanted::AtMost);
    Ok(())
}

/// What the desk does for a page of the list.
pub async fn page(
    conn: &mut PgConnection,
    filter: &LetterFilter,
    after: Option<Cursor>,
) -> Outcome<Found> {
    let mut transaction = conn.begin().await?;
    letter_list::limit_time(&mut transaction, Duration::from_secs(10)).await?;
    let matching = Matching::look_up(&mut transaction, filter, SystemClock.now()).await?;
    let time = SearchTime::within(Patience::default().search);
    let found = letter_list::search(&mut transaction, &matching, after, PAGE, time).await?;
    transaction.commit().await?;
    Ok(found)
}

async fn look_up(conn: &mut PgConnection, id: Uuid) -> Outcome<()> {
    let letter = "select state, severity, queue, reason, error_class, last_arrived_at \
                  from letters where id = $1";
    sqlx::query(letter).bind(id).fetch_one(conn).await?;
    Ok(())
}

#[derive(Clone, Copy)]
struct Span {
    from: DateTime<Utc>,
    until: DateTime<Utc>,
}

async fn span(conn: &mut PgConnection) -> Outcome<Span> {
    let (from, until) =
        sqlx::query_as("select min(last_arrived_at), max(last_arrived_at) from letters")
            .fetch_one(conn)
            .await?;
    Ok(Span { from, until })
}

/// Anywhere but in the oldest tenth, where a page may find the end.
fn somewhere(span: Span) -> Cursor {
    let share = rand::random_range(0.0..0.9);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "a random moment"
    )]
    let back = ((span.until - span.from).num_milliseconds() as f64 * share) as i64;
    Cursor { at: span.until - TimeDelta::milliseconds(back), id: Uuid::max() }
}
