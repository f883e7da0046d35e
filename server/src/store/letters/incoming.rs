//! New letters: a batch goes in with one statement a table.

use chrono::{DateTime, Utc};
use dlo_domain::arrival::Delivered;
use dlo_domain::decoding::{Contents, MessageTypes};
use dlo_domain::error_report::ReportedFailure;
use dlo_domain::extract::Extract;
use dlo_domain::failure::{Failure, HeaderMap};
use dlo_domain::grouping::{Masker, Signature};
use dlo_domain::ids::{LetterId, SourceId};
use dlo_domain::judge::{AlertMatches, Case, Judgement};
use dlo_domain::reading::{MOST_NAME_BYTES, Reading, cut};
use dlo_domain::redelivery::MAY_BE_STORED_TWICE;
use dlo_domain::relations::Relations;
use dlo_domain::severity::Severity;
use serde::Serialize;
use sha2::{Digest, Sha256};
use sqlx::PgConnection;
use uuid::Uuid;

use super::court::{self, Court, Particulars};
use super::uploads;
use crate::store::{StoreError, extracts};

/// A delivery, read and made ready to be stored.
#[derive(Debug)]
pub struct Incoming {
    /// The id that it gets if it is a new letter.
    pub letter_id: LetterId,
    /// When it was taken.
    pub arrived_at: DateTime<Utc>,
    /// The message.
    pub delivered: Delivered,
    /// What it says of itself.
    pub reading: Reading,
    /// How bad it is.
    pub severity: Severity,
    /// What it has in common with others that failed alike.
    pub signature: Signature,
    /// Which alert rules count it.
    pub alert_matches: AlertMatches,
    pub(super) properties: String,
    pub(super) headers: String,
    pub(super) deaths: String,
    pub(super) body_sha256: Vec<u8>,
    pub(super) exchange: String,
    pub(super) routing_key: String,
    pub(super) extract: extracts::Row,
    /// What the message says of its failure itself, where a report is told in its place.
    told_itself: Option<Failure>,
}

/// How many letters a batch made and moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stored {
    /// New letters.
    pub new: u32,
    /// Letters that were replayed and died again.
    pub again: u32,
}

impl Incoming {
    /// Makes a delivery ready: this is the part of the work that needs no database.
    #[must_use]
    pub fn new(
        letter_id: LetterId,
        arrived_at: DateTime<Utc>,
        delivered: Delivered,
        mut reading: Reading,
        court: Court<'_>,
        masker: &mut Masker,
    ) -> Self {
        let contents = std::mem::take(&mut reading.contents);
        let message = reading.failure.error_message.as_deref();
        let extract = Extract::of(&delivered, reading.relations.clone(), contents, message);
        let new = new_letter(letter_id, arrived_at, &delivered, court);
        let judgement = judge(court, new, &delivered, &reading, &extract, masker);
        Self {
            letter_id,
            severity: judgement.severity,
            signature: judgement.signature,
            alert_matches: judgement.alert_matches,
            arrived_at,
            extract: extracts::Row::from(&extract),
            properties: json(&delivered.properties),
            headers: json(&delivered.headers),
            deaths: json(&reading.deaths),
            body_sha256: Sha256::digest(&delivered.body).to_vec(),
            exchange: storable(&delivered.exchange),
            routing_key: storable(&delivered.routing_key),
            delivered,
            reading,
            told_itself: None,
        }
    }

    /// The digest of the body.
    #[must_use]
    pub fn body_sha256(&self) -> &[u8] {
        &self.body_sha256
    }

    /// Has it tell what was reported of it, as a new letter.
    pub fn retell(&mut self, reported: &ReportedFailure, court: Court<'_>, masker: &mut Masker) {
        let failure = &mut self.reading.failure;
        self.told_itself.get_or_insert_with(|| failure.clone());
        reported.retell(failure);
        self.judge_again(court, masker);
    }

    /// Has it tell what it says itself again, and returns whether it told something else.
    pub fn forget_reports(&mut self, court: Court<'_>, masker: &mut Masker) -> bool {
        let Some(failure) = self.told_itself.take() else {
            return false;
        };
        self.reading.failure = failure;
        self.judge_again(court, masker);
        true
    }

    /// Judges it again, by other rules or with another failure, as a new letter.
    pub fn judge_again(&mut self, court: Court<'_>, masker: &mut Masker) {
        let contents = Contents::of(&self.delivered, court.judge.types());
        let kind = &mut self.reading.message_type;
        *kind = kind.take().or_else(|| contents.message_type.clone());
        let message = self.reading.failure.error_message.as_deref();
        let relations = self.reading.relations.clone();
        let extract = Extract::of(&self.delivered, relations, contents, message);
        self.extract = extracts::Row::from(&extract);
        let new = new_letter(self.letter_id, self.arrived_at, &self.delivered, court);
        let judgement = judge(court, new, &self.delivered, &self.reading, &extract, masker);
        self.apply(judgement);
    }

