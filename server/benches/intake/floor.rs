//! The floor: take, COPY into one table without an index, commit, acknowledge. With the settings that are
//! best for it: large batches, no transaction but COPY's own, and deliveries that come while it writes.

use std::error::Error;

use dlo_server::broker::Brokers;
use futures_util::StreamExt as _;
use lapin::options::{BasicAckOptions, BasicConsumeOptions, BasicQosOptions};
use lapin::types::FieldTable;
use lapin::{Connection, ConnectionProperties};

use crate::letters::{Bench, QUEUE};
use crate::progress::Progress;

/// Letters in one COPY.
const BATCH: usize = 1_000;
/// Twice a batch: while one is written, the next one comes.
const PREFETCH: u16 = 2_000;

/// Drains the queue.
pub async fn drain(bench: &Bench, count: usize) -> Result<Progress, Box<dyn Error>> {
    sqlx::raw_sql(
        "drop table if exists floor; create table floor (headers text, body bytea compression lz4)",
    )
    .execute(&bench.pool)
    .await?;
    let mut database = bench.pool.acquire().await?;
    let uri = Brokers::main(&bench.servers().amqp, None).uri("main", &bench.vhost)?;
    let connection = Connection::connect_uri(uri, ConnectionProperties::default()).await?;
    let channel = connection.create_channel().await?;
    channel.basic_qos(PREFETCH, BasicQosOptions::default()).await?;
    let options = BasicConsumeOptions::default();
    let mut progress = Progress::begin();
    let mut consumer =
        channel.basic_consume(QUEUE.into(), "".into(), options, FieldTable::default()).await?;
    let mut done = 0;
    while done < count {
        let size = BATCH.min(count - done);
        let mut rows = COPY_HEAD.to_vec();
        let mut last = 0;
        for _ in 0..size {
            let delivery = consumer.next().await.ok_or("the consumer ended")??;
            last = delivery.delivery_tag;
            write_row(&mut rows, &delivery);
        }
        rows.extend((-1_i16).to_be_bytes());
        let mut copy = database.copy_in_raw("copy floor from stdin (format binary)").await?;
        copy.send(rows).await?;
        copy.finish().await?;
        channel.basic_ack(last, BasicAckOptions { multiple: true }).await?;
        done += size;
        progress.mark(done);
    }
    connection.close(200, "done".into()).await?;
    let rows: i64 = sqlx::query_scalar("select count(*) from floor").fetch_one(&bench.pool).await?;
    if usize::try_from(rows)? != count {
        return Err(format!("the floor stored {rows} of {count}").into());
    }
    Ok(progress)
}

/// What begins a stream in COPY's binary form: signature, flags, length of the extension.
const COPY_HEAD: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";

/// One row in COPY's binary form.
fn write_row(rows: &mut Vec<u8>, delivery: &lapin::message::Delivery) {
    let headers = format!("{:?}", delivery.properties.headers());
    rows.extend(2_i16.to_be_bytes());
    for field in [headers.as_bytes(), &delivery.data] {
        rows.extend(i32::try_from(field.len()).unwrap_or(i32::MAX).to_be_bytes());
        rows.extend(field);
    }
}
