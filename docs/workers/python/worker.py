#!/usr/bin/env python3
"""A worker of a queue of orders, with the three outcomes of ../README.md. Needs pika 1.2 or newer."""

import datetime
import hashlib
import json
import logging
import os
import signal
import socket
import sys
import traceback
import urllib.request

import pika

QUEUE = os.environ["QUEUE"]
OFFICE = os.environ["DLO_URL"]
TOKEN = os.environ["DLO_TOKEN"]
SUCCEEDED, REJECTED = "succeeded", "rejected"


class OutOfStock(Exception):
    """There is less than was ordered."""


def handle(order):
    """The work itself. What it raises is a failure."""
    if order["warehouse"] != os.environ.get("WAREHOUSE", "north"):
        return REJECTED  # another worker's
    if order["quantity"] > int(os.environ.get("STOCK", "10")):
        raise OutOfStock(f"no stock for order {order['id']}")
    return SUCCEEDED


def on_message(channel, method, properties, body):
    try:
        outcome = handle(json.loads(body))
    except Exception as error:
        report(properties, body, error)
        channel.basic_reject(method.delivery_tag, requeue=False)
        return
    if outcome == REJECTED:
        channel.basic_reject(method.delivery_tag, requeue=True)  # not nack: see ../README.md
        return
    channel.basic_ack(method.delivery_tag)
    letter = (properties.headers or {}).get("x-dlo-letter")
    if letter:
        tell(f"/api/v1/letters/{letter}/processed", None)


def report(properties, body, error):
    tries = (properties.headers or {}).get("x-delivery-count", 0)
    tell("/api/v1/error-reports", {
        "message_id": properties.message_id,
        "body_sha256": hashlib.sha256(body).hexdigest(),
        "queue": QUEUE,
        "error_class": type(error).__name__,
        "error_message": str(error),
        "stack_trace": "".join(traceback.format_exception(type(error), error, error.__traceback__)),
        "circumstances": {
            "attempts": tries + 1,
            "failed_at": datetime.datetime.now(datetime.timezone.utc).isoformat(),
            "host": socket.gethostname(),
            "process": "orders-worker",
        },
    })


def tell(path, content):
    """Tells the office. If that fails, the message is answered all the same."""
    data = b"" if content is None else json.dumps(content).encode()
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    request = urllib.request.Request(OFFICE + path, data, headers, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=2):
            pass
    except OSError as error:
        detail = error.read().decode() if hasattr(error, "read") else ""
        logging.warning("%s could not be told: %s %s", path, error, detail)


def main():
    connection = pika.BlockingConnection(pika.URLParameters(os.environ["AMQP_URL"]))
    channel = connection.channel()
    channel.basic_qos(prefetch_count=10)
    channel.basic_consume(QUEUE, on_message)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    channel.start_consuming()


if __name__ == "__main__":
    main()
