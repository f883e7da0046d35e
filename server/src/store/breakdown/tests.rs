use std::collections::HashSet;

use dlo_domain::breakdown::compare;
use sqlx::PgPool;

use super::*;

/// Letters of two signatures of one group and of one of another, a second apart, the first ones
/// oldest; `held` are those that wait.
async fn fill(pool: &PgPool, letters: i32) {
    for statement in [
        "insert into sources (id, broker, vhost, queue, name, mode, configured, condition_since,
             created_at)
         values ('00000000-0000-0000-0000-000000000001', 'main', '/', 'dead', 'dead', 'take',
             false, now(), now())",
        "insert into groups (id, state, state_since, title, why, created_at, merged_into)
         values ('00000000-0000-0000-0000-00000000000a', 'open', now(), 'a', '{}', now(), null),
             ('00000000-0000-0000-0000-00000000000b', 'open', now(), 'b', '{}', now(), null),
             ('00000000-0000-0000-0000-00000000000c', 'open', now(), 'c', '{}', now(),
              '00000000-0000-0000-0000-00000000000a')",
        "insert into signatures (id, version, content, sample_letter_id, first_seen_at, position,
             group_id)
         select decode(lpad(to_hex(n), 32, '0'), 'hex'), 1, '{}', gen_random_uuid(), now(), n,
             case n when 3 then '00000000-0000-0000-0000-00000000000b'::uuid
                 else '00000000-0000-0000-0000-00000000000a' end
         from generate_series(1, 3) as n",
    ] {
        sqlx::query(statement).execute(pool).await.expect("filled");
    }
    sqlx::query(
        "with letter as (
             insert into letters (id, source_id, state, severity, queue, reason, size_bytes,
                 arrivals, first_arrived_at, last_arrived_at, signature)
             select gen_random_uuid(), '00000000-0000-0000-0000-000000000001',
                 case n % 4 when 0 then 'resolved' when 1 then 'unknown' else 'held' end, 'normal',
                 'work.' || n % 3, 'rejected', 7, 1, at, at,
                 decode(lpad(to_hex(1 + n % 3), 32, '0'), 'hex')
             from generate_series(1, $1) as n,
                 lateral (select timestamptz '2026-11-21' + n * interval '1 s' as at) as time
             returning id, signature)
         insert into extracts (letter_id, text, headers)
         select id, '', jsonb_build_object('x-version', case when signature =
                 '\\x00000000000000000000000000000003'::bytea then '2.3.0' else '2.3.1' end)
         from letter",
    )
    .bind(letters)
    .execute(pool)
    .await
    .expect("letters");
}

fn group(last: u128) -> GroupId {
    GroupId(Uuid::from_u128(last))
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn the_newest_letters_of_a_group_are_read_with_their_headers(pool: PgPool) {
    fill(&pool, 120).await;
    let mut conn = pool.acquire().await.expect("a connection");
    let found = group_now(&mut conn, group(0xc)).await.expect("asked");
    assert_eq!(found.map(|(id, _)| id), Some(group(0xa)), "it was merged");
    assert_eq!(group_now(&mut conn, group(7)).await.expect("asked"), None);

    let newest = newest_of_group(&mut conn, group(0xa)).await.expect("read");
    let set = look_up(&mut conn, &newest.ids).await.expect("read");
    let signatures = signatures(&mut conn, group(0xa)).await.expect("read");
    assert_eq!((set.len(), signatures.len()), (80, 2));
    let alone = NewestLetters::of_group(&mut conn, group(0xa)).await.expect("read");
    assert_eq!((alone.ids, &alone.queues), (newest.ids, &queues_of(&set)));
    assert_eq!(alone.queues, [("work.0".to_owned(), 40), ("work.1".to_owned(), 40)]);
    let all = spread(&mut conn, 120).await.expect("read");
    assert_eq!(all.len(), 120, "few letters are compared with all");
    let told =
        compare(&set, &all, |letter| letter.signature.is_some_and(|id| signatures.contains(&id)));
    assert_eq!(
        told.sentence.as_deref(),
        Some("100 % of these have x-version=2.3.1, 67 % of all letters do.")
    );

    let waiting = newest_waiting(&mut conn).await.expect("read");
    assert_eq!(waiting.ids.len(), 90, "resolved ones do not wait");
    let totals = totals(&mut conn).await.expect("read");
    assert_eq!((totals.letters, totals.waiting), (120, 90));
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn samples_stay_small_and_the_same_whatever_there_is(pool: PgPool) {
    fill(&pool, 9_000).await;
    let mut conn = pool.acquire().await.expect("a connection");
    let most = usize::try_from(MOST_LETTERS).expect("small");
    let set = newest_of_group(&mut conn, group(0xa)).await.expect("read");
    assert_eq!(set.ids.len(), most);
    assert_eq!(newest_waiting(&mut conn).await.expect("read").ids.len(), most);
    let all = spread(&mut conn, 9_000).await.expect("read");
    assert!((most / 2..most * 2).contains(&all.len()), "{}", all.len());
    let ids = |sample: &[Sampled]| -> HashSet<_> { sample.iter().map(|one| one.id).collect() };
    let again = spread(&mut conn, 9_000).await.expect("read");
    assert_eq!(ids(&all), ids(&again), "figures do not flicker");
}