    /// Takes over what rules say of it.
    pub(super) fn apply(&mut self, judgement: Judgement) {
        self.severity = judgement.severity;
        self.signature = judgement.signature;
        self.alert_matches = judgement.alert_matches;
    }

    /// Size of the body in bytes.
    #[must_use]
    pub fn size_bytes(&self) -> i64 {
        size_bytes(&self.delivered)
    }

    /// The queue that it died in, as it is stored.
    #[must_use]
    pub fn queue(&self) -> Option<String> {
        short(self.reading.origin.queue.as_ref())
    }

    /// The number of a schema that stands before its body and that nobody knows.
    #[must_use]
    pub fn unknown_schema(&self) -> Option<u32> {
        self.extract.unknown_schema
    }

    /// Adds what could not be read or joined.
    pub fn note(&mut self, what: String) {
        self.reading.notes.push(what);
    }

    /// Says on the letter whether nobody can know that the message is stored already. A batch that is written once
    /// more is compared once more.
    pub fn say_that_it_may_be_stored_twice(&mut self, may_be: bool) {
        self.reading.notes.retain(|note| note != MAY_BE_STORED_TWICE);
        if may_be {
            self.note(MAY_BE_STORED_TWICE.to_owned());
        }
    }

    /// Gives up the typed form of a message that Postgres refused: body, exchange and routing key
    /// stay as they are, and properties and headers are kept as text in a note.
    pub fn reduce(&mut self, refusal: &str, court: Court<'_>) {
        let kept = format!(
            "Postgres refused the typed form ({refusal}). Properties as text: {} Headers as text: {}",
            self.properties, self.headers
        );
        "{}".clone_into(&mut self.properties);
        "[]".clone_into(&mut self.headers);
        "[]".clone_into(&mut self.deaths);
        let nothing = Delivered::default();
        let reading =
            dlo_domain::reading::read(&nothing, &HeaderMap::default(), &MessageTypes::default());
        let extract = extract(&nothing, &HeaderMap::default(), court.judge.types(), None);
        let new = new_letter(self.letter_id, self.arrived_at, &self.delivered, court);
        let masker = &mut Masker::new();
        let judgement = judge(court, new, &nothing, &reading, &extract, masker);
        self.apply(judgement);
        self.extract = extracts::Row::from(&extract);
        self.reading = Reading { notes: vec![kept], ..reading };
    }

    /// The notes as Postgres takes them.
    pub(super) fn notes(&self) -> Vec<String> {
        self.reading.notes.iter().map(|note| storable(note)).collect()
    }
}

fn new_letter<'a>(
    id: LetterId,
    arrived_at: DateTime<Utc>,
    delivered: &Delivered,
    court: Court<'a>,
) -> Particulars<'a> {
    Particulars {
        id,
        source: court.source,
        size_bytes: size_bytes(delivered),
        arrivals: 1,
        replays: 0,
        arrived_at,
    }
}

fn judge(
    court: Court<'_>,
    letter: Particulars<'_>,
    delivered: &Delivered,
    reading: &Reading,
    extract: &Extract<'_>,
    masker: &mut Masker,
) -> Judgement {
    let stored = court::as_stored(reading);
    let case = Case { facts: court::facts(letter, &stored, extract), reading, delivered };
    court.judge.judge(&case, masker)
}

/// What is kept for searching.
pub(super) fn extract<'a>(
    delivered: &'a Delivered,
    names: &HeaderMap,
    types: &MessageTypes,
    error_message: Option<&'a str>,
) -> Extract<'a> {
    let contents = Contents::of(delivered, types);
    let relations = Relations::of(delivered, names, &contents);
    Extract::of(delivered, relations, contents, error_message)
}

fn size_bytes(delivered: &Delivered) -> i64 {
    i64::try_from(delivered.body.len()).unwrap_or(i64::MAX)
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("wire values always have a JSON form")
}

/// Text that Postgres can hold: NUL becomes U+FFFD. The headers keep the bytes.
pub(super) fn storable(text: &str) -> String {
    if text.contains('\0') { text.replace('\0', "\u{fffd}") } else { text.to_owned() }
}

pub(super) fn short(text: Option<&String>) -> Option<String> {
    text.map(|text| storable(&cut(text, MOST_NAME_BYTES)))
}

/// Stores deliveries as new letters, each with its first arrival and its extract.
///
/// # Errors
/// When Postgres does not do it: then the transaction must be given up.
pub async fn insert_new(
    conn: &mut PgConnection,
    source: SourceId,
    incoming: &[&Incoming],
) -> Result<(), StoreError> {
    if incoming.is_empty() {
        return Ok(());
    }
    insert_letters(conn, source, incoming).await?;
    uploads::begin(conn, incoming).await?;
    insert_arrivals(conn, source, incoming).await?;
    uploads::end(conn, incoming).await?;
    let rows: Vec<_> = incoming.iter().map(|i| (i.letter_id, &i.extract)).collect();
    extracts::put(conn, &rows).await
}

