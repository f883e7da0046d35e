//! A simulated company whose messages die for real: queues with dead-letter exchanges, and
//! workers that reject, give back, crash, overflow or stay away. It fills the demo, the tests
//! and the benchmarks. Nothing is ever published straight into a dead-letter queue, except
//! where a client framework (Spring, `MassTransit`, `NServiceBus`) does exactly that.
//!
//! What is published is a pure function of the seed; when it reaches the broker is not.
//!
//! # Failures
//!
//! The whole list, with the way each one fails, is in `failures.rs`. A worker decides from the
//! message alone. A replayed message (it carries `x-dlo-letter`) therefore
//!
//! - **succeeds when the failure is transient**: executions that were refused, and those that
//!   expired on worker 3, which is back 12 s after the start; inventory of warehouse AMS-2;
//!   payment gateway adyen-eu; the tax service of PT; campaign overflow; mail provider (429);
//!   PHP deadlocks; the store of site porto; carrier correos; month-end ledger deadlocks;
//! - **fails again when the failure is permanent**, unless the message was mended or
//!   [`Fleet::set_fixed`] was called: guests in order release 2.3.1; negative totals; cut-off JSON;
//!   protobuf version 4; refund lines; template legacy-2019; unknown mailboxes; transfers without
//!   an amount; empty commands; NUL in a path; readings without sensor; damaged frames; oversized
//!   batches; unknown addresses; closed accounts; missing sagas. Worker 7 stays away until then:
//!   its executions expire again, but succeed on another worker's queue.
//!
//! What waits for worker 9 waits for ever, whatever the switch says: nothing in its queue ever dies.
//!
//! The switch is in reach of everybody too: publish `fixed` or `broken` to the queue `fleet.switch`.
//!
//! # Heartbeats
//!
//! Every worker says on the topic exchange `dlo.fleet` of its vhost, under `worker.heartbeat`,
//! that it lives: `{"worker", "queue", "at", "interval_seconds", "version", "state"}`, and who executes
//! also `running` and `capacity`. Worker 7 does so for the first seconds, takes nothing, and falls
//! silent. Worker 9 drains, soon says that it stops, and is gone.
//!
//! # Executions
//!
//! An office that is named ([`FleetOptions::office`]) is told how each execution stands: by the
//! executor before it hands it out, and by workers when they begin and end it. Some of those for
//! worker 7 have a second attempt, which may go to another worker. What is handed to worker 9 is stuck.

mod clock;
mod dice;
mod endings;
mod failures;
mod heartbeat;
mod message;
mod office;
mod producers;
mod protobuf;
mod realm;
mod reports;
mod roster;
mod script;
mod services;
mod supervision;
mod switch;
mod topology;
mod verdicts;
mod workers;

use crate::Endpoints;
use endings::Endings;
use lapin::uri::AMQPUri;
pub use office::OfficeAddress;
use office::{Courier, Office};
use producers::{Pace, Part, Producers};
use realm::Realm;
use script::Script;
use std::time::Duration;
use supervision::{Shift, ShiftError, close, connect, keep_working};
use switch::Switch;
use tokio::{sync::watch, time::Instant};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use workers::{Orders, Worker};

/// How long the members of the fleet may take to go home.
const STOP_TIMEOUT: Duration = Duration::from_secs(10);
/// Letters a second that count as standing still; less would never publish again.
const LOWEST_RATE: f64 = 0.001;

/// What the fleet does, and where.
#[derive(Debug, Clone)]
pub struct FleetOptions {
    /// AMQP URL with the vhost, such as `amqp://guest:guest@127.0.0.1:5672/%2f`.
    pub amqp: String,
    /// Management API of the same broker, with user and password and without `/api`: the sales
    /// department has a vhost of its own (`sales`), which is created here.
    pub management: String,
    /// Decides everything that is published.
    pub seed: u64,
    /// Dead letters per second once the burst is over. Finite and not negative.
    pub rate_per_second: f64,
    /// Dead letters that are made at once at the start.
    pub burst: u32,
    /// How often a worker says on `dlo.fleet` that it lives.
    pub heartbeat: Duration,
    /// The office that is told of executions, if any.
    pub office: Option<OfficeAddress>,
}

impl FleetOptions {
    /// The default: seed 1, two letters a second after a burst of 300, a heartbeat each 10 s, and no
    /// office.
    pub fn new(broker: &Endpoints) -> Self {
        Self {
            amqp: broker.amqp.clone(),
            management: broker.management.clone(),
            seed: 1,
            rate_per_second: 2.0,
            burst: 300,
            heartbeat: Duration::from_secs(10),
            office: None,
        }
    }
}

/// A dead-letter queue that the fleet fills: what Dead Letter Office should watch.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct FleetSource {
    /// The vhost, not encoded, such as `/`.
    pub vhost: String,
    /// The queue.
    pub queue: String,
    /// A short name for people.
    pub name: String,
    /// Where its messages name the execution that they are about, as a JSON pointer into the body.
    pub execution_path: Option<String>,
    /// Queues whose failed messages a framework publishes there, which no binding shows.
    #[serde(default)]
    pub origins: Vec<String>,
}

/// The queues that the fleet's workers name in their heartbeats.
#[must_use]
pub fn worker_queues() -> Vec<&'static str> {
    roster::POSTS.iter().map(|post| post.queue).collect()
}

