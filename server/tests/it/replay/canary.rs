//! Replays that begin with a few letters, and stop by themselves.

use std::collections::HashSet;
use std::sync::Arc;

use dlo_app::desk::TriageDesk as _;
use dlo_domain::audit::Actor;
use dlo_domain::ids::{LetterId, OfficeId, ReplayId};
use dlo_domain::replay::{Canary, Control, Outcome, ReplayState};
use dlo_server::clock::{SharedClock, SystemClock, new_id};
use dlo_server::office;
use dlo_server::store::replays::marks::{self, Begun, Since};
use dlo_server::store::replays::outcomes::{self, Recorded, Seat};
use dlo_server::store::replays::work::{self, Lane, Running};
use lapin::options::{BasicGetOptions, BasicRejectOptions};
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use crate::support::broker::Vhost;
use crate::support::consumer::Consumer;
use crate::support::desk::{Bench, at_a_loop, at_work, quick};
use crate::support::office::Office;
use crate::support::until;

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_canary_that_a_missing_queue_stopped_takes_up_what_had_none(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let engine = bench.engine().await;
    let mut letters = Vec::new();
    for n in 0..10 {
        letters.push(bench.letter("late", n.to_string().as_bytes()).await);
    }
    let id = bench.plan_with(&letters, |new| new.canary = Some(quick(&[1, 5]))).await;
    let stopped = bench.becomes(id, ReplayState::Paused).await.outcomes;
    assert_eq!((stopped.unroutable, stopped.pending), (1, 9));
    vhost.queue("late", &[]).await;
    let resumed = bench.tell(id, Control::Resume, true).await;
    assert_eq!(resumed.outcomes.pending, 10);
    let climb = resumed.climb.expect("a ladder");
    assert_eq!((climb.tried, climb.wrong), (0, 0));
    let done = bench.finished(id).await.outcomes;
    assert_eq!((done.confirmed, done.unroutable), (10, 0));
    assert_eq!(vhost.depth("late").await, 10);
    engine.stop().await;
    vhost.delete().await;
}

