//! Letters by the million, made up, for benchmarks: some thousand failures go in the way that all
//! letters go, are put into groups, and are then multiplied within Postgres.

mod templates;

pub use templates::{any_message, any_phrase};

use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::decoding::MessageTypes;
use dlo_domain::execution::ExecutionNaming;
use dlo_domain::failure::HeaderMap;
use dlo_domain::globs::Globs;
use dlo_domain::grouping::Masker;
use dlo_domain::ids::{LetterId, SourceId};
use dlo_domain::judge::Judge;
use dlo_domain::reading;
use dlo_domain::source::{NewSource, SourceMode};
use futures_util::{StreamExt as _, TryStreamExt as _};
use sqlx::PgPool;

use crate::clock::{SharedClock, new_id};
use crate::grouping::Grouper;
use crate::store::groups::signatures;
use crate::store::letters::{Court, Incoming, insert_new};
use crate::store::seeding::{self as store, Span};
use crate::store::{StoreError, sources, weeks};
use templates::{MOST_SIGNATURES, ORDER, SOURCES, Template, VARIANTS, template};

/// The time that the letters are spread over.
const SPREAD: TimeDelta = TimeDelta::days(52);
/// Patterns in one transaction.
const AT_ONCE: usize = 500;

/// Who hears of every step.
pub type Tell<'a> = &'a (dyn Fn(String) + Sync);

/// What to make.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted {
    /// How many letters.
    pub letters: i64,
    /// Remove everything that is in the database first.
    pub replace: bool,
    /// Leave out what lists, groups and text searches do not read: half of the disk.
    pub without_bodies: bool,
}

/// Why no letters were made up.
#[derive(Debug, thiserror::Error)]
pub enum SeedError {
    /// Somebody's letters may be there.
    #[error(
        "the database has letters, and nothing was changed: give an empty database, or --replace \
         to remove everything that is in this one"
    )]
    NotEmpty,
    /// Postgres.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for SeedError {
    fn from(why: sqlx::Error) -> Self {
        Self::Store(why.into())
    }
}

/// How long the steps took.
#[derive(Debug, Clone, Copy)]
pub struct Seeded {
    /// Letters and the rows that belong to them.
    pub rows: Duration,
    /// All indexes but the one for text, built afterwards.
    pub indexes: Duration,
    /// The trigram index.
    pub text_index: Duration,
    /// Counters, from the letters.
    pub counters: Duration,
    /// Signatures, nearly each a group of its own.
    pub signatures: usize,
}

impl Seeded {
    /// The steps and their speed, for people.
    #[must_use]
    pub fn report(&self, letters: i64) -> String {
        #[expect(clippy::cast_precision_loss, reason = "a count of letters")]
        let rate = letters as f64 / (self.rows + self.indexes).as_secs_f64();
        format!(
            "rows {:.1?}, indexes {:.1?} ({rate:.0} letters/s), text index {:.1?}, counters {:.1?}, {} signatures",
            self.rows, self.indexes, self.text_index, self.counters, self.signatures
        )
    }
}

/// Makes so many letters in a database that has none. `tell` hears of every step.
///
/// # Errors
/// `SeedError`. What is half done is cleared away by `replace`.
pub async fn seed(
    pool: &PgPool,
    clock: &SharedClock,
    wanted: Wanted,
    tell: Tell<'_>,
) -> Result<Seeded, SeedError> {
    let mut conn = pool.acquire().await?;
    if wanted.replace {
        store::remove_everything(&mut conn).await?;
    } else if store::has_letters(&mut conn).await? {
        return Err(SeedError::NotEmpty);
    }
    let now = clock.now();
    let signatures = usize::try_from(wanted.letters / 10).unwrap_or_default();
    let signatures = signatures.clamp(1, MOST_SIGNATURES);
    insert_patterns(pool, clock, signatures * VARIANTS, now - SPREAD).await?;
    Grouper::new(pool.clone(), clock.clone()).catch_up().await?;
    let span = Span {
        letters: wanted.letters,
        without_bodies: wanted.without_bodies,
        from: now - SPREAD,
        until: now,
        patterns: store::take_patterns(&mut conn).await?,
        marker: ORDER,
    };
    tell(format!("{} patterns of {signatures} signatures are there", span.patterns));
    let began = Instant::now();
    fill(pool, &span, tell).await?;
    let rows = began.elapsed();
    let [letters_table, arrivals, extracts, texts] = store::tables();
    let indexes = join(pool, &span, &[letters_table, arrivals, extracts], tell).await?;
    let text_index = join(pool, &span, &[texts], tell).await?;
    let began = Instant::now();
    store::count_again(&mut conn).await?;
    let counters = began.elapsed();
    tell(format!("counters are there after {counters:.0?}"));
    store::tidy(&mut conn).await?;
    weeks::make(&mut conn, now, now).await?;
    Ok(Seeded { rows, indexes, text_index, counters, signatures })
}

