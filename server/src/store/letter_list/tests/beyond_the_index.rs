//! What long texts say beyond their index is found too, as far as the time reaches.

use super::*;

/// Letters 1 to 300, each a second older than the one before, of whose bodies the index has ten bytes. The bodies of 150
/// and 290 end with a needle, and the error message of 250.
async fn long_bodies(conn: &mut PgConnection) {
    source(conn, 1, "dead").await;
    sqlx::query!(
        "with numbers as (
             select n, lpad(to_hex(n), 32, '0')::uuid as id, $2::timestamptz - n * interval '1 s' as at,
                 convert_to(repeat('hay ', 100) || case when n in (150, 290) then 'Needle' else '' end, 'UTF8')
                     as body
             from generate_series(1, 300) as n),
         arrivals as (
             insert into arrivals (letter_id, ordinal, arrived_at, source_id, exchange, routing_key,
                 properties, headers, deaths, body, body_sha256)
             select id, 1, at, $1, '', '', '{}', '[]', '[]', body, '' from numbers),
         extracts as (
             insert into extracts (letter_id, headers, excerpt_bytes)
             select id, '{}', octet_length(body) from numbers)
         insert into letters (id, source_id, state, severity, reason, queue, error_message, size_bytes, arrivals,
             first_arrived_at, last_arrived_at)
         select id, $1, 'held', 'high', 'rejected', case when n < 200 then 'new' else 'old' end,
             case n when 250 then 'a needle' end, octet_length(body), 1, at, at
         from numbers",
        Uuid::from_u128(1),
        noon(),
    )
    .execute(&mut *conn)
    .await
    .expect("letters");
    let parts = IndexedParts { headers: true, body_bytes: 10 };
    assert_eq!(texts::index_some(conn, 400, parts).await.expect("indexed"), 300);
}

async fn matching(conn: &mut PgConnection, filter: &str) -> Matching {
    let filter = LetterFilter::parse(filter).expect("a filter");
    Matching::look_up(conn, &filter, noon()).await.expect("looked up")
}

fn numbers(found: &Found) -> Vec<u128> {
    found.letters.iter().map(|letter| letter.id.0.as_u128()).collect()
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_page_has_what_stands_beyond_the_index(pool: PgPool) {
    let mut conn = pool.acquire().await.expect("a connection");
    long_bodies(&mut conn).await;
    let whole = matching(&mut conn, "needle").await;
    let old = matching(&mut conn, "queue:old needle").await;
    let place = |n: i64| Cursor { at: noon() - TimeDelta::seconds(n), id: Uuid::max() };
    for (matching, after, limit, wanted) in [
        (&whole, None, 5, &[150, 250, 290][..]),
        (&whole, None, 2, &[150, 250]),
        (&whole, None, 1, &[150]),
        (&whole, Some(place(160)), 5, &[250, 290]),
        (&whole, Some(place(260)), 5, &[290]),
        (&old, None, 5, &[250, 290]),
    ] {
        let found = search(&mut conn, matching, after, limit, ENOUGH).await.expect("found");
        assert_eq!(
            (&*numbers(&found), found.texts_read_back_to),
            (wanted, None),
            "{after:?} {limit}"
        );
        assert_eq!((found.stopped_at, found.unread), (None, None));
    }
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_page_without_time_says_what_it_did_not_read(pool: PgPool) {
    let mut conn = pool.acquire().await.expect("a connection");
    long_bodies(&mut conn).await;
    let matching = matching(&mut conn, "needle").await;
    let no_time = SearchTime { planned: ENOUGH.planned, whole: Duration::ZERO };
    let found = search(&mut conn, &matching, None, 5, no_time).await.expect("found");
    // The first step, of 100, is always made.
    let at = |n| Some(noon() - TimeDelta::seconds(n));
    assert_eq!((numbers(&found), found.texts_read_back_to), (vec![250], at(100)));
    let after = Cursor { at: noon() - TimeDelta::seconds(100), id: Uuid::nil() };
    let found = search(&mut conn, &matching, Some(after), 5, no_time).await.expect("found");
    assert_eq!((numbers(&found), found.texts_read_back_to), (vec![150, 250], at(200)));
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_selection_and_a_count_have_all_of_it(pool: PgPool) {
    let mut conn = pool.acquire().await.expect("a connection");
    long_bodies(&mut conn).await;
    for (filter, letters) in [
        ("needle", &[150, 250, 290][..]),
        ("hay needle queue:old", &[250, 290]),
        ("(needle OR queue:none) -queue:new", &[250, 290]),
        ("-hay", &[]),
    ] {
        let matching = matching(&mut conn, filter).await;
        let ids = ids(&mut conn, &matching, 10).await.expect("ids");
        let ids: Vec<u128> = ids.iter().map(|id| id.0.as_u128()).collect();
        assert_eq!(ids, letters, "{filter}");
        let counted = count(&mut conn, &matching).await.expect("counted");
        assert_eq!(usize::try_from(counted.count), Ok(letters.len()), "{filter}");
    }
}
