//! The replay: an engine and a desk, as an office has them.

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dlo_app::desk::TriageDesk as _;
use dlo_domain::audit::Actor;
use dlo_domain::ids::{LetterId, OfficeId, ReplayId};
use dlo_domain::replay::{NewReplay, ReplayState, Target};
use dlo_domain::selection::Selection;
use dlo_server::clock::{SharedClock, SystemClock, new_id};
use dlo_server::config::ReplayConfig;
use dlo_server::desk::PgDesk;
use dlo_server::office;
use dlo_server::replay::{self, ReplayError, Waits};
use sqlx::{PgConnection, PgPool};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::letters::Bench;
use crate::setting;

/// How fast a replay was.
pub struct Speed {
    /// Letters a second from the frozen plan to the last outcome.
    pub published: f64,
    /// How long the plan took.
    pub planning_seconds: f64,
}

/// An office that replays.
pub struct Office {
    desk: PgDesk,
    pool: PgPool,
    stop: CancellationToken,
    task: JoinHandle<Result<(), ReplayError>>,
    _lock: PgConnection,
}

impl Office {
    /// Opens one with the settings that are usual.
    #[expect(
        clippy::disallowed_methods,
        reason = "a benchmark has no lifecycle; `close` waits for the task"
    )]
    pub async fn open(bench: &Bench) -> Result<Self, Box<dyn Error>> {
        let clock: SharedClock = Arc::new(SystemClock);
        let office_id = OfficeId(new_id(&*clock));
        let lock = office::open(&bench.pool, &clock, office_id).await?;
        let usual = ReplayConfig::default();
        let config = ReplayConfig {
            window: setting("DLO_BENCH_WINDOW", usual.window),
            ..usual
        };
        let waits = Waits::default();
        let brokers = Arc::new(bench.brokers.clone());
        let stop = CancellationToken::new();
        let deps = replay::Deps {
            pool: bench.pool.clone(),
            brokers: brokers.clone(),
            clock: clock.clone(),
            office_id,
            config: config.clone(),
            waits: waits.clone(),
        };
        let pool = bench.pool.clone();
        Ok(Self {
            desk: PgDesk::new(pool.clone(), brokers, clock, office_id, (waits, config)),
            pool,
            task: tokio::spawn(replay::run(deps, stop.clone())),
            stop,
            _lock: lock,
        })
    }

    /// Replays all that is held.
    pub async fn replay_all(&self, count: usize, queue: &str) -> Result<Speed, Box<dyn Error>> {
        let selection = Selection {
            filter: Some("state:held".to_owned()),
            ..Selection::default()
        };
        let began = Instant::now();
        let id = self.plan(selection, count, queue).await?;
        let planning = began.elapsed();
        let began = Instant::now();
        self.finished(id, count, Duration::from_millis(50)).await?;
        let publishing = began.elapsed();
        #[expect(clippy::cast_precision_loss, reason = "a small number")]
        let published = count as f64 / publishing.as_secs_f64();
        Ok(Speed {
            published,
            planning_seconds: planning.as_secs_f64(),
        })
    }

    /// Replays some letters that are held, as a click does.
    pub async fn replay_some(&self, count: usize, queue: &str) -> Result<(), Box<dyn Error>> {
        let ids: Vec<Uuid> =
            sqlx::query_scalar("select id from letters where state = 'held' order by id limit $1")
                .bind(i64::try_from(count)?)
                .fetch_all(&self.pool)
                .await?;
        let selection = Selection::of_ids(ids.into_iter().map(LetterId).collect());
        let id = self.plan(selection, count, queue).await?;
        self.finished(id, count, Duration::from_millis(5)).await
    }

    async fn plan(
        &self,
        selection: Selection,
        count: usize,
        queue: &str,
    ) -> Result<ReplayId, Box<dyn Error>> {
        let new = NewReplay {
            selection,
            target: Target::Queue {
                queue: queue.to_owned(),
            },
            ..NewReplay::default()
        };
        let planned = self.desk.plan_replay(&Actor("bench".into()), &new).await?;
        if usize::try_from(planned.total)? != count {
            return Err(format!("{} of {count} letters were planned", planned.total).into());
        }
        Ok(planned.id.ok_or("an id")?)
    }

    /// Waits for the end, and sees that every letter was confirmed.
    async fn finished(
        &self,
        id: ReplayId,
        count: usize,
        pause: Duration,
    ) -> Result<(), Box<dyn Error>> {
        loop {
            let replay = self.desk.replay(id).await?;
            if replay.state == ReplayState::Finished {
                let confirmed = usize::try_from(replay.outcomes.confirmed)?;
                if confirmed == count {
                    return Ok(());
                }
                return Err(format!("{:?}, and not {count} confirmed", replay.outcomes).into());
            }
            tokio::time::sleep(pause).await;
        }
    }

    /// Ends it.
    pub async fn close(self) -> Result<(), Box<dyn Error>> {
        self.stop.cancel();
        self.task.await??;
        Ok(())
    }
}
