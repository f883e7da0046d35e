//! kill -9 of the real process in the middle of a replay, again and again: nothing is called a success
//! that was not, nothing is published twice, and the replay goes on by itself.
//!
//! The short form runs with the other tests, at a small window; the full one (200 kills, at the window that
//! ships) is part of `make test-full`. `DLO_CRASH_SEED` repeats a run.

use std::time::{Duration, Instant};

use dlo_app::desk::TriageDesk as _;
use dlo_domain::audit::Actor;
use dlo_domain::ids::{LetterId, ReplayId};
use dlo_domain::replay::{Outcome, ReplayState};
use dlo_server::failpoint::{
    ANSWERED, FOUND, GIVEN_UP, HANDED_OVER, MARKED, Place, TAKEN, VARIABLE, WRITTEN,
};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{Rng, SeedableRng};
use sqlx::PgPool;

use crate::harness::goal::GoalRow;
use crate::harness::process::{Premises, Serve};
use crate::harness::reckoning::{Reckoning, in_flight, progress};
use crate::harness::{setting, sized};
use crate::support::broker::Vhost;
use crate::support::database::database_url;
use crate::support::desk::{Bench, at_work};
use crate::support::reckoning::delivered;
use crate::support::until_within;

/// Letters on their way at once, and so at most unknown after a kill: few, or as many as ship.
fn window() -> i64 {
    sized(8, 50)
}

/// How an office is to die.
enum Death {
    /// At a place, when it comes there for the n-th time.
    At(Place, u32),
    /// After so many letters, or so long after its start, whatever comes first.
    After(i64, Duration),
}

/// Letters that are published at most before an office comes to a place for the `nth` time: it writes windows of
/// letters down, and sends a quarter of what may be on its way at once.
fn before(place: Place, nth: u32) -> i64 {
    let sizes = std::iter::successors(Some(1), |size| Some((size * 8).min(500)));
    let most = if place == WRITTEN { 500 } else { (window() + 3) / 4 };
    sizes.map(|size| size.min(most)).take(nth as usize - 1).sum()
}

impl Death {
    /// One that costs about `budget` of the letters that are left.
    fn choose(random: &mut StdRng, budget: i64, left: i64) -> Self {
        if random.random_bool(0.5) {
            let letters = random.random_range(0..=2 * budget);
            let moment = random.random_range(0..1_500);
            return Self::After(letters, Duration::from_millis(moment));
        }
        let places = [FOUND, TAKEN, GIVEN_UP, MARKED, HANDED_OVER, ANSWERED, WRITTEN];
        let place = *places.choose(random).expect("some");
        if [FOUND, TAKEN, GIVEN_UP].contains(&place) {
            return Self::At(place, 1);
        }
        let fits = |nth: &u32| before(place, *nth) <= (2 * budget).min(left - 1);
        let most = (1..=100).take_while(fits).last().unwrap_or(1);
        Self::At(place, random.random_range(1..=most))
    }
}

/// A replay, and the offices that die over it.
struct Run<'a> {
    pool: &'a PgPool,
    vhost: &'a Vhost,
    bench: &'a Bench,
    premises: &'a Premises,
    replay: ReplayId,
    /// How long after an office's start its first letter was confirmed.
    went_on: Vec<Duration>,
}

