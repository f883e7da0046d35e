//! Stored letters, read so that they can be judged again as they were when they arrived.

use chrono::{DateTime, Utc};
use dlo_domain::arrival::Delivered;
use dlo_domain::death::Death;
use dlo_domain::decoding::{Contents, MessageTypes};
use dlo_domain::error_report::ReportedFailure;
use dlo_domain::extract::Extract;
use dlo_domain::failure::{Circumstances, Failure, HeaderMap};
use dlo_domain::grouping::{Masker, SignatureId};
use dlo_domain::ids::{AlertCounterId, LetterId};
use dlo_domain::judge::{Case, Judge, Judgement};
use dlo_domain::origin::Origin;
use dlo_domain::reading::{self, Reading};
use dlo_domain::relations::Relations;
use dlo_domain::severity::Severity;
use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

use super::court::{self, Particulars};
use super::incoming::short;
use crate::store::StoreError;
use crate::store::letter_detail::{read_headers, read_json};

/// What is read of a body to judge a letter, in bytes: nothing that judges or is searched looks further, and of
/// a body that is larger only its beginning is kept for searching.
const MOST_JUDGED_BYTES: i32 = 128 * 1024;

/// A letter that may be judged again.
#[derive(Debug)]
pub struct StoredLetter {
    /// Its id.
    pub id: LetterId,
    /// How often it had arrived when it was read: when it did again since, it was judged then.
    pub arrivals: i32,
    /// When it did so last.
    pub last_arrived_at: DateTime<Utc>,
    /// How bad it is held to be.
    pub severity: Severity,
    /// Its signature, if it has one.
    pub signature: Option<SignatureId>,
    source: String,
    headers: HeaderMap,
    replays: i32,
    size_bytes: i64,
    /// What is kept beside the letter: of a letter that died again, not of its last arrival alone.
    told: Reading,
    /// What was reported of the last arrival.
    reported: Option<ReportedFailure>,
    /// The last arrival; without its headers and body where they were not asked for.
    delivered: Delivered,
}

struct Row {
    id: Uuid,
    source: String,
    source_headers: Json<HeaderMap>,
    severity: String,
    signature: Option<Vec<u8>>,
    queue: Option<String>,
    exchange: Option<String>,
    routing_key: Option<String>,
    reason: String,
    error_class: Option<String>,
    error_message: Option<String>,
    message_type: Option<String>,
    message_id: Option<String>,
    size_bytes: i64,
    arrivals: i32,
    replays: i32,
    last_arrived_at: DateTime<Utc>,
    reported: Option<Json<ReportedFailure>>,
    delivered_to: String,
    delivered_with: String,
    deaths: serde_json::Value,
    properties: Option<serde_json::Value>,
    headers: Option<String>,
    body: Option<Vec<u8>>,
}

/// Reads letters; with their headers and bodies if `inside`. Without these they can be judged only
/// by rules that do not look there, and have no signature.
///
/// # Errors
/// When Postgres does not do it. A row that cannot be read is left out and logged.
pub async fn stored(
    conn: &mut PgConnection,
    letters: &[LetterId],
    inside: bool,
) -> Result<Vec<StoredLetter>, StoreError> {
    let ids: Vec<Uuid> = letters.iter().map(|id| id.0).collect();
    let rows = sqlx::query_as!(
        Row,
        r#"select l.id, s.name as source, s.headers as "source_headers: Json<HeaderMap>",
               l.severity, l.signature, l.queue, l.exchange, l.routing_key, l.reason,
               l.error_class, l.error_message, l.message_type, l.message_id, l.size_bytes,
               l.arrivals, l.replays, l.last_arrived_at,
               (select r.failure from error_reports r
                where r.letter_id = l.id and r.ordinal = l.arrivals and not r.is_ambiguous
                order by r.id desc limit 1) as "reported: Json<ReportedFailure>",
               a.exchange as delivered_to,
               a.routing_key as delivered_with, a.deaths,
               case when $2 then a.properties end as properties,
               case when $2 then a.headers::text end as headers,
               case when $2 then substring(a.body from 1 for $3) end as body
           from letters l
           join sources s on s.id = l.source_id
           join arrivals a on a.letter_id = l.id and a.ordinal = l.arrivals
           where l.id = any($1)"#,
        &ids,
        inside,
        MOST_JUDGED_BYTES,
    )
    .fetch_all(conn)
    .await?;
    let mut letters = Vec::with_capacity(rows.len());
    for row in rows {
        let id = row.id;
        match StoredLetter::try_from(row) {
            Ok(letter) => letters.push(letter),
            Err(why) => tracing::warn!(letter = %id, %why, "a letter is not judged again"),
        }
    }
    Ok(letters)
}

impl TryFrom<Row> for StoredLetter {
    type Error = StoreError;

