//! The services of an office, once the database is ready: what each works with, and whether the
//! configuration wants it.

use std::sync::Arc;

use sqlx::PgConnection;

use super::Plan;
use crate::alerts::{self, Evaluator};
use crate::error_reports::{self, Joiner};
use crate::grouping::{self, Grouper};
use crate::intake::{self, Intake};
use crate::judging::{self, Walker};
use crate::measuring::{self, Measuring};
use crate::outbound::Outbound;
use crate::retrying::{self, Scheduler};
use crate::schemas::SchemaRegistry;
use crate::store::StoreError;
use crate::topology::Surveyor;
use crate::upkeep::Upkeep;
use crate::{executions, fleet, notifying, office, register, replay, schemas};

impl Plan {
    /// Has every service begin, each a task of the lifecycle.
    pub(super) fn begin(&self, sign_of_life: PgConnection) {
        // In front of the work: others may take over only what nobody has in hand any more.
        self.hold(sign_of_life);
        self.keep_up();
        self.judge();
        self.retry();
        self.evaluate_alerts();
        self.watch_workers();
        self.read_register();
        self.ask_schema_registry();
        self.watch_executions();
        self.watch_topology();
        self.take_letters();
        self.replay();
    }

    fn hold(&self, sign_of_life: PgConnection) {
        let held = office::Held {
            pool: self.pools.services.clone(),
            clock: self.clock.clone(),
            id: self.office_id,
            conditions: self.duties.conditions(),
        };
        self.lifecycle.spawn_front("the sign of life", |stop| async move {
            held.hold(sign_of_life, stop).await;
            Ok::<_, StoreError>(())
        });
    }

    fn keep_up(&self) {
        let upkeep = Upkeep {
            pool: self.pools.services.clone(),
            clock: self.clock.clone(),
            retention: self.config.retention,
            indexed: self.config.indexed,
        };
        upkeep.begin(&self.duties);
        let measuring = Measuring::new(self.pools.clone(), self.clock.clone());
        self.duties.every("measuring", measuring::MEASURE_EVERY, measuring);
    }

    fn judge(&self) {
        let pool = || self.pools.services.clone();
        let grouper = Grouper::new(pool(), self.clock.clone());
        self.duties.every("grouping letters", grouping::LOOK_EVERY, grouper);
        let walker = Walker::new(pool());
        self.duties.every("judging letters again", judging::LOOK_EVERY, walker);
        let joiner = Joiner::new(pool(), self.clock.clone());
        self.duties.every("joining error reports", error_reports::LOOK_EVERY, joiner);
    }

    fn take_letters(&self) {
        let config = &self.config.intake;
        if !config.enabled {
            return;
        }
        let intake = Intake {
            pool: self.pools.intake.clone(),
            brokers: self.brokers.clone(),
            clock: self.clock.clone(),
            office_id: self.office_id,
            judges: Arc::default(),
            settings: intake::Settings {
                prefetch: config.prefetch,
                batch: usize::from(config.batch),
                linger: config.linger,
                patience: self.config.patience.broker,
            },
        };
        intake.begin(&self.duties);
    }

    fn replay(&self) {
        if !self.config.replay.enabled {
            return;
        }
        let engine = replay::Engine::new(
            self.pools.replay.clone(),
            self.brokers.clone(),
            self.clock.clone(),
            self.office_id,
            (self.config.replay.clone(), self.waits.clone()),
        );
        engine.watch(&self.duties);
        self.lifecycle.spawn("replay", |stop| replay::run(engine, stop));
    }

    fn evaluate_alerts(&self) {
        if !self.config.alerts.enabled {
            return;
        }
        let (pool, clock) = (self.pools.services.clone(), self.clock.clone());
        let evaluator = Evaluator::new(pool, clock, self.config.topology.idle_after);
        self.duties.every("evaluating alert rules", alerts::LOOK_EVERY, evaluator);
        if let Some(poster) = &self.poster {
            self.duties.every("telling channels", notifying::LOOK_EVERY, poster.clone());
        }
    }

    fn watch_workers(&self) {
        let (pool, clock) = (self.pools.services.clone(), self.clock.clone());
        let part =
            fleet::Part { hears_http: self.config.http.enabled, judges: self.config.fleet.enabled };
        let monitor = fleet::Monitor::new(pool.clone(), clock.clone(), part);
        self.duties.every("watching workers", fleet::LOOK_EVERY, monitor);
        if self.config.fleet.heartbeats {
            let queues = self.config.replay.worker_queue_names();
            let brokers = self.brokers.clone();
            fleet::Hearing { pool, clock, brokers, queues }.begin(&self.duties);
        }
        if self.config.fleet.probes {
            self.probe_workers();
        }
    }

    fn probe_workers(&self) {
        let allowed = self.config.fleet.probe_allow.clone();
        let outbound = match Outbound::new((allowed, fleet::PROBE_ALLOW), fleet::PROBE_WITHIN) {
            Ok(outbound) => outbound,
            Err(why) => {
                tracing::error!(%why, "workers are not probed: nothing can be asked");
                return;
            }
        };
        let (pool, clock) = (self.pools.services.clone(), self.clock.clone());
        let prober = fleet::Prober { pool, clock, outbound };
        self.duties.every("probing workers", fleet::LOOK_EVERY, prober);
    }

    fn read_register(&self) {
        let Some(config) = self.config.register.clone() else {
            return;
        };
        let (pool, clock) = (self.pools.services.clone(), self.clock.clone());
        let (kept, patience) = (self.config.executions.kept, self.config.patience.register);
        let reader = register::Reader::new(pool, clock, config, (kept, patience));
        self.duties.every("reading the register", register::LOOK_EVERY, reader);
    }

    fn ask_schema_registry(&self) {
        let Some(config) = &self.config.schema_registry else {
            return;
        };
        let registry = match SchemaRegistry::new(config) {
            Ok(registry) => registry,
            Err(why) => {
                tracing::error!(%why, "the schema registry is not asked: nothing can be asked");
                return;
            }
        };
        let (pool, clock) = (self.pools.services.clone(), self.clock.clone());
        let asker = schemas::Asker::new(pool, clock, registry);
        self.duties.every("asking the schema registry", schemas::LOOK_EVERY, asker);
    }

    fn watch_topology(&self) {
        if !self.config.topology.enabled {
            return;
        }
        let surveyor = Surveyor {
            pool: self.pools.services.clone(),
            brokers: self.brokers.clone(),
            clock: self.clock.clone(),
            config: self.config.topology,
        };
        surveyor.begin(&self.duties);
    }

    fn retry(&self) {
        let (pool, clock) = (self.pools.services.clone(), self.clock.clone());
        let (replay, takes_part) = (self.config.replay.clone(), self.config.retry.enabled);
        let scheduler = Scheduler::new(pool, clock, replay, takes_part);
        self.duties.every("carrying out retry policies", retrying::LOOK_EVERY, scheduler);
    }

    fn watch_executions(&self) {
        if !self.config.executions.enabled {
            return;
        }
        let keeper = executions::Keeper {
            pool: self.pools.services.clone(),
            clock: self.clock.clone(),
            brokers: self.brokers.clone(),
            config: self.config.executions.clone(),
            replay: self.config.replay.clone(),
        };
        executions::begin(keeper, &self.duties);
    }
}
