//! Silences, depths and deaths on one axis.

use dlo_app::desk::DeskError;
use dlo_domain::ids::GroupId;
use dlo_domain::timeline::{About, Axis, Reach, Timeline, worker_lanes};
use sqlx::PgConnection;

use super::PgDesk;
use crate::store::alerts::bands;
use crate::store::breakdown::{self, NewestLetters};
use crate::store::shared_time;
use crate::store::timeline::{self, Whose};

/// Queues of a group that its timeline is about: those with the most of its newest letters.
const MOST_OF_GROUP: usize = 5;

/// What a timeline is made of, once it is known which queues it is about.
#[derive(Default)]
struct Scope<'a> {
    /// The queues; nothing for all of them.
    queues: Option<Vec<String>>,
    /// The group whose deaths are counted, if not those of the queues.
    group: Option<GroupId>,
    /// The worker whose silences are told, if not those of the queues' workers.
    worker: Option<&'a str>,
}

impl Scope<'_> {
    fn of_group(group: GroupId, letters: &NewestLetters) -> Self {
        let queues = letters.queues.iter().take(MOST_OF_GROUP).map(|(queue, _)| queue.clone());
        Self { queues: Some(queues.collect()), group: Some(group), worker: None }
    }
}

pub(super) async fn read(
    desk: &PgDesk,
    about: &About,
    reach: Reach,
) -> Result<Timeline, DeskError> {
    let conn = &mut *desk.connection().await?;
    let scope = scope(desk, conn, about).await?;
    of(desk, conn, scope, reach).await
}

/// That of a group whose newest letters are known.
pub(super) async fn of_group(
    desk: &PgDesk,
    conn: &mut PgConnection,
    (group, letters): (GroupId, &NewestLetters),
    reach: Reach,
) -> Result<Timeline, DeskError> {
    of(desk, conn, Scope::of_group(group, letters), reach).await
}

async fn of(
    desk: &PgDesk,
    conn: &mut PgConnection,
    scope: Scope<'_>,
    reach: Reach,
) -> Result<Timeline, DeskError> {
    let now = shared_time(conn, &*desk.clock).await?;
    let axis = Axis::of(reach, now);
    let queues = scope.queues.as_deref();
    let deaths = match (scope.group, queues) {
        (Some(group), _) => timeline::deaths_of_group(conn, group, axis.from).await?,
        (None, Some(queues)) => timeline::deaths_in(conn, queues, axis.from).await?,
        (None, None) => timeline::deaths(conn, axis.from).await?,
    };
    let whose = match (scope.worker, queues) {
        (Some(name), _) => Whose::Worker(name),
        (None, Some(queues)) => Whose::OfQueues(queues),
        (None, None) => Whose::Everybody,
    };
    let alerts = bands::since(conn, axis.from, scope.group, queues).await?;
    let bands = timeline::away(conn, whose, axis.from).await?;
    let (workers, workers_left) = worker_lanes(bands, now);
    let (queues, queues_left) = timeline::depths(conn, queues, &axis).await?;
    Ok(Timeline {
        at: now,
        reach,
        from: axis.from,
        bar_seconds: axis.bar_seconds,
        deaths: axis.sums(deaths),
        workers,
        workers_left,
        queues,
        queues_left,
        alerts,
    })
}

async fn scope<'a>(
    desk: &PgDesk,
    conn: &mut PgConnection,
    about: &'a About,
) -> Result<Scope<'a>, DeskError> {
    let mut scope = Scope::default();
    match about {
        About::Everything => {}
        About::Group(id) => {
            let found = breakdown::group_now(conn, *id).await?;
            let (group, _) = found.ok_or_else(|| super::groups::no_group(*id))?;
            scope = Scope::of_group(group, &NewestLetters::of_group(conn, group).await?);
        }
        About::Worker(name) if name.contains('\0') => {
            let why = "`worker` holds a NUL character: no worker is called so";
            return Err(DeskError::Invalid(why.to_owned()));
        }
        About::Worker(name) => {
            let worker = super::fleet::find(desk, conn, name).await?.worker;
            scope.queues = Some(worker.queue.into_iter().collect());
            scope.worker = Some(name);
        }
        About::Queue(name) if name.contains('\0') => {
            let why = "`queue` holds a NUL character: no queue is called so";
            return Err(DeskError::Invalid(why.to_owned()));
        }
        About::Queue(name) => scope.queues = Some(vec![name.clone()]),
    }
    Ok(scope)
}
