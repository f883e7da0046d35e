//! What can go wrong between us and Postgres.

/// What Postgres says when it stops a statement at `statement_timeout`.
const TOO_LATE: &str = "57014";

/// A failure of the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Postgres refused, or does not answer.
    #[error("the database did not do it: {0}")]
    Database(#[from] sqlx::Error),
    /// Nobody answers at the address of Postgres.
    #[error("the database cannot be reached: {why} at {place}")]
    Unreachable {
        /// Host and port.
        place: String,
        /// What happened.
        why: String,
    },
    /// A row holds what we never wrote.
    #[error("the table {table} holds a {column} that cannot be read: {why}")]
    Corrupt {
        /// The table.
        table: &'static str,
        /// The column.
        column: &'static str,
        /// What the reader said.
        why: String,
    },
    /// The migrations could not be run.
    #[error("the database could not be migrated: {0}")]
    Migrate(#[from] sqlx::migrate::MigrateError),
}

impl StoreError {
    /// A row that cannot be read.
    #[expect(clippy::needless_pass_by_value, reason = "so that it can be handed to map_err")]
    pub fn corrupt(table: &'static str, column: &'static str, why: impl ToString) -> Self {
        Self::Corrupt { table, column, why: why.to_string() }
    }

    /// Whether the statement took longer than it was allowed to.
    #[must_use]
    pub fn is_too_late(&self) -> bool {
        self.has_code(TOO_LATE)
    }

    /// Whether Postgres is away (or going), so that the same call may go through later.
    #[must_use]
    pub fn is_outage(&self) -> bool {
        use sqlx::migrate::MigrateError;
        if matches!(self, Self::Unreachable { .. }) {
            return true;
        }
        let (Self::Database(fault)
        | Self::Migrate(
            MigrateError::Execute(fault) | MigrateError::ExecuteMigration(fault, _),
        )) = self
        else {
            return false;
        };
        match fault {
            sqlx::Error::Io(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed
            | sqlx::Error::Protocol(_)
            | sqlx::Error::Tls(_) => true,
            // 08: connection, 53: out of resources (disk full too), 55000: the database takes no
            // connections just now, 57: shut down or starting, 58: its own input or output failed
            sqlx::Error::Database(refusal) => refusal.code().is_some_and(|code| {
                ["08", "53", "55000", "57", "58"].iter().any(|class| code.starts_with(class))
            }),
            _ => false,
        }
    }

    /// Whether rows stood against a constraint.
    #[must_use]
    pub fn is_violation(&self) -> bool {
        self.has_code("23514")
    }

    /// Whether a lock was not had within the time set for it.
    #[must_use]
    pub fn is_lock_timeout(&self) -> bool {
        self.has_code("55P03")
    }

    /// Whether the same transaction may go through when it is tried again: in an outage, and when
    /// Postgres rolled it back because of somebody else's.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        self.is_outage() || self.has_code("40")
    }

    /// Whether Postgres rolled the transaction back because of somebody else's, so that the same one
    /// may go through at once.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        // 40: deadlock, serialization; 55P03: a lock was not had in time
        self.has_code("40") || self.has_code("55P03")
    }

    /// Whether Postgres refused a value that was to be written: it will not take it another time.
    #[must_use]
    pub fn is_of_content(&self) -> bool {
        if matches!(self, Self::Database(sqlx::Error::Encode(_))) {
            return true;
        }
        // 22: a value that no column takes, 54: more than a row or an index may hold,
        // 23502 and 23514: against a rule of the table
        ["22", "54", "23502", "23514"].iter().any(|class| self.has_code(class))
    }

    /// Whether Postgres refused with this code, or one of this class.
    fn has_code(&self, code: &str) -> bool {
        matches!(self, Self::Database(sqlx::Error::Database(refusal))
            if refusal.code().is_some_and(|found| found.starts_with(code)))
    }
}
