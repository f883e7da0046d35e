//! The services of an office, once the database is ready: what each works with, and whether the
//! configuration wants it.

use std::sync::Arc;

use sqlx::PgConnection;

use super::Plan;
use crate::outbound::Outbound;
use crate::store::StoreError;
use crate::upkeep::Upkeep;
use crate::{
    executions, fleet, grouping, intake, judging, office, register, replay, retrying, topology,
};

impl Plan {
    /// Has every service begin, each a task of the lifecycle.
    pub(super) fn begin(&self, sign_of_life: PgConnection) {
        // In front of the work: others may take over only what nobody has in hand any more.
        self.hold(sign_of_life);
        self.keep_up();
        self.judge();
        self.retry();
        self.watch_workers();
        self.read_register();
        self.watch_executions();
        self.watch_topology();
        self.take_letters();
        self.replay();
    }

    fn hold(&self, sign_of_life: PgConnection) {
        let (pool, clock, id) = (self.pools.services.clone(), self.clock.clone(), self.office_id);
        self.lifecycle.spawn_front("the sign of life", |stop| async move {
            office::hold(pool, clock, id, sign_of_life, stop).await;
            Ok::<_, StoreError>(())
        });
    }

    fn keep_up(&self) {
        let upkeep = Upkeep {
            pool: self.pools.services.clone(),
            clock: self.clock.clone(),
            retention: self.config.retention,
        };
        self.lifecycle.spawn("upkeep", |stop| async move {
            upkeep.run(stop).await;
            Ok::<_, StoreError>(())
        });
    }

    fn judge(&self) {
        let deps = grouping::Deps { pool: self.pools.services.clone(), clock: self.clock.clone() };
        self.lifecycle.spawn("grouping", |stop| grouping::run(deps, stop));
        let deps = judging::Deps { pool: self.pools.services.clone(), clock: self.clock.clone() };
        self.lifecycle.spawn("judging again", |stop| judging::run(deps, stop));
    }

    fn take_letters(&self) {
        let intake = &self.config.intake;
        if !intake.enabled {
            return;
        }
        let deps = intake::Deps {
            pool: self.pools.intake.clone(),
            brokers: self.brokers.clone(),
            clock: self.clock.clone(),
            office_id: self.office_id,
            judges: Arc::default(),
            settings: intake::Settings {
                prefetch: intake.prefetch,
                batch: usize::from(intake.batch),
                linger: intake.linger,
                patience: self.config.patience.broker,
            },
        };
        self.lifecycle.spawn("intake", |stop| intake::run(deps, stop));
    }

    fn replay(&self) {
        if !self.config.replay.enabled {
            return;
        }
        let deps = replay::Deps {
            pool: self.pools.replay.clone(),
            brokers: self.brokers.clone(),
            clock: self.clock.clone(),
            office_id: self.office_id,
            config: self.config.replay.clone(),
            waits: self.waits.clone(),
        };
        self.lifecycle.spawn("replay", |stop| replay::run(deps, stop));
    }

    fn watch_workers(&self) {
        let deps = fleet::Deps {
            pool: self.pools.services.clone(),
            clock: self.clock.clone(),
            hears_http: self.config.http.enabled,
            judges: self.config.fleet.enabled,
        };
        self.lifecycle.spawn("looking after workers", |stop| fleet::run(deps, stop));
        if self.config.fleet.heartbeats {
            let deps = fleet::HearingDeps {
                pool: self.pools.services.clone(),
                clock: self.clock.clone(),
                brokers: self.brokers.clone(),
                queues: self.config.replay.worker_queue_names(),
            };
            self.lifecycle.spawn("hearing heartbeats", |stop| fleet::hear(deps, stop));
        }
        if self.config.fleet.probes {
            self.probe_workers();
        }
    }

    fn read_register(&self) {
        let Some(config) = self.config.register.clone() else {
            return;
        };
        let deps = register::Deps {
            pool: self.pools.services.clone(),
            clock: self.clock.clone(),
            config,
            kept: self.config.executions.kept,
            patience: self.config.patience.register,
        };
        self.lifecycle.spawn("reading the register", |stop| register::run(deps, stop));
    }

    fn probe_workers(&self) {
        let allowed = self.config.fleet.probe_allow.clone();
        let outbound = match Outbound::new(allowed, fleet::PROBE_WITHIN) {
            Ok(outbound) => outbound,
            Err(why) => {
                tracing::error!(%why, "workers are not probed: nothing can be asked");
                return;
            }
        };
        let deps = fleet::ProbingDeps {
            pool: self.pools.services.clone(),
            clock: self.clock.clone(),
            outbound,
        };
        self.lifecycle.spawn("probing workers", |stop| fleet::probe(deps, stop));
    }

    fn watch_topology(&self) {
        if !self.config.topology.enabled {
            return;
        }
        let deps = topology::Deps {
            pool: self.pools.services.clone(),
            brokers: self.brokers.clone(),
            clock: self.clock.clone(),
            config: self.config.topology,
        };
        self.lifecycle.spawn("the watch over queues", |stop| topology::run(deps, stop));
    }

    fn retry(&self) {
        let deps = retrying::Deps {
            pool: self.pools.services.clone(),
            clock: self.clock.clone(),
            replay: self.config.replay.clone(),
            takes_part: self.config.retry.enabled,
        };
        let hub = self.hub.clone();
        self.lifecycle.spawn("retry policies", |stop| retrying::run(deps, hub, stop));
    }

    fn watch_executions(&self) {
        if !self.config.executions.enabled {
            return;
        }
        let deps = executions::Deps {
            pool: self.pools.services.clone(),
            clock: self.clock.clone(),
            brokers: self.brokers.clone(),
            config: self.config.executions.clone(),
            replay: self.config.replay.clone(),
        };
        let hub = self.hub.clone();
        self.lifecycle.spawn("executions", |stop| executions::run(deps, hub, stop));
    }
}
