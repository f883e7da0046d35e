//! Puts an office together: the only module that knows every other one. The HTTP server comes up
//! at once, and says what the office waits for; the services begin when the database is ready.

mod services;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use dlo_domain::ids::OfficeId;
use dlo_domain::source::NewSource;
use sqlx::PgConnection;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::broker::Brokers;
use crate::clock::{SharedClock, SystemClock, new_id};
use crate::config::{Config, HttpConfig};
use crate::desk::PgDesk;
use crate::duty::{Duties, Duty, Next};
use crate::events::{self, Hub};
use crate::http::{self, Beginning, Front, Limits};
use crate::lifecycle::Lifecycle;
use crate::notifying::{self, Links, Poster};
use crate::outbound::Outbound;
use crate::replay::Waits;
use crate::store::alerts::rules as alert_rules;
use crate::store::topology::Place;
use crate::store::{Pools, StoreError, origins, rules, shared_time, sources, weeks};
use crate::{judging, office, store, telemetry};

/// How long after a failure the database is asked again.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// How often figures are summed up.
const FIGURES_EVERY: Duration = Duration::from_secs(5);

/// A running office.
#[derive(Debug)]
pub struct Office {
    /// Where it serves, if it does.
    pub address: Option<SocketAddr>,
    pools: Pools,
    beginning: watch::Receiver<Beginning>,
}

impl Office {
    /// Waits until the services run, however long that takes. Says whether they do; if not, the
    /// lifecycle knows why.
    pub async fn has_begun(&mut self) -> bool {
        self.beginning.wait_for(|now| *now == Beginning::Done).await.is_ok()
    }

    /// Closes the connections, after the lifecycle has ended.
    pub async fn close(self) {
        let _ = tokio::time::timeout(RETRY_AFTER, self.pools.close()).await;
    }
}

/// Takes the address that pages and API are served at, before anything is started.
///
/// # Errors
/// When it cannot be had.
pub async fn bind(config: &HttpConfig) -> anyhow::Result<Option<TcpListener>> {
    if !config.enabled {
        return Ok(None);
    }
    let listener = TcpListener::bind(config.address).await.with_context(|| {
        format!(
            "cannot listen on {}: another program may listen there; name another address with \
             DLO_HTTP_ADDRESS, or another port with --port (0 takes a free one)",
            config.address
        )
    })?;
    Ok(Some(listener))
}

/// Starts an office.
///
/// # Errors
/// When the configuration cannot be used, in spite of having been checked.
pub fn start(
    config: Config,
    listener: Option<TcpListener>,
    lifecycle: &Lifecycle,
) -> anyhow::Result<Office> {
    let pools = Pools::open(&config.database, &config.patience)?;
    let address = listener.as_ref().map(TcpListener::local_addr).transpose()?;
    let clock: SharedClock = Arc::new(SystemClock);
    let hub = Hub::default();
    let (progress, beginning) = watch::channel(Beginning::Waiting(CONNECTING.to_owned()));
    let plan = Plan {
        pools: pools.clone(),
        brokers: Arc::new(config.brokers.clone()),
        office_id: OfficeId(new_id(&*clock)),
        waits: Waits::default(),
        duties: Duties::new(lifecycle.clone(), hub.clone(), clock.clone()),
        poster: poster(&config, &pools, &clock),
        lifecycle: lifecycle.clone(),
        clock,
        config,
        progress,
    };
    let (relayed, heard) = (pools.services.clone(), hub.clone());
    lifecycle.spawn_front("the relay of live events", |stop| events::relay(relayed, heard, stop));
    if let Some(listener) = listener {
        plan.serve(listener, hub, beginning.clone())?;
    }
    lifecycle.spawn("the office", |stop| plan.run(stop));
    Ok(Office { address, pools, beginning })
}

const CONNECTING: &str = "connecting to the database";

/// What an office is made of.
struct Plan {
    config: Config,
    pools: Pools,
    brokers: Arc<Brokers>,
    clock: SharedClock,
    office_id: OfficeId,
    waits: Waits,
    lifecycle: Lifecycle,
    duties: Duties,
    poster: Option<Poster>,
    progress: watch::Sender<Beginning>,
}

