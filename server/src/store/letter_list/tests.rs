//! Paging and filters over letters made by hand.

use chrono::TimeDelta;
use dlo_domain::filter::LetterFilter;
use dlo_domain::page::Total;
use sqlx::PgPool;

use super::*;
use crate::fixture::noon;
use crate::store::texts::{self, IndexedParts};

mod beyond_the_index;

async fn source(conn: &mut PgConnection, id: u128, name: &str) {
    sqlx::query!(
        "insert into sources (id, broker, vhost, queue, name, mode, configured, condition_since,
             created_at)
         values ($1, 'main', '/', 'q' || $4, $2, 'take', false, $3, $3)",
        Uuid::from_u128(id),
        name,
        noon(),
        id.to_string()
    )
    .execute(conn)
    .await
    .expect("a source");
}

/// A letter that arrived so many minutes before noon.
async fn letter(
    conn: &mut PgConnection,
    id: u128,
    source: u128,
    queue: Option<&str>,
    minutes: i64,
) {
    sqlx::query!(
        "insert into letters (id, source_id, state, severity, queue, reason, error_class,
             error_message, size_bytes, arrivals, first_arrived_at, last_arrived_at)
         values ($1, $2, case when $3 % 2 = 0 then 'held' else 'discarded' end,
             case when $3 % 3 = 0 then 'low' else 'high' end, $4,
             case when $3 % 5 = 0 then 'expired' else 'rejected' end, 'Class' || ($3 % 4),
             repeat('é', 400), 1, 1, $5, $5)",
        Uuid::from_u128(id),
        Uuid::from_u128(source),
        i32::try_from(id).expect("small"),
        queue,
        noon() - TimeDelta::minutes(minutes)
    )
    .execute(conn)
    .await
    .expect("a letter");
}

/// However slow the machine is.
const ENOUGH: SearchTime =
    SearchTime { planned: Duration::from_mins(1), whole: Duration::from_mins(1) };