/// Why the fleet could not start or stop.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// The AMQP URL cannot be read.
    #[error(
        "the AMQP URL of the fleet cannot be read ({0}); it looks like amqp://user:password@host:5672/%2f"
    )]
    Url(String),
    /// The rate is not a number that can be kept.
    #[error(
        "the fleet cannot make {0} letters per second; give a finite number that is not negative"
    )]
    Rate(f64),
    /// The management API did not create the second vhost. Nothing was started.
    #[error("the fleet could not create its second vhost, and nothing was started: {0}")]
    Management(String),
    /// The broker refused the connection or the declarations. Nothing was started.
    #[error("the fleet could not declare its queues, and nothing was started: {0}")]
    Broker(String),
    /// There is no way to call the office. Nothing was started.
    #[error("the fleet cannot call the office, and nothing was started: {0}")]
    Office(String),
    /// Some member did not end in time; it ends with the process.
    #[error("the fleet did not end within {} s; what is left of it ends with this process", STOP_TIMEOUT.as_secs())]
    Stuck,
}

impl FleetError {
    /// Without the address, which holds the password.
    fn management(error: reqwest::Error) -> Self {
        Self::Management(error.without_url().to_string())
    }
}

/// The dead-letter queues that a fleet on the default vhost fills.
pub fn sources() -> Vec<FleetSource> {
    realm::sources("/")
}

/// A running fleet. Dropping it stops it as well, without waiting.
#[derive(Debug)]
pub struct Fleet {
    sources: Vec<FleetSource>,
    fixed: watch::Sender<bool>,
    stop: CancellationToken,
    members: TaskTracker,
}

impl Fleet {
    /// Declares the queues and lets everyone begin. The burst is under way when this returns.
    ///
    /// # Errors
    /// When the options make no sense, or the broker does not accept the declarations.
    pub async fn start(options: FleetOptions) -> Result<Self, FleetError> {
        if !options.rate_per_second.is_finite() || options.rate_per_second < 0.0 {
            return Err(FleetError::Rate(options.rate_per_second));
        }
        let uri: AMQPUri = options.amqp.parse().map_err(FleetError::Url)?;
        let office = Office::at(options.office.as_ref())
            .map_err(|error| FleetError::Office(error.to_string()))?;
        realm::create(&options.management, &uri.authority.userinfo.username).await?;
        for realm in Realm::ALL {
            declare(realm, &uri).await.map_err(|error| FleetError::Broker(error.to_string()))?;
        }
        let (fixed, _) = watch::channel(false);
        let fleet = Self {
            sources: realm::sources(&uri.vhost),
            fixed,
            stop: CancellationToken::new(),
            members: TaskTracker::new(),
        };
        fleet.open_the_doors(&options, &uri, &office);
        Ok(fleet)
    }

    fn open_the_doors(&self, options: &FleetOptions, company: &AMQPUri, office: &Office) {
        let (notes, courier) = Courier::of(office.clone());
        self.members.spawn(courier.run(self.stop.clone()));
        let orders = Orders {
            started: Instant::now(),
            heartbeat: options.heartbeat,
            fixed: self.fixed.subscribe(),
            notes,
        };
        for post in roster::POSTS {
            let worker = Worker::new(*post, orders.clone());
            self.employ(post.service.realm(), company, worker);
        }
        let switch = Switch::new(self.fixed.clone());
        self.employ(Realm::Company, company, switch);
        self.employ(Realm::Company, company, Endings);
        let begun = clock::now();
        let pace = Pace {
            seed: options.seed,
            letters_per_second: options.rate_per_second.max(LOWEST_RATE),
            burst: options.burst,
        };
        for part in Part::ALL {
            let script = Script::new(options.seed, begun);
            let user = company.authority.userinfo.username.clone();
            let producers = Producers::new((part, office.clone()), script, user, pace);
            self.employ(part.realm(), company, producers);
        }
        self.members.close();
    }

    fn employ(&self, realm: Realm, company: &AMQPUri, shift: impl Shift + 'static) {
        let address = realm.address(company);
        self.members.spawn(keep_working(address, self.stop.clone(), shift));
    }

    /// The dead-letter queues that this fleet fills.
    pub fn sources(&self) -> &[FleetSource] {
        &self.sources
    }

    /// Says that the bugs in the consumers are fixed (or are back): permanent failures then
    /// succeed, also for new messages, and worker 7 is at work.
    pub fn set_fixed(&self, fixed: bool) {
        self.fixed.send_replace(fixed);
    }

    /// Sends everyone home. What was not acknowledged goes back to its queue.
    ///
    /// # Errors
    /// When some member did not end in time.
    pub async fn stop(self) -> Result<(), FleetError> {
        self.stop.cancel();
        tokio::time::timeout(STOP_TIMEOUT, self.members.wait())
            .await
            .map_err(|_elapsed| FleetError::Stuck)
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

async fn declare(realm: Realm, company: &AMQPUri) -> Result<(), ShiftError> {
    let connection = connect(&realm.address(company), "fleet-setup").await?;
    let channel = connection.create_channel().await?;
    let declared = topology::declare(&channel, realm).await;
    close(&connection).await;
    Ok(declared?)
}
