//! Letters that come in meanwhile, through what intake stores them with, and upkeep beside it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use dlo_domain::decoding::MessageTypes;
use dlo_domain::failure::HeaderMap;
use dlo_domain::grouping::Masker;
use dlo_domain::ids::{LetterId, SourceId};
use dlo_domain::judge::Judge;
use dlo_domain::reading;
use dlo_server::clock::{Clock as _, SharedClock, SystemClock, new_id};
use dlo_server::duty::Duties;
use dlo_server::events::Hub;
use dlo_server::lifecycle::{self, Ending, SOFT_LIMIT};
use dlo_server::seeding::any_message;
use dlo_server::store::groups::signatures;
use dlo_server::store::letters::{Court, Incoming, insert_new};
use dlo_server::store::retention::Retention;
use dlo_server::store::texts::IndexedParts;
use dlo_server::upkeep::Upkeep;
use sqlx::PgPool;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::Outcome;

/// Letters in a transaction, as intake takes them.
const BATCH: usize = 150;
/// How long full speed is measured.
const FULL_SPEED_FOR: Duration = Duration::from_secs(6);
/// Nothing is forgotten while it is measured.
const FOR_EVER: Duration = Duration::from_hours(24 * 3650);

/// Letters a second without a pause.
pub async fn full_speed(pool: &PgPool) -> Outcome<f64> {
    let source = any_source(pool).await?;
    let mut masker = Masker::new();
    let began = Instant::now();
    let mut batches = 0_u32;
    while began.elapsed() < FULL_SPEED_FOR {
        write(pool, source, &mut masker).await?;
        batches += 1;
    }
    #[expect(clippy::cast_precision_loss, reason = "a small number")]
    let letters = f64::from(batches) * BATCH as f64;
    Ok(letters / began.elapsed().as_secs_f64())
}

/// Letters that come in until they are stopped.
pub struct Writer {
    stop: CancellationToken,
    writing: JoinHandle<Result<(), String>>,
    upkeep: Ending,
}

impl Writer {
    /// Begins with so many letters a second.
    #[expect(
        clippy::disallowed_methods,
        reason = "a benchmark has no lifecycle; `stop` waits for both tasks"
    )]
    pub fn start(pool: &PgPool, speed: f64) -> Self {
        let stop = CancellationToken::new();
        let clock: SharedClock = Arc::new(SystemClock);
        let (lifecycle, ending) = lifecycle::begin(SOFT_LIMIT);
        let upkeep = Upkeep {
            pool: pool.clone(),
            clock: clock.clone(),
            retention: Retention { resolved: FOR_EVER, discarded: FOR_EVER, replays: FOR_EVER },
            indexed: IndexedParts::default(),
        };
        upkeep.begin(&Duties::new(lifecycle, Hub::default(), clock));
        Self {
            upkeep: ending,
            writing: tokio::spawn(write_at(pool.clone(), speed, stop.clone())),
            stop,
        }
    }

    /// Ends it.
    pub async fn stop(self) -> Outcome<()> {
        self.stop.cancel();
        self.writing.await??;
        self.upkeep.wait(futures_util::stream::iter([()])).await;
        Ok(())
    }
}

async fn write_at(pool: PgPool, speed: f64, stop: CancellationToken) -> Result<(), String> {
    let source = any_source(&pool).await.map_err(|why| why.to_string())?;
    let mut masker = Masker::new();
    #[expect(clippy::cast_precision_loss, reason = "a small number")]
    let mut beat = tokio::time::interval(Duration::from_secs_f64(BATCH as f64 / speed));
    loop {
        tokio::select! {
            () = stop.cancelled() => return Ok(()),
            _ = beat.tick() => {}
        }
        write(&pool, source, &mut masker).await.map_err(|why| why.to_string())?;
    }
}

async fn any_source(pool: &PgPool) -> Outcome<SourceId> {
    let id: Uuid =
        sqlx::query_scalar("select id from sources order by id limit 1").fetch_one(pool).await?;
    Ok(SourceId(id))
}

async fn write(pool: &PgPool, source: SourceId, masker: &mut Masker) -> Outcome<()> {
    let court = Court { judge: &Judge::default(), source: "" };
    let incoming: Vec<Incoming> = (0..BATCH)
        .map(|_| {
            let delivered = any_message(rand::random_range(0..1_000_000));
            let reading =
                reading::read(&delivered, &HeaderMap::default(), &MessageTypes::default());
            let id = LetterId(new_id(&SystemClock));
            Incoming::new(id, SystemClock.now(), delivered, reading, court, masker)
        })
        .collect();
    let incoming: Vec<&Incoming> = incoming.iter().collect();
    let mut transaction = pool.begin().await?;
    signatures::remember(&mut transaction, &incoming).await?;
    insert_new(&mut transaction, source, &incoming).await?;
    transaction.commit().await?;
    Ok(())
}