async fn insert_letters(
    conn: &mut PgConnection,
    source: SourceId,
    incoming: &[&Incoming],
) -> Result<(), StoreError> {
    let ids: Vec<Uuid> = incoming.iter().map(|i| i.letter_id.0).collect();
    let times: Vec<DateTime<Utc>> = incoming.iter().map(|i| i.arrived_at).collect();
    let signatures: Vec<&[u8]> = incoming.iter().map(|i| &i.signature.id.0[..]).collect();
    let sizes: Vec<i64> = incoming.iter().map(|i| i.size_bytes()).collect();
    let texts = |pick: &dyn Fn(&Reading) -> Option<String>| -> Vec<Option<String>> {
        incoming.iter().map(|i| pick(&i.reading)).collect()
    };
    let words = |pick: &dyn Fn(&Incoming) -> &'static str| -> Vec<String> {
        incoming.iter().map(|i| pick(i).to_owned()).collect()
    };
    sqlx::query!(
        "insert into letters
             (id, source_id, state, severity, queue, exchange, routing_key, reason, told_by,
              error_class, error_message, stack_trace, message_type, message_id, size_bytes,
              arrivals, first_arrived_at, last_arrived_at, state_since, signature)
         select id, $2, 'held', severity, queue, exchange, routing_key, reason, told_by,
              error_class, error_message, stack_trace, message_type, message_id, size_bytes,
              1, at, at, at, signature
         from unnest($1::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
              $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[],
              $14::bigint[], $15::timestamptz[], $16::bytea[])
             as new (id, severity, queue, exchange, routing_key, reason, told_by, error_class,
              error_message, stack_trace, message_type, message_id, size_bytes, at, signature)",
        &ids,
        source.0,
        &words(&|i| i.severity.as_str()),
        &texts(&|r| short(r.origin.queue.as_ref())) as &[Option<String>],
        &texts(&|r| short(r.origin.exchange.as_ref())) as &[Option<String>],
        &texts(&|r| short(r.origin.routing_key.as_ref())) as &[Option<String>],
        &words(&|i| i.reading.origin.reason.as_str()),
        &texts(&|r| r.failure.told_by.clone()) as &[Option<String>],
        &texts(&|r| short(r.failure.error_class.as_ref())) as &[Option<String>],
        &texts(&|r| r.failure.error_message.as_deref().map(storable)) as &[Option<String>],
        &texts(&|r| r.failure.stack_trace.as_deref().map(storable)) as &[Option<String>],
        &texts(&|r| short(r.message_type.as_ref())) as &[Option<String>],
        &texts(&|r| short(r.message_id.as_ref())) as &[Option<String>],
        &sizes,
        &times,
        &signatures as &[&[u8]],
    )
    .execute(conn)
    .await?;
    Ok(())
}

async fn insert_arrivals(
    conn: &mut PgConnection,
    source: SourceId,
    incoming: &[&Incoming],
) -> Result<(), StoreError> {
    let ids: Vec<Uuid> = incoming.iter().map(|i| i.letter_id.0).collect();
    let times: Vec<DateTime<Utc>> = incoming.iter().map(|i| i.arrived_at).collect();
    let texts = |pick: &dyn Fn(&Incoming) -> String| -> Vec<String> {
        incoming.iter().map(|i| pick(i)).collect()
    };
    let bodies: Vec<Option<&[u8]>> = incoming.iter().map(|i| uploads::inline(i)).collect();
    let digests: Vec<&[u8]> = incoming.iter().map(|i| i.body_sha256.as_slice()).collect();
    // An array of arrays must be a rectangle in Postgres, so each row's notes travel as JSON.
    let notes = texts(&|i| json(&i.notes()));
    sqlx::query!(
        "insert into arrivals
             (letter_id, ordinal, arrived_at, source_id, exchange, routing_key, properties,
              headers, deaths, body, body_sha256, notes)
         select id, 1, at, $2, exchange, routing_key, properties::json, headers::json,
              deaths::jsonb,
              coalesce(body, (select string_agg(bytes, ''::bytea order by part)
                              from body_parts where upload_id = id)),
              body_sha256, array(select jsonb_array_elements_text(notes::jsonb))
         from unnest($1::uuid[], $3::timestamptz[], $4::text[], $5::text[], $6::text[],
              $7::text[], $8::text[], $9::bytea[], $10::bytea[], $11::text[])
             as new (id, at, exchange, routing_key, properties, headers, deaths, body,
              body_sha256, notes)",
        &ids,
        source.0,
        &times,
        &texts(&|i| i.exchange.clone()),
        &texts(&|i| i.routing_key.clone()),
        &texts(&|i| i.properties.clone()),
        &texts(&|i| i.headers.clone()),
        &texts(&|i| i.deaths.clone()),
        &bodies as &[Option<&[u8]>],
        &digests as &[&[u8]],
        &notes,
    )
    .execute(conn)
    .await?;
    Ok(())
}