async fn matched(conn: &mut PgConnection, filter: &str) -> Vec<u128> {
    let filter = LetterFilter::parse(filter).expect("a filter");
    let matching = Matching::look_up(conn, &filter, noon()).await.expect("looked up");
    let page = page(conn, &matching, None, 500).await.expect("a page");
    let mut found: Vec<u128> = page.iter().map(|letter| letter.id.0.as_u128()).collect();
    found.sort_unstable();
    for planned in [ENOUGH.planned, Duration::ZERO] {
        let time = SearchTime { planned, whole: Duration::from_mins(1) };
        let searched = search(conn, &matching, None, 500, time).await;
        assert_eq!(searched.expect("searched").letters, page, "{planned:?}");
    }
    let ids = ids(conn, &matching, 500).await.expect("ids");
    let ids: Vec<u128> = ids.iter().map(|id| id.0.as_u128()).collect();
    assert_eq!(found, ids, "the list and the selection differ");
    let counted = count(conn, &matching).await.expect("counted");
    let all = i64::try_from(found.len()).expect("small");
    assert_eq!(counted, Total::exactly(all));
    found
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn each_field_of_a_filter_matches_what_it_says(pool: PgPool) {
    let mut conn = pool.acquire().await.expect("a connection");
    source(&mut conn, 1, "orders dead").await;
    source(&mut conn, 2, "emails").await;
    source(&mut conn, 3, "emails").await;
    let queues = [Some("orders.work"), Some("orders%work"), Some("a_b"), Some("axb"), None];
    for (id, queue) in (1..).zip(queues) {
        letter(&mut conn, id, 1, queue, i64::try_from(id).expect("small") * 10).await;
    }
    letter(&mut conn, 6, 2, Some(r"back\slash"), 0).await;
    letter(&mut conn, 7, 3, Some("orders.retry"), 1).await;
    for (filter, wanted) in [
        ("", vec![1, 2, 3, 4, 5, 6, 7]),
        (r#"source:"orders dead""#, vec![1, 2, 3, 4, 5]),
        ("source:emails", vec![6, 7]),
        ("source:nobody", vec![]),
        ("queue:orders.work", vec![1]),
        ("queue:orders.*", vec![1, 7]),
        ("queue:orders%*", vec![2]),
        ("queue:a_*", vec![3]),
        ("queue:*", vec![1, 2, 3, 4, 6, 7]),
        (r#"queue:"back\\*""#, vec![6]),
        ("state:held", vec![2, 4, 6]),
        ("severity:low state:held", vec![6]),
        ("reason:expired", vec![5]),
        ("error_class:Class3", vec![3, 7]),
        ("age:<20m", vec![1, 6, 7]),
        ("age:<=20m", vec![1, 2, 6, 7]),
        ("age:>20m", vec![3, 4, 5]),
        // `until:` leaves the moment itself out, `since:` holds it.
        ("since:2026-11-21T11:30:00Z until:2026-11-21T11:40:00Z", vec![3]),
    ] {
        let wanted: Vec<u128> = wanted;
        assert_eq!(matched(&mut conn, filter).await, wanted, "{filter}");
    }
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn pages_hold_every_letter_once_also_when_times_are_equal(pool: PgPool) {
    let mut conn = pool.acquire().await.expect("a connection");
    source(&mut conn, 1, "dead").await;
    for id in 1..=23 {
        let minutes = i64::try_from(id).expect("small") / 10;
        letter(&mut conn, id, 1, Some("work"), minutes).await;
    }
    let mut seen = Vec::new();
    let mut after = None;
    loop {
        let matching = Matching::default();
        let letters = page(&mut conn, &matching, after, 4).await.expect("a page");
        let Some(last) = letters.last() else { break };
        after = Some(Cursor { at: last.last_arrived_at, id: last.id.0 });
        seen.extend(letters.iter().map(|one| (one.last_arrived_at, one.id.0.as_u128())));
    }
    let mut sorted = seen.clone();
    sorted.sort_unstable();
    sorted.reverse();
    assert_eq!(seen, sorted, "the newest come first");
    sorted.dedup();
    assert_eq!(sorted.len(), 23);
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn the_list_cuts_long_texts_and_not_within_a_character(pool: PgPool) {
    let mut conn = pool.acquire().await.expect("a connection");
    source(&mut conn, 1, "dead").await;
    letter(&mut conn, 1, 1, None, 0).await;
    let letters = page(&mut conn, &Matching::default(), None, 1).await.expect("a page");
    let message = letters[0].error_message.as_deref().expect("a message");
    assert_eq!(message, "é".repeat(300));
}

/// Letters 1 to 2,500, each a second older than the one before, with an extract each: the last is
/// the only one with a needle.
async fn haystack(conn: &mut PgConnection) {
    source(conn, 1, "dead").await;
    sqlx::query!(
        "with new as (
             insert into letters (id, source_id, state, severity, reason, error_message, size_bytes,
                 arrivals, first_arrived_at, last_arrived_at)
             select lpad(to_hex(n), 32, '0')::uuid, $1, 'held', 'high', 'rejected',
                 case n when 2500 then 'Needle' else 'hay' end, 1, 1, $2::timestamptz - n * interval '1 s',
                 $2::timestamptz - n * interval '1 s'
             from generate_series(1, 2500) as n
             returning id, error_message)
         insert into texts (letter_id, text, is_whole) select id, lower(error_message), true from new",
        Uuid::from_u128(1),
        noon(),
    )
    .execute(conn)
    .await
    .expect("a haystack");
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_search_without_time_stops_and_goes_on_from_there(pool: PgPool) {
    let mut conn = pool.acquire().await.expect("a connection");
    haystack(&mut conn).await;
    let no_time = SearchTime { planned: Duration::ZERO, whole: Duration::ZERO };
    for (text, step) in
        [("needle", 100), ("error_message:needle", 1_000), ("needle -state:resolved", 100)]
    {
        let filter = LetterFilter::parse(text).expect("a filter");
        let matching = Matching::look_up(&mut conn, &filter, noon()).await;
        let matching = matching.expect("looked up");
        let usual = search(&mut conn, &matching, None, 5, ENOUGH).await.expect("found");
        assert_eq!((usual.letters.len(), usual.stopped_at), (1, None), "{text}");
        let (mut after, mut stops, mut letters) = (None, Vec::new(), Vec::new());
        loop {
            let found = search(&mut conn, &matching, after, 5, no_time).await;
            let found = found.expect("a part");
            letters.extend(found.letters);
            let Some(place) = found.stopped_at else { break };
            stops.push(place.id.as_u128());
            after = Some(place);
        }
        assert_eq!(letters, usual.letters, "{text}");
        let wanted: Vec<u128> = (1..=2_500 / step).map(|n| n * step).collect();
        assert_eq!(stops, wanted, "{text}");
    }
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn frequent_texts_are_walked_for(pool: PgPool) {
    let mut conn = pool.acquire().await.expect("a connection");
    haystack(&mut conn).await;
    let filter = LetterFilter::parse("hay").expect("a filter");
    let matching = Matching::look_up(&mut conn, &filter, noon()).await.expect("looked up");
    let found = search(&mut conn, &matching, None, 51, ENOUGH).await.expect("found");
    let ids: Vec<u128> = found.letters.iter().map(|letter| letter.id.0.as_u128()).collect();
    assert_eq!(ids, (1..=51).collect::<Vec<u128>>());
    let at = found.letters.last().map(|last| Cursor { at: last.last_arrived_at, id: last.id.0 });
    let next = search(&mut conn, &matching, at, 1, ENOUGH).await.expect("found");
    assert_eq!(next.letters[0].id.0.as_u128(), 52);
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_count_that_is_given_up_says_so_and_a_counter_does_not(pool: PgPool) {
    let mut conn = pool.acquire().await.expect("a connection");
    source(&mut conn, 1, "orders").await;
    letter(&mut conn, 2, 1, Some("work"), 5).await;
    sqlx::query(
        "insert into letters (id, source_id, state, severity, queue, reason, size_bytes, arrivals,
             first_arrived_at, last_arrived_at)
         select gen_random_uuid(), source_id, state, severity, queue, reason, size_bytes, arrivals,
             first_arrived_at, last_arrived_at
         from letters, generate_series(1, 10000)",
    )
    .execute(&mut *conn)
    .await
    .expect("copied");
    for (text, total) in [
        ("size:>=0", Total::at_least(MOST_COUNTED)),
        ("state:held", Total::exactly(MOST_COUNTED + 1)),
    ] {
        let filter = LetterFilter::parse(text).expect("a filter");
        let matching = Matching::look_up(&mut conn, &filter, noon()).await.expect("looked up");
        let counted = count(&mut conn, &matching).await;
        assert_eq!(counted.expect("counted"), total, "{text}");
    }
}

/// In a storm the index of texts is behind: what it has is found at once, the newest are read, and
/// what lies between is told.
#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_rare_text_is_found_behind_a_backlog(pool: PgPool) {
    let mut conn = pool.acquire().await.expect("a connection");
    haystack(&mut conn).await;
    // The haystack's ids grow with age; these do not, and none of them is in the index.
    sqlx::query!(
        "with new as (
             insert into letters (id, source_id, state, severity, reason, error_message, size_bytes,
                 arrivals, first_arrived_at, last_arrived_at)
             select lpad(to_hex(n), 32, '0')::uuid, $1, 'held', 'high', 'rejected',
                 case when n in (10001, 12500, 17000) then 'Needle' else 'hay' end, 1, 1,
                 $2::timestamptz + n * interval '1 s', $2::timestamptz + n * interval '1 s'
             from generate_series(10001, 17000) as n
             returning id, error_message)
         insert into extracts (letter_id, headers, excerpt_bytes) select id, '{}', 0 from new",
        Uuid::from_u128(1),
        noon(),
    )
    .execute(&mut *conn)
    .await
    .expect("a backlog");
    let filter = LetterFilter::parse("needle").expect("a filter");
    let matching = Matching::look_up(&mut conn, &filter, noon()).await;
    let matching = matching.expect("looked up");
    let look = async |conn: &mut PgConnection, after| {
        let found = search(conn, &matching, after, 5, ENOUGH).await.expect("found");
        let ids = found.letters.iter().map(|letter| letter.id.0.as_u128());
        (ids.collect::<Vec<_>>(), found.stopped_at, found.unread)
    };
    let (ids, stopped_at, unread) = look(&mut conn, None).await;
    assert_eq!(ids, [17_000, 2_500]);
    assert_eq!(stopped_at, None);
    let unread = unread.expect("the letters between");
    let second = |n| noon() + chrono::TimeDelta::seconds(n);
    assert_eq!((unread.since, unread.until), (second(10_001), second(14_000)));
    let behind = Cursor { at: second(10_000), id: Uuid::max() };
    let (ids, _, unread) = look(&mut conn, Some(behind)).await;
    assert_eq!((ids, unread), (vec![2_500], None), "none were skipped here");
    assert_eq!(
        texts::index_some(&mut conn, 7_000, IndexedParts::default()).await.expect("indexed"),
        7_000
    );
    let (ids, _, unread) = look(&mut conn, None).await;
    assert_eq!((ids, unread), (vec![17_000, 12_500, 10_001, 2_500], None));
}
