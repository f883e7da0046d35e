//! The product's own intake, with everything on.

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dlo_domain::execution::ExecutionNaming;
use dlo_domain::failure::HeaderMap;
use dlo_domain::globs::Globs;
use dlo_domain::ids::OfficeId;
use dlo_domain::source::{NewSource, SourceMode};
use dlo_server::clock::{SharedClock, SystemClock, new_id};
use dlo_server::intake::{self, Deps, Settings};
use dlo_server::{office, store};
use tokio_util::sync::CancellationToken;

use crate::letters::{Bench, QUEUE};

/// Drains the queue; letters a second.
pub async fn drain(bench: &Bench, count: usize) -> Result<f64, Box<dyn Error>> {
    sqlx::raw_sql(
        "truncate sources, letters, arrivals, extracts, signatures, signature_changes,
             signature_totals, letter_counts, death_counts, replays, audit cascade",
    )
    .execute(&bench.pool)
    .await?;
    let clock: SharedClock = Arc::new(SystemClock);
    let office_id = OfficeId(new_id(&*clock));
    let lock = office::open(&bench.pool, &clock, office_id).await?;
    watch(bench, &clock).await?;
    let deps = Deps {
        pool: bench.pool.clone(),
        brokers: Arc::new(bench.brokers.clone()),
        clock,
        office_id,
        judges: Arc::default(),
        settings: Settings::default(),
    };
    let began = Instant::now();
    let stop = CancellationToken::new();
    let counted = async {
        let stored = async || -> Result<usize, Box<dyn Error>> {
            let letters: i64 =
                sqlx::query_scalar("select coalesce(sum(letters), 0)::bigint from letter_counts")
                    .fetch_one(&bench.pool)
                    .await?;
            Ok(usize::try_from(letters)?)
        };
        while stored().await? < count {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let seconds = began.elapsed().as_secs_f64();
        stop.cancel();
        Ok::<f64, Box<dyn Error>>(seconds)
    };
    let (ended, seconds) = tokio::join!(intake::run(deps, stop.clone()), counted);
    ended?;
    drop(lock);
    let rows: i64 = sqlx::query_scalar("select count(*) from arrivals")
        .fetch_one(&bench.pool)
        .await?;
    if usize::try_from(rows)? != count || bench.depth().await? != 0 {
        return Err(format!("intake stored {rows} of {count}").into());
    }
    #[expect(clippy::cast_precision_loss, reason = "a count of letters")]
    Ok(count as f64 / seconds?)
}

async fn watch(bench: &Bench, clock: &SharedClock) -> Result<(), Box<dyn Error>> {
    let source = NewSource {
        vhost: bench.vhost.clone(),
        queue: QUEUE.to_owned(),
        mode: SourceMode::Take,
        name: None,
        broker: None,
        headers: HeaderMap::default(),
        executions: ExecutionNaming::default(),
        origins: Globs::any(),
    };
    let mut conn = bench.pool.acquire().await?;
    store::sources::insert(&mut conn, new_id(&**clock), &source, false, clock.now()).await?;
    Ok(())
}