    fn try_from(row: Row) -> Result<Self, StoreError> {
        let deaths: Vec<Death> = read_json("deaths", row.deaths)?;
        let corrupt = |column| move |why| StoreError::corrupt("letters", column, why);
        let signature = row.signature.map(<[u8; 16]>::try_from).transpose();
        let signature =
            signature.map_err(|_| corrupt("signature")("it does not have 16 bytes".to_owned()))?;
        let reason = row.reason.parse();
        let severity = row.severity.parse::<Severity>();
        Ok(Self {
            id: LetterId(row.id),
            arrivals: row.arrivals,
            last_arrived_at: row.last_arrived_at,
            severity: severity.map_err(|why| corrupt("severity")(why.to_string()))?,
            signature: signature.map(SignatureId),
            source: row.source,
            headers: row.source_headers.0,
            replays: row.replays,
            size_bytes: row.size_bytes,
            reported: row.reported.map(|reported| reported.0),
            told: Reading {
                deaths,
                origin: Origin {
                    queue: row.queue,
                    exchange: row.exchange,
                    routing_key: row.routing_key,
                    reason: reason.map_err(|why| StoreError::corrupt("letters", "reason", why))?,
                },
                failure: Failure {
                    error_class: row.error_class,
                    error_message: row.error_message,
                    ..Failure::default()
                },
                message_type: row.message_type,
                message_id: row.message_id,
                returns_from: None,
                notes: Vec::new(),
                relations: Relations::default(),
                contents: Contents::default(),
            },
            delivered: Delivered {
                exchange: row.delivered_to,
                routing_key: row.delivered_with,
                redelivered: false,
                properties: row
                    .properties
                    .map(|json| read_json("properties", json))
                    .transpose()?
                    .unwrap_or_default(),
                headers: row
                    .headers
                    .map(|json| read_headers(&json))
                    .transpose()?
                    .unwrap_or_default(),
                body: row.body.unwrap_or_default(),
                faults: Vec::new(),
            },
        })
    }
}

impl StoredLetter {
    /// How bad it is by these rules.
    #[must_use]
    pub fn severity_by(&self, judge: &Judge) -> Severity {
        judge.severity(&court::facts(self.particulars(), &self.told, &self.extract(judge.types())))
    }

    /// The counters of the alert rules that ask for how long it waits, which is this bad now.
    #[must_use]
    pub fn waiting_counters(&self, judge: &Judge, severity: Severity) -> Vec<AlertCounterId> {
        let extract = self.extract(judge.types());
        judge.waiting_counters(&court::facts(self.particulars(), &self.told, &extract), severity)
    }

    /// Has it of the message type that its body is of, if its message told no other; says whether it became so. It must
    /// have been read with what is inside.
    pub fn learn_type(&mut self, types: &MessageTypes) -> bool {
        if self.told.message_type.is_none() {
            self.told.message_type = short(self.reading(types).message_type.as_ref());
            return self.told.message_type.is_some();
        }
        false
    }

    /// Its message type.
    #[must_use]
    pub fn message_type(&self) -> Option<&str> {
        self.told.message_type.as_deref()
    }

    /// What it is by these rules; it must have been read with what is inside.
    #[must_use]
    pub fn judged_by(&self, judge: &Judge, masker: &mut Masker) -> Judgement {
        let reading = self.reading(judge.types());
        let extract = self.extract(judge.types());
        let case = Case {
            facts: court::facts(self.particulars(), &self.told, &extract),
            reading: &reading,
            delivered: &self.delivered,
        };
        judge.judge(&case, masker)
    }

    /// What its last arrival tells around its failure; it must have been read with what is inside.
    #[must_use]
    pub fn circumstances(&self) -> Circumstances {
        self.reading(&MessageTypes::default()).failure.circumstances
    }

    /// What it tells of its failure, with what was reported of it; it must have been read with what is inside.
    pub(super) fn failure(&self) -> Failure {
        self.reading(&MessageTypes::default()).failure
    }

    /// What is kept of it for searching, if this is the message of its failure.
    pub(super) fn extract_with<'a>(
        &'a self,
        types: &MessageTypes,
        error_message: Option<&'a str>,
    ) -> Extract<'a> {
        super::incoming::extract(&self.delivered, &self.headers, types, error_message)
    }

    /// Its last arrival, read, with what was reported of it.
    fn reading(&self, types: &MessageTypes) -> Reading {
        let mut reading = reading::read(&self.delivered, &self.headers, types);
        if let Some(reported) = &self.reported {
            reported.retell(&mut reading.failure);
        }
        reading
    }

    /// What is kept of it for searching; it must have been read with what is inside.
    #[must_use]
    pub fn extract(&self, types: &MessageTypes) -> Extract<'_> {
        self.extract_with(types, self.told.failure.error_message.as_deref())
    }

    fn particulars(&self) -> Particulars<'_> {
        Particulars {
            id: self.id,
            source: &self.source,
            size_bytes: self.size_bytes,
            arrivals: self.arrivals,
            replays: self.replays,
            arrived_at: self.last_arrived_at,
        }
    }
}