/// Stores the patterns as letters, as intake does.
async fn insert_patterns(
    pool: &PgPool,
    clock: &SharedClock,
    patterns: usize,
    at: DateTime<Utc>,
) -> Result<(), SeedError> {
    let sources = insert_sources(pool, clock).await?;
    let mut masker = Masker::new();
    // How bad a pattern is, is given to it afterwards.
    let judge = Judge::default();
    let numbers: Vec<usize> = (0..patterns).collect();
    for some in numbers.chunks(AT_ONCE) {
        let mut made: Vec<(SourceId, Incoming)> = some
            .iter()
            .map(|number| {
                let Template { source, delivered } = template(*number);
                let reading =
                    reading::read(&delivered, &HeaderMap::default(), &MessageTypes::default());
                let id = LetterId(new_id(&**clock));
                let court = Court { judge: &judge, source: "" };
                (sources[source], Incoming::new(id, at, delivered, reading, court, &mut masker))
            })
            .collect();
        made.sort_by_key(|(source, _)| source.0);
        let mut transaction = pool.begin().await?;
        let all: Vec<&Incoming> = made.iter().map(|(_, incoming)| incoming).collect();
        signatures::remember(&mut transaction, &all).await?;
        for of_source in made.chunk_by(|one, other| one.0 == other.0) {
            let incoming: Vec<&Incoming> = of_source.iter().map(|(_, one)| one).collect();
            insert_new(&mut transaction, of_source[0].0, &incoming).await?;
        }
        transaction.commit().await?;
    }
    Ok(())
}

/// Mirrors of a vhost that no broker has: an office that is started on this database takes nothing.
async fn insert_sources(pool: &PgPool, clock: &SharedClock) -> Result<Vec<SourceId>, SeedError> {
    let mut conn = pool.acquire().await?;
    let mut ids = Vec::new();
    for name in SOURCES {
        let source = NewSource {
            vhost: "made-up".to_owned(),
            queue: format!("{name}.dead"),
            mode: SourceMode::Mirror,
            name: None,
            broker: None,
            headers: HeaderMap::default(),
            executions: ExecutionNaming::default(),
            origins: Globs::any(),
        };
        let now = clock.now();
        let id = sources::insert(&mut conn, new_id(&**clock), &source, false, now).await?;
        ids.extend(id);
    }
    Ok(ids)
}

/// Two weeks at a time: one waits for the disk while the other computes.
const AT_A_TIME: usize = 2;

async fn fill(pool: &PgPool, span: &Span, tell: Tell<'_>) -> Result<(), SeedError> {
    let began = Instant::now();
    let weeks = span.weeks().into_iter().map(|week| async move {
        let mut conn = pool.acquire().await?;
        let made = store::fill(&mut conn, span, week).await?;
        let took = began.elapsed();
        tell(format!("{made} letters of a week are there after {took:.0?}"));
        Ok::<_, SeedError>(())
    });
    let weeks = futures_util::stream::iter(weeks);
    weeks.buffer_unordered(AT_A_TIME).try_collect().await
}

/// Builds the indexes of tables and joins the weeks to them.
async fn join(
    pool: &PgPool,
    span: &Span,
    tables: &[&str],
    tell: Tell<'_>,
) -> Result<Duration, SeedError> {
    let began = Instant::now();
    for table in tables {
        let weeks = span.weeks().into_iter().map(|week| async move {
            let mut conn = pool.acquire().await?;
            store::index(&mut conn, table, week).await?;
            Ok::<_, SeedError>(())
        });
        let weeks = futures_util::stream::iter(weeks);
        weeks.buffer_unordered(AT_A_TIME).try_collect::<()>().await?;
        let mut conn = pool.acquire().await?;
        for week in span.weeks() {
            store::attach(&mut conn, table, week).await?;
        }
        tell(format!("{table} have their indexes after {:.0?}", began.elapsed()));
    }
    Ok(began.elapsed())
}

#[cfg(test)]
mod tests;