impl Run<'_> {
    /// One office from its start to its death.
    async fn life(&mut self, death: Death) {
        let (before, _) = progress(self.pool, self.replay).await;
        let began = Instant::now();
        let failpoint = match &death {
            Death::At(place, nth) => place.at(*nth),
            Death::After(..) => String::new(),
        };
        let window = window().to_string();
        let mut variables = vec![("DLO_REPLAY_WINDOW", &*window), ("DLO_INTAKE", "off")];
        if !failpoint.is_empty() {
            variables.push((VARIABLE, &failpoint));
        }
        let mut office = self.premises.open_with(&variables);
        let mut has_gone_on = false;
        loop {
            let (confirmed, _) = progress(self.pool, self.replay).await;
            if confirmed > before && !has_gone_on {
                has_gone_on = true;
                self.went_on.push(began.elapsed());
            }
            match death {
                Death::At(..) if office.has_ended() => {
                    office.killed_itself().await;
                    return self.assert_few_in_flight().await;
                }
                Death::After(letters, moment) => {
                    let is_time = began.elapsed() >= moment || confirmed - before >= letters;
                    // One that would die before it has begun, for want of letters, dies at once.
                    if is_time && (has_gone_on || began.elapsed() >= moment) {
                        office.kill().await;
                        return self.assert_few_in_flight().await;
                    }
                }
                Death::At(..) => self.assert_in_time(began),
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    /// What an office leaves behind is unknown: never more than its windows.
    async fn assert_few_in_flight(&self) {
        let in_flight = in_flight(self.pool).await;
        assert!(in_flight <= window(), "{in_flight} letters");
    }

    fn assert_in_time(&self, began: Instant) {
        assert!(
            began.elapsed() < Duration::from_mins(1),
            "the office does not come to its failpoint; it said:\n{}",
            self.premises.last_words()
        );
    }

    /// The last office: it is left alone until the replay has ended by itself.
    async fn left_alone(&self) -> Serve {
        let office = self.premises.open_with(&[("DLO_INTAKE", "off")]);
        let began = Instant::now();
        self.bench.becomes(self.replay, ReplayState::Finished).await;
        println!("  the last office ended it after {:?}", began.elapsed());
        office
    }

    /// Says how long it took until a replay went on; each goes on by itself, and soon.
    fn tell_how_long(&mut self) {
        self.went_on.sort_unstable();
        let (Some(longest), middle) = (self.went_on.last(), self.went_on.len() / 2) else {
            panic!("no office came as far as a letter: the test proved nothing");
        };
        let median = self.went_on[middle];
        let so_many = self.went_on.len();
        println!(
            "  from an office's start to its first confirmed letter ({so_many} offices): \
             median {median:?}, longest {longest:?}"
        );
        assert!(*longest < Duration::from_secs(15), "{longest:?}");
    }
}

/// What came of a replay and its kills.
#[derive(Default)]
struct Toll {
    kills: i64,
    letters: usize,
    confirmed: usize,
    unknown: usize,
    lost: usize,
    duplicates: usize,
}

/// A replay whose offices are killed until `kills` have been, or few letters are left. Then every word of it
/// is true, and people decide on what is unknown.
async fn killed_replay(run: &mut Run<'_>, random: &mut StdRng, kills: i64) -> Toll {
    let (vhost, bench) = (run.vhost, run.bench);
    let letters = bench.letters(sized(1_500, 25_000)).await;
    run.replay = bench.replay_all_home().await;
    let mut killed = 0;
    while killed < kills {
        // What was on its way is not published any more.
        let (_, pending) = progress(run.pool, run.replay).await;
        let left = pending - in_flight(run.pool).await;
        // A life may cost as much as is left, and what was in flight at its end.
        let enough = window() * 2;
        if left < enough {
            break;
        }
        let budget = (left - enough) / (kills - killed).min(sized(12, 4));
        run.life(Death::choose(random, budget.max(1), left)).await;
        killed += 1;
    }
    run.left_alone().await.stop().await;
    let unknown = bench.replay(run.replay).await.outcomes.unknown;
    assert!(unknown <= killed * window());
    let searched = bench.desk.search_unknown(&Actor("tester".into()), run.replay, false).await;
    let searched = searched.expect("searched");
    let reckoning = Reckoning::of(run.pool, run.replay, vhost, "work").await;
    reckoning.assert_true();
    let left = reckoning.letters(Outcome::Unknown);
    println!("  {unknown} unknown, {} of them found in their queue: {searched:?}", searched.found);
    if searched.queues.iter().all(|queue| queue.refused.is_none()) {
        let there = left.iter().filter(|letter| reckoning.delivered.contains_key(*letter)).count();
        assert_eq!(there, 0, "in the queue, and not found");
    }
    decide_all(bench, vhost, &reckoning, &left).await;
    Toll {
        kills: killed,
        letters: letters.len(),
        confirmed: reckoning.letters(Outcome::Confirmed).len(),
        unknown: usize::try_from(unknown).expect("few"),
        lost: reckoning.lost(),
        duplicates: reckoning.duplicates(),
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn kill_9_in_a_replay_makes_no_false_success_and_publishes_nothing_twice(pool: PgPool) {
    let seed = u64::try_from(setting("DLO_CRASH_SEED", 29)).expect("fits");
    let mut random = StdRng::seed_from_u64(seed);
    let kills = sized(12, 200);
    let (vhost, bench) = at_work(&pool).await;
    let premises = Premises::new(database_url(&pool), &vhost.brokers);
    let mut run = Run {
        pool: &pool,
        vhost: &vhost,
        bench: &bench,
        premises: &premises,
        replay: ReplayId(uuid::Uuid::nil()),
        went_on: Vec::new(),
    };
    let began = Instant::now();
    let mut toll = Toll::default();
    while toll.kills < kills {
        let left = kills - toll.kills;
        let one = killed_replay(&mut run, &mut random, left).await;
        assert!(one.kills > 0, "a replay is too short to be killed in");
        toll.kills += one.kills;
        toll.letters += one.letters;
        toll.confirmed += one.confirmed;
        toll.unknown += one.unknown;
        toll.lost += one.lost;
        toll.duplicates += one.duplicates;
    }
    println!(
        "R4: window {}, {} letters, {} kills in {:?}: {} confirmed, {} unknown, {} duplicates",
        window(),
        toll.letters,
        toll.kills,
        began.elapsed(),
        toll.confirmed,
        toll.unknown,
        toll.duplicates,
    );
    GoalRow {
        goal: "R4",
        case: format!("kill -9 in a replay, window {}", window()),
        tried: format!("{} letters, {} kills", toll.letters, toll.kills),
        broker: vhost.version().await,
        lost: Some(toll.lost),
        doubled: Some(toll.duplicates),
        recovered: run.went_on.iter().max().copied(),
        is_met: toll.lost == 0 && toll.duplicates == 0,
    }
    .report();
    run.tell_how_long();
    assert_eq!(toll.duplicates, 0, "published twice");
    assert!(toll.unknown > 0, "no kill hit a letter on its way");
    vhost.delete().await;
}

/// People look at the receiver and decide on what is unknown; what was not published is replayed.
/// Then every letter was delivered.
async fn decide_all(bench: &Bench, vhost: &Vhost, first: &Reckoning, unknown: &[LetterId]) {
    let actor = Actor("tester".into());
    let mut missing = Vec::new();
    for letter in unknown {
        let is_there = first.delivered.contains_key(letter);
        let decided = bench.desk.decide_unknown(&actor, *letter, is_there).await;
        decided.expect("decided");
        if !is_there {
            missing.push(*letter);
        }
    }
    if missing.is_empty() {
        return;
    }
    let engine = bench.engine().await;
    let again = bench.replay_home(&missing).await;
    bench.finished(again).await;
    let delivered = delivered(vhost, "work").await;
    for letter in &missing {
        assert_eq!(delivered.get(letter), Some(&vec![again]), "{letter}");
    }
    engine.stop().await;
}

/// What an office of a debug build may need at most for a replay, in KiB; it does not grow with the
/// number of letters.
const MOST_MEMORY_KIB: u64 = 300 * 1024;

/// The size of a body in it, in KiB.
const BODY_KIB: usize = 32;

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_long_replay_needs_no_more_memory_than_a_short_one(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let premises = Premises::new(database_url(&pool), &vhost.brokers);
    let office = premises.open_with(&[("DLO_INTAKE", "off")]);
    let bodies = |count: usize| vec![vec![b'x'; BODY_KIB * 1024]; count];
    let mut most = Vec::new();
    let counts = [1_000, sized(4_000, 20_000)];
    for count in counts {
        let letters = bench.letters_of(bodies(count)).await;
        let began = Instant::now();
        let replay = bench.replay_home(&letters).await;
        until_within("the replay ends", Duration::from_mins(2), || async {
            progress(&pool, replay).await == (i64::try_from(count).expect("few"), 0)
        })
        .await;
        let (took, memory) = (began.elapsed(), office.most_memory_kib());
        println!("memory: {count} letters of {BODY_KIB} KiB in {took:?}: at most {memory} KiB");
        most.push(memory);
    }
    assert!(most[1] < MOST_MEMORY_KIB, "{most:?} KiB");
    // Whoever kept all of them would need all of this.
    let more_bodies = u64::try_from((counts[1] - counts[0]) * BODY_KIB).expect("fits");
    let more = most[1].saturating_sub(most[0]);
    assert!(more < more_bodies / 3, "{most:?} KiB, of {more_bodies} KiB more");
    office.stop().await;
    vhost.delete().await;
}
