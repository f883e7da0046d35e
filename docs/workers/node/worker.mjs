// A worker of a queue of orders, with the three outcomes of ../README.md. Needs Node 20 and amqplib.

import { createHash } from 'node:crypto';
import { hostname } from 'node:os';

import amqp from 'amqplib';

const { AMQP_URL, QUEUE, DLO_URL, DLO_TOKEN, WAREHOUSE = 'north', STOCK = '10' } = process.env;
const SUCCEEDED = 'succeeded';
const REJECTED = 'rejected';

/** There is less than was ordered. */
class OutOfStock extends Error {
  name = 'OutOfStock';
}

/** The work itself. What it throws is a failure. */
async function handle(order) {
  if (order.warehouse !== WAREHOUSE) return REJECTED; // another worker's
  if (order.quantity > Number(STOCK)) throw new OutOfStock(`no stock for order ${order.id}`);
  return SUCCEEDED;
}

async function onMessage(channel, message) {
  let outcome;
  try {
    outcome = await handle(JSON.parse(message.content.toString()));
  } catch (error) {
    await report(message, error);
    channel.reject(message, false);
    return;
  }
  if (outcome === REJECTED) {
    channel.reject(message, true); // not nack: see ../README.md
    return;
  }
  channel.ack(message);
  const letter = message.properties.headers?.['x-dlo-letter'];
  if (letter) await tell(`/api/v1/letters/${letter}/processed`);
}

async function report({ content, properties }, error) {
  await tell('/api/v1/error-reports', {
    message_id: properties.messageId,
    body_sha256: createHash('sha256').update(content).digest('hex'),
    queue: QUEUE,
    error_class: error.name,
    error_message: error.message,
    stack_trace: error.stack,
    circumstances: {
      attempts: (properties.headers?.['x-delivery-count'] ?? 0) + 1,
      failed_at: new Date().toISOString(),
      host: hostname(),
      process: 'orders-worker',
    },
  });
}

/** Tells the office. If that fails, the message is answered all the same. */
async function tell(path, content) {
  try {
    const answer = await fetch(DLO_URL + path, {
      method: 'POST',
      headers: { Authorization: `Bearer ${DLO_TOKEN}`, 'Content-Type': 'application/json' },
      body: content && JSON.stringify(content),
      signal: AbortSignal.timeout(2000),
    });
    if (!answer.ok) console.warn(`${path} could not be told: ${await answer.text()}`);
  } catch (error) {
    console.warn(`${path} could not be told: ${error.message}`);
  }
}

const connection = await amqp.connect(AMQP_URL);
const channel = await connection.createChannel();
await channel.prefetch(10);
// Without a message the queue is gone, and with it the work.
await channel.consume(QUEUE, (message) => (message ? onMessage(channel, message) : process.exit(1)));
process.on('SIGTERM', () => connection.close());
