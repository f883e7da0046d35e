//! Sensor data, taken in by a Python service: gzip JSON, binary frames with a checksum, and now
//! and then a batch that is far too large.

use super::{Desk, Failure, Publication, Reading, Report};
use crate::fleet::message::text;
use crate::fleet::reports::Dialect;
use crate::fleet::topology;
use flate2::{Compression, write::GzEncoder};
use lapin::types::AMQPValue;
use serde_json::{Value, json};
use std::io::Write as _;

const BUSY_SITE: &str = "porto";
/// Bytes that the store takes in one batch.
const BATCH_LIMIT: usize = 131_072;
/// Readings in an oversized batch: together about 200 KB.
const OVERSIZED: i64 = 3_400;
const BINARY: &str = "application/octet-stream";

pub(super) fn compose(failure: Option<Failure>, desk: &mut Desk) -> Publication {
    let site = match failure {
        Some(Failure::StoreBusy) => BUSY_SITE,
        _ => desk.dice.pick(&["lisbon", "gdansk", "malmo"]),
    };
    let message = Publication::new(topology::TELEMETRY_EXCHANGE, format!("sensors.{site}"));
    let message = match failure {
        Some(Failure::BadChecksum) => message.body(BINARY, frame(desk, false)),
        Some(Failure::OversizedBatch) => message.json(&batch(desk, site, OVERSIZED, true)),
        Some(Failure::SensorMissing) => packed(message, &batch(desk, site, 3, false)),
        None if desk.dice.once_in(2) => message.body(BINARY, frame(desk, true)),
        _ => packed(message, &batch(desk, site, 12, true)),
    };
    let message = message
        .header("x-site", text(site))
        .header("x-firmware", AMQPValue::ShortUInt(4112))
        .header("x-uptime", AMQPValue::LongUInt(3_100_220))
        .header("x-sent-at", AMQPValue::Timestamp(desk.moment().timestamp().unsigned_abs()));
    desk.dress(message, "sensor-gateway", "SensorReadings", "0.42.1")
}

fn batch(desk: &mut Desk, site: &str, count: i64, named: bool) -> Value {
    let readings: Vec<Value> = (0..count)
        .map(|_| {
            let mut reading = json!({ "t": desk.moment().timestamp(), "celsius": desk.dice.money(-20, 60), "battery": desk.dice.number(1, 100) });
            if named {
                reading["sensor_id"] = json!(format!("s-{:05}", desk.dice.number(1, 99_999)));
            }
            reading
        })
        .collect();
    json!({ "site": site, "gateway": format!("gw-{:03}", desk.dice.number(1, 400)), "readings": readings })
}

fn packed(message: Publication, body: &Value) -> Publication {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(body.to_string().as_bytes()).expect("a Vec takes every write");
    let bytes = gzip.finish().expect("a Vec takes every write");
    message
        .body("application/json", bytes)
        .with(|properties| properties.with_content_encoding("gzip".into()))
}

/// A frame: sixty bytes, then the sum of them modulo 256, or a wrong sum.
fn frame(desk: &mut Desk, good: bool) -> Vec<u8> {
    let mut frame = desk.dice.bytes(60);
    frame[0] = 0xA5;
    let sum = checksum(&frame);
    frame.push(if good { sum } else { sum.wrapping_add(1) });
    frame
}

fn checksum(bytes: &[u8]) -> u8 {
    bytes.iter().fold(0, |sum: u8, byte| sum.wrapping_add(*byte))
}

pub(super) fn diagnose(reading: &Reading) -> Option<Failure> {
    if reading.properties.content_type().as_ref().is_some_and(|value| value.as_str() == BINARY) {
        let damaged = reading.body.split_last().is_none_or(|(sum, rest)| checksum(rest) != *sum);
        return damaged.then_some(Failure::BadChecksum);
    }
    if reading.body.len() > BATCH_LIMIT {
        return Some(Failure::OversizedBatch);
    }
    if reading.field("/readings/0/sensor_id").is_empty() {
        return Some(Failure::SensorMissing);
    }
    reading.is("/site", BUSY_SITE).then_some(Failure::StoreBusy)
}

pub(super) fn report(failure: Failure, reading: &Reading) -> Option<Report> {
    let (class, message, frame) = match failure {
        Failure::SensorMissing => (
            "KeyError",
            "'sensor_id'".to_owned(),
            "  File \"/srv/ingest/readings.py\", line 61, in normalise\n    key = (row[\"sensor_id\"], row[\"t\"])",
        ),
        Failure::OversizedBatch => (
            "ingest.errors.BatchTooLarge",
            format!(
                "batch of {} bytes from {} is above the limit of {BATCH_LIMIT}",
                reading.body.len(),
                reading.field("/gateway")
            ),
            "  File \"/srv/ingest/limits.py\", line 22, in check\n    raise BatchTooLarge(size, gateway)",
        ),
        Failure::StoreBusy => (
            "clickhouse_driver.errors.SocketTimeoutError",
            format!(
                "Code: 209. (ch-{}.porto.internal:9000) timed out after {} ms",
                reading.salt() % 3 + 1,
                30_000 + reading.salt() % 900
            ),
            "  File \"/srv/ingest/store.py\", line 104, in insert\n    self.client.execute(INSERT, rows)",
        ),
        _ => return None,
    };
    let trace = format!(
        "Traceback (most recent call last):\n  File \"/srv/ingest/worker.py\", line 48, in on_message\n    self.handle(message)\n{frame}\n{class}: {message}\n"
    );
    Some(Report { class, message, trace, dialect: Dialect::Python })
}
