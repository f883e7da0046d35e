//! What was reported of messages before they arrived: their letters tell it from the beginning.

use chrono::{DateTime, Utc};
use dlo_domain::error_report::{ArrivedMessage, Joining};
use dlo_domain::grouping::Masker;
use sqlx::PgConnection;

use super::buffer::Buffer;
use crate::store::StoreError;
use crate::store::error_reports::{self, Look, StoredReport};
use crate::store::letters::Court;
use crate::store::sources::Watched;

/// The reports that may be of messages of a batch, until the batch is stored.
#[derive(Debug, Default)]
pub(super) struct Reported {
    reports: Vec<StoredReport>,
    arriving: Vec<Arriving>,
}

/// A message of the batch.
#[derive(Debug)]
struct Arriving {
    place: usize,
    message: ArrivedMessage,
}

impl Reported {
    /// Has the messages at these places tell what was reported of them.
    pub(super) async fn retell(
        conn: &mut PgConnection,
        (source, court): (&Watched, Court<'_>),
        buffer: &mut Buffer,
        coming: &[usize],
        now: DateTime<Utc>,
    ) -> Result<Self, StoreError> {
        let masker = &mut Masker::new();
        let mut arriving = Vec::with_capacity(coming.len());
        for place in coming {
            let incoming = &mut buffer.incoming[*place];
            // A transaction that is tried again may find other reports.
            incoming.forget_reports(court, masker);
            // If it comes back from a replay it is held to be of the letter that it names. Which arrival that is, is
            // not known yet: it is behind those that are stored.
            let from = incoming.reading.returns_from;
            let ordinal = i32::MAX - i32::try_from(*place).unwrap_or_default();
            let id = incoming.delivered.properties.message_id.as_ref();
            let message = ArrivedMessage {
                letter: from.map_or(incoming.letter_id, |from| from.letter_id),
                ordinal,
                arrived_at: incoming.arrived_at,
                message_id: id.and_then(|id| id.as_str()).map(ToOwned::to_owned),
                body_sha256: incoming.body_sha256().to_vec(),
                queue: incoming.queue(),
                vhost: source.vhost.clone(),
            };
            arriving.push(Arriving { place: *place, message });
        }
        let messages = || arriving.iter().map(|one| &one.message);
        let ids: Vec<&str> = messages().filter_map(|one| one.message_id.as_deref()).collect();
        let bodies: Vec<&[u8]> = messages().map(|one| &one.body_sha256[..]).collect();
        let reports = error_reports::take_naming(conn, &ids, &bodies, now).await?;
        for report in &reports {
            let joining = report.joining.with(&report.message, report.received_at, messages());
            let Joining::To(joined) = joining else { continue };
            let told = arriving.iter().find(|one| one.message.ordinal == joined.ordinal);
            if let Some(told) = told {
                buffer.incoming[told.place].retell(&report.failure, court, masker);
            }
        }
        Ok(Self { reports, arriving })
    }

    /// Writes down to which letters the reports belong, once these are stored: `ordinals` are by place, and 1 where
    /// the message is a letter of its own.
    pub(super) async fn record(
        mut self,
        conn: &mut PgConnection,
        buffer: &Buffer,
        ordinals: &[i32],
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        for Arriving { place, message } in &mut self.arriving {
            message.ordinal = ordinals[*place];
            if message.ordinal == 1 {
                message.letter = buffer.incoming[*place].letter_id;
            }
        }
        let looks = self.reports.iter().filter_map(|report| {
            let arrived = self.arriving.iter().map(|one| &one.message);
            let joining = report.joining.with(&report.message, report.received_at, arrived);
            // If two may be the one now, the first tells what it must not.
            (joining != report.joining).then_some(Look {
                report: report.id,
                joining,
                next: Some(now),
            })
        });
        error_reports::record(conn, &looks.collect::<Vec<_>>()).await
    }
}