/// Rejects the oldest messages of `work`: they come back.
async fn reject(vhost: &Vhost, messages: usize) {
    for _ in 0..messages {
        let got = vhost.channel.basic_get("work".into(), BasicGetOptions::default()).await;
        let message = got.expect("got").expect("a message");
        let dead = BasicRejectOptions { requeue: false };
        message.delivery.reject(dead).await.expect("rejected");
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_an_earlier_ladder_sent_does_not_stop_the_one_begun_anew(pool: PgPool) {
    let (vhost, bench) = at_a_loop(&pool).await;
    let intake = Office::start(&pool, &vhost.brokers).await;
    let engine = bench.engine().await;
    let letters = bench.letters(40).await;
    let canary = Canary { watch_seconds: 600, ..quick(&[4, 10]) };
    let id = bench.plan_with(&letters, |new| new.canary = Some(canary)).await;
    let is_watched = || async {
        let climb = bench.replay(id).await.climb.expect("a ladder");
        climb.tried == 4 && climb.watched_since.is_some()
    };
    until("the first step is watched", is_watched).await;
    bench.tell(id, Control::Pause, false).await;
    let resumed = bench.tell(id, Control::Resume, false).await;
    assert_eq!(resumed.climb.expect("a ladder").tried, 0);
    until("the first step is watched again", is_watched).await;

    // These were sent before the resume.
    reject(&vhost, 4).await;
    until("they are back", || async { bench.replay(id).await.outcomes.died_again == 4 }).await;
    let replay = bench.replay(id).await;
    let climb = replay.climb.expect("a ladder");
    assert_eq!((climb.tried, climb.wrong, climb.well), (4, 0, 0));
    assert_eq!(replay.state, ReplayState::Running);

    // And this after it.
    reject(&vhost, 1).await;
    let stopped = bench.becomes(id, ReplayState::Paused).await;
    let why = stopped.stopped.expect("a stop").why.expect("a reason");
    assert!(why.contains("1 of 4 letters went wrong"), "{why}");
    engine.stop().await;
    intake.stop().await;
    vhost.delete().await;
}

/// The engine's part, done by hand.
struct Hand {
    conn: PgConnection,
    me: OfficeId,
    lane: Lane,
    id: ReplayId,
}

impl Hand {
    async fn take(bench: &Bench, vhost: &str, id: ReplayId) -> Self {
        let clock: SharedClock = Arc::new(SystemClock);
        let me = OfficeId(new_id(&*clock));
        let opened = office::open(&bench.pool, &clock, me).await;
        let mut conn = opened.expect("registered");
        let found = Running { id, office: None };
        let taken = work::take(&mut conn, found, me).await;
        assert!(taken.expect("taken"));
        let lane = Lane { broker: "main".to_owned(), vhost: vhost.to_owned() };
        Self { conn, me, lane, id }
    }

    async fn seats(&mut self, positions: &[i32]) -> Vec<Seat> {
        let letters: Vec<(i32, Uuid)> = sqlx::query_as(
            "select position, letter_id from replay_items
             where replay_id = $1 and position = any($2) order by position",
        )
        .bind(self.id.0)
        .bind(positions)
        .fetch_all(&mut self.conn)
        .await
        .expect("read");
        let seats = letters
            .into_iter()
            .map(|(position, letter)| Seat { position, letter: LetterId(letter) });
        seats.collect()
    }

    async fn mark(&mut self, positions: &[i32]) {
        let seats = self.seats(positions).await;
        assert_eq!(seats.len(), positions.len());
        let since = Since::Anew(seats.last().expect("some").position);
        let marking =
            marks::begin_publish(&mut self.conn, self.id, self.me, &self.lane, (since, &seats));
        let begun = marking.await.expect("marked");
        assert_eq!(begun, Begun::Except(HashSet::new()));
    }

    async fn write(&mut self, positions: &[i32], outcome: Outcome) {
        let seats = self.seats(positions).await;
        let recorded: Vec<Recorded> = seats
            .into_iter()
            .map(|seat| Recorded { seat, outcome, detail: None, nacked: false })
            .collect();
        let at = chrono::DateTime::default();
        let written = outcomes::record(&mut self.conn, self.id, &recorded, at).await;
        assert_eq!(written.expect("written"), positions.len());
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn what_is_on_its_way_at_a_resume_is_not_of_the_new_ladder(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let letters = bench.letters(12).await;
    let id = bench.plan_with(&letters, |new| new.canary = Some(quick(&[5, 10]))).await;
    let mut hand = Hand::take(&bench, "/", id).await;
    let climbed = || async {
        let climb = bench.replay(id).await.climb.expect("a ladder");
        (climb.tried, climb.wrong, climb.well)
    };
    hand.mark(&[0, 1, 2, 3, 4]).await;
    hand.write(&[0, 1], Outcome::Confirmed).await;
    assert_eq!(climbed().await, (2, 0, 0));

    bench.tell(id, Control::Pause, false).await;
    bench.tell(id, Control::Resume, false).await;
    hand.write(&[2, 3], Outcome::Unroutable).await;
    hand.write(&[4], Outcome::Unknown).await;
    let processed = Actor("worker".to_owned());
    let told = bench.desk.processed(&processed, letters[0]).await;
    told.expect("told");
    assert_eq!(climbed().await, (0, 0, 0));

    hand.mark(&[5, 6, 7]).await;
    hand.write(&[5, 6], Outcome::Confirmed).await;
    // It never left its office.
    hand.write(&[8], Outcome::Refused).await;
    let told = bench.desk.processed(&processed, letters[5]).await;
    told.expect("told");
    assert_eq!(climbed().await, (3, 1, 1));
    let outcomes = bench.replay(id).await.outcomes;
    assert_eq!((outcomes.tried(), outcomes.wrong(), outcomes.well()), (8, 3, 2));
}

/// Nothing is behind it that could overtake it.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn the_last_letter_stops_no_order_when_it_dies_again(pool: PgPool) {
    let (vhost, bench) = at_a_loop(&pool).await;
    let intake = Office::start(&pool, &vhost.brokers).await;
    let engine = bench.engine().await;
    let consumer = Consumer::start(&vhost, "work").await;
    let letters = bench.letters(1).await;
    let id = bench
        .plan_with(&letters, |new| {
            new.in_order = true;
            // The next one would be let out when this one is back.
            new.rate_per_second = Some(1);
        })
        .await;
    let over = bench.finished(id).await;
    assert_eq!(over.outcomes.pending, 0);
    until("it is back", || async { bench.replay(id).await.outcomes.died_again == 1 }).await;
    assert_eq!(bench.replay(id).await.state, ReplayState::Finished);
    consumer.stop();
    engine.stop().await;
    intake.stop().await;
    vhost.delete().await;
}
