//! The database that a register is in. It is somebody else's: it is only read, in a transaction that
//! says so, in bounded time and bounded size, and whatever it answers is input.

use std::fmt;
use std::str::FromStr as _;
use std::time::Duration;

use chrono::{DateTime, Utc};
use futures_util::TryStreamExt as _;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, ConnectOptions as _};
use tokio::time::Instant;

/// The most that is read at once, in bytes.
const MOST_BYTES: usize = 32 << 20;

/// Why the register could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ForeignError {
    /// The database does not do it: its own words.
    #[error("{asked}: {}", plain(.why))]
    Database {
        /// What was asked.
        asked: &'static str,
        /// What came of it.
        why: sqlx::Error,
    },
    /// It takes too long.
    #[error("it did not answer within {} s", .0.as_secs_f64())]
    Slow(Duration),
    /// There are more rows than are read.
    #[error("{asked} gives more than {most} rows: have it give fewer")]
    TooMany {
        /// What was asked.
        asked: &'static str,
        /// As many as are read.
        most: usize,
    },
    /// There is more than is read.
    #[error("{asked} gives more than {} MiB: have it give less", MOST_BYTES >> 20)]
    TooLarge {
        /// What was asked.
        asked: &'static str,
    },
}

/// A database's words without what it says of where in its sources they come from; none holds the
/// address or the password.
fn plain(why: &sqlx::Error) -> String {
    match why {
        sqlx::Error::Database(said) => said.message().to_owned(),
        sqlx::Error::Io(why) => format!("it cannot be reached ({why})"),
        sqlx::Error::ColumnDecode { .. } => "its answer is no text".to_owned(),
        other => other.to_string(),
    }
}

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// What it is, in a sentence.
    pub name: &'static str,
    /// The configured statement.
    pub sql: &'a str,
    /// The most rows.
    pub most: usize,
    /// The most characters of a row that are fetched.
    pub most_of_row: usize,
}

/// What was read.
#[derive(Debug)]
pub struct Answer {
    /// What time it is over there.
    pub now: DateTime<Utc>,
    /// The rows as JSON, for each question up to the first that could not be answered, and why not.
    pub rows: Vec<Result<Vec<String>, ForeignError>>,
}

/// A connection that is made when it is needed, and given up when anything goes wrong.
pub struct Foreign {
    address: String,
    patience: Duration,
    connection: Option<PgConnection>,
}

/// Without the address, which may hold a password.
impl fmt::Debug for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Foreign")
            .field("is_connected", &self.connection.is_some())
            .finish_non_exhaustive()
    }
}

impl Foreign {
    /// No connection yet. The address was checked with the configuration. Everything that is asked at once may
    /// take `patience`, the connection included.
    #[must_use]
    pub fn at(address: &str, patience: Duration) -> Self {
        Self { address: address.to_owned(), patience, connection: None }
    }

    /// Asks everything at one moment.
    ///
    /// # Errors
    /// When the database does not answer in time. That it does not answer a question, or not with what can
    /// be read, is said in its place; what comes behind it is not asked then.
    pub async fn ask(&mut self, questions: &[Question<'_>]) -> Result<Answer, ForeignError> {
        // Taken out: what is cut off, or fails, is not used again.
        let connection = self.connection.take();
        let until = Until::from_now(self.patience);
        let reaching = async {
            let mut connection = match connection {
                Some(connection) => connection,
                None => connect(&self.address).await?,
            };
            let now = begin(&mut connection, self.patience).await?;
            Ok((connection, now))
        };
        let (mut connection, now) = in_time(until, reaching).await?;
        let mut rows = Vec::new();
        for question in questions {
            let answer = in_time(until, fetch(&mut connection, *question)).await;
            let is_answered = answer.is_ok();
            rows.push(answer);
            if !is_answered {
                return Ok(Answer { now, rows });
            }
        }
        in_time(until, end(&mut connection)).await?;
        self.connection = Some(connection);
        Ok(Answer { now, rows })
    }
}

fn failed(asked: &'static str) -> impl FnOnce(sqlx::Error) -> ForeignError {
    move |why| ForeignError::Database { asked, why }
}

async fn connect(address: &str) -> Result<PgConnection, ForeignError> {
    let asked = "connecting";
    let options = PgConnectOptions::from_str(address).map_err(failed(asked))?;
    let options = options.application_name("dead-letter-office register");
    options.connect().await.map_err(failed(asked))
}

/// When patience ends, and how long it was.
#[derive(Clone, Copy)]
struct Until {
    at: Instant,
    patience: Duration,
}

impl Until {
    fn from_now(patience: Duration) -> Self {
        Self { at: Instant::now() + patience, patience }
    }
}

async fn in_time<T>(
    until: Until,
    done: impl Future<Output = Result<T, ForeignError>>,
) -> Result<T, ForeignError> {
    let done = tokio::time::timeout_at(until.at, done).await;
    done.map_err(|_| ForeignError::Slow(until.patience))?
}

/// Begins a transaction that only reads. Tells what time it is over there.
async fn begin(
    connection: &mut PgConnection,
    patience: Duration,
) -> Result<DateTime<Utc>, ForeignError> {
    // A little less than our own patience: the database ends what we do not wait for.
    let statement = (patience * 4 / 5).as_millis();
    let begin = format!(
        "begin transaction isolation level repeatable read read only;
         set local statement_timeout = '{statement}ms'; set local lock_timeout = '2s'"
    );
    sqlx::raw_sql(AssertSqlSafe(begin))
        .execute(&mut *connection)
        .await
        .map_err(failed("beginning"))?;
    sqlx::query_scalar("select clock_timestamp()")
        .persistent(false)
        .fetch_one(connection)
        .await
        .map_err(failed("asking for the time"))
}

async fn end(connection: &mut PgConnection) -> Result<(), ForeignError> {
    let ended = sqlx::raw_sql("rollback").execute(connection).await;
    ended.map(drop).map_err(failed("ending"))
}

/// As a table of a statement of ours: so it is one statement, it reads, and its rows are bounded.
async fn fetch(
    connection: &mut PgConnection,
    question: Question<'_>,
) -> Result<Vec<String>, ForeignError> {
    let Question { name: asked, sql, most, most_of_row } = question;
    let sql = sql.trim_end().trim_end_matches(';');
    let statement = format!(
        "select left(to_jsonb(r)::text, {}) from (\n{sql}\n) as r limit {}",
        most_of_row + 1,
        most + 1
    );
    let mut stream = sqlx::query_scalar::<_, String>(AssertSqlSafe(statement))
        .persistent(false)
        .fetch(connection);
    let (mut rows, mut bytes) = (Vec::new(), 0);
    while let Some(row) = stream.try_next().await.map_err(failed(asked))? {
        bytes += row.len();
        if rows.len() == most {
            return Err(ForeignError::TooMany { asked, most });
        }
        if bytes > MOST_BYTES {
            return Err(ForeignError::TooLarge { asked });
        }
        rows.push(row);
    }
    Ok(rows)
}
