//! A line that tells of many letters is found by each of them, and by no other.

use sqlx::PgPool;

use super::*;

const PLAN: &str = "
    with plans as (
        insert into replays (id, state, target, created_by, created_at, total, pending)
        select plan, 'running', '{}', 'anna', now(), 3, 3 from unnest($1::uuid[]) as plan
        returning id)
    insert into replay_items (replay_id, position, letter_id, attempt, vhost, broker)
    select $1[1], place - 1, letter, 1, '/', 'main'
    from unnest($2::uuid[]) with ordinality as of_one (letter, place)
    union all
    select $1[2], place - 1, letter, 2, '/', 'main'
    from unnest($3::uuid[]) with ordinality as of_other (letter, place)";

fn ids(from: u128, count: u128) -> Vec<Uuid> {
    (from..from + count).map(Uuid::from_u128).collect()
}

fn seat(position: i32, letter: Uuid) -> Seat {
    Seat { position, letter: LetterId(letter) }
}

async fn trail(conn: &mut PgConnection, letter: Uuid) -> Vec<String> {
    let lines = of_letter(conn, LetterId(letter)).await.expect("a trail");
    lines.into_iter().map(|line| line.action).collect()
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_line_for_many_letters_is_in_the_trail_of_each(pool: PgPool) {
    let conn = &mut *pool.acquire().await.expect("a connection");
    let (plans, letters, others) = (ids(1, 2), ids(10, 3), ids(20, 3));
    // The second plan has a letter of the first one, too.
    let others = [&others[..2], &letters[..1]].concat();
    sqlx::query(PLAN)
        .bind(&plans)
        .bind(&letters)
        .bind(&others)
        .execute(&mut *conn)
        .await
        .expect("two plans");
    let office = Actor::office();
    let note = |action| Note {
        at: "2026-11-21T12:00:00Z".parse().expect("a time"),
        actor: &office,
        action,
        detail: Some("sent without expiration"),
        replay: None,
    };
    let claimed = note("letter.claim");
    write_letters(conn, &letters, claimed).await.expect("lines");
    let sent = [seat(2, letters[2]), seat(0, letters[0])];
    let confirmed = note("replay.confirmed");
    let written = write_seats(conn, ReplayId(plans[0]), &sent, confirmed).await;
    written.expect("a line for two");
    let back = [seat(2, letters[0])];
    let unknown = note("replay.unknown");
    let written = write_seats(conn, ReplayId(plans[1]), &back, unknown).await;
    written.expect("a line for one");

    let all = ["replay.unknown", "replay.confirmed", "letter.claim"];
    assert_eq!(trail(conn, letters[0]).await, all, "newest first");
    assert_eq!(trail(conn, letters[2]).await, all[1..]);
    assert_eq!(trail(conn, letters[1]).await, all[2..], "between the two");
    assert!(trail(conn, others[0]).await.is_empty(), "of another plan");
    let lines: i64 = sqlx::query_scalar("select count(*) from audit where letters is not null")
        .fetch_one(conn)
        .await
        .expect("counted");
    assert_eq!(lines, 2);
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn the_speed_of_a_replay_is_that_of_outcomes(pool: PgPool) {
    let conn = &mut *pool.acquire().await.expect("a connection");
    let (plans, letters) = (ids(1, 2), ids(10, 3));
    sqlx::query(PLAN)
        .bind(&plans)
        .bind(&letters)
        .bind(&letters)
        .execute(&mut *conn)
        .await
        .expect("two plans");
    let office = Actor::office();
    for (action, seats) in [
        ("letter.replay", &[seat(0, letters[0]), seat(1, letters[1])][..]),
        ("replay.confirmed", &[seat(0, letters[0])]),
    ] {
        let at = "2026-11-21T12:00:00Z".parse().expect("a time");
        let note = Note { at, actor: &office, action, detail: None, replay: None };
        write_seats(conn, ReplayId(plans[0]), seats, note).await.expect("a line");
    }
    let written = replays::written_last(conn, ReplayId(plans[0])).await.expect("read");
    assert_eq!(written.iter().map(|line| line.letters).collect::<Vec<_>>(), [1]);
}