impl Plan {
    fn serve(
        &self,
        listener: TcpListener,
        hub: Hub,
        beginning: watch::Receiver<Beginning>,
    ) -> anyhow::Result<()> {
        let site_root = self.config.http.site_root.clone();
        if !site_root.join("pkg").is_dir() {
            let site = site_root.display();
            tracing::warn!(%site, "there is no site here: pages come without style; `make site` builds it");
        }
        let figures = telemetry::count().context("the figures for /metrics")?;
        let summed = figures.clone();
        let desk = PgDesk::new(
            self.pools.pages.clone(),
            self.brokers.clone(),
            self.clock.clone(),
            (self.waits.clone(), self.config.replay.clone()),
        )
        .with_executions(self.config.executions.clone())
        .with_json_schemas(self.config.schemas.clone())
        .with_patience(self.config.patience)
        .with_poster(self.poster.clone());
        let pool = self.pools.pages.clone();
        self.duties.every("summing up figures", FIGURES_EVERY, Figures(summed));
        self.lifecycle.spawn_front("the HTTP server", |stop| {
            let front = Front {
                desk: Arc::new(desk),
                pool,
                hub,
                beginning,
                figures: Some(figures),
                site_root,
                limits: Limits::from(&self.config.patience),
                stop,
            };
            http::serve(listener, front)
        });
        Ok(())
    }

    /// Makes the database ready, lets the services begin, and waits for the end.
    async fn run(self, stop: CancellationToken) -> Result<(), StoreError> {
        let ready = tokio::select! {
            () = stop.cancelled() => return Ok(()),
            ready = self.until_ready() => ready?,
        };
        self.begin(ready);
        self.progress.send_replace(Beginning::Done);
        stop.cancelled().await;
        Ok(())
    }

    async fn until_ready(&self) -> Result<PgConnection, StoreError> {
        loop {
            let why = match self.prepare().await {
                Ok(sign_of_life) => return Ok(sign_of_life),
                Err(why) if why.is_passing() => why,
                Err(why) => return Err(why),
            };
            let waiting = Beginning::Waiting(format!(
                "the database does not answer, so nothing is taken and nothing is lost: {why}"
            ));
            // Said once, and not again every second.
            if self.progress.send_replace(waiting.clone()) != waiting {
                tracing::warn!(%why, "the database does not answer; trying again until it does");
            }
            tokio::time::sleep(RETRY_AFTER).await;
        }
    }

    async fn prepare(&self) -> Result<PgConnection, StoreError> {
        let pool = &self.pools.services;
        store::ping(pool).await?;
        store::migrate(pool).await?;
        let mut conn = pool.acquire().await?;
        let now = shared_time(&mut conn, &*self.clock).await?;
        weeks::make(&mut conn, now, now).await?;
        alert_rules::add_missing(&mut conn, &*self.clock, now).await?;
        drop(conn);
        self.configure_sources().await?;
        office::open(pool, &self.clock, self.office_id).await
    }

    /// The sources that the configuration names are watched; those that it no longer names stay,
    /// and can be removed by a person.
    async fn configure_sources(&self) -> Result<(), StoreError> {
        let mut transaction = self.pools.services.begin().await?;
        rules::take(&mut transaction).await?;
        let before = sources::names(&mut transaction).await?;
        sources::forget_configuration(&mut transaction).await?;
        for source in &self.config.sources {
            self.configure(&mut transaction, source).await?;
        }
        let after = sources::names(&mut transaction).await?;
        if before.iter().any(|(id, name)| after.get(id) != Some(name)) {
            judging::after_renaming(&mut transaction, self.clock.now()).await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    async fn configure(
        &self,
        conn: &mut PgConnection,
        source: &NewSource,
    ) -> Result<(), StoreError> {
        let (id, now) = (new_id(&*self.clock), self.clock.now());
        match sources::insert(conn, id, source, true, now).await? {
            Some(_) => {
                let place = Place { broker: source.broker_name(), vhost: &source.vhost };
                origins::note_of_last_read(conn, place).await
            }
            None => sources::configure(conn, source).await,
        }
    }
}

/// What posts to channels. Without it nobody can be told, which is no reason not to take letters.
fn poster(config: &Config, pools: &Pools, clock: &SharedClock) -> Option<Poster> {
    let allowed = (config.alerts.allow.clone(), notifying::ALLOW);
    let outbound = Outbound::new(allowed, notifying::POST_WITHIN);
    let outbound = outbound
        .inspect_err(|why| tracing::error!(%why, "channels are not told: nothing can be posted"))
        .ok()?;
    Some(Poster {
        pool: pools.services.clone(),
        clock: clock.clone(),
        outbound,
        links: Links { base: config.alerts.public_url.clone() },
        comparisons: Arc::default(),
    })
}

/// Sums up figures, which grow else.
struct Figures(metrics_exporter_prometheus::PrometheusHandle);

impl Duty for Figures {
    async fn step(&mut self, _: &CancellationToken) -> Result<Next, StoreError> {
        self.0.run_upkeep();
        Ok(Next::Usual)
    }
}
