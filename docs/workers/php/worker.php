<?php

/** A worker of a queue of orders, with the three outcomes of ../README.md. Needs PHP 8.1 and php-amqplib 3. */

declare(strict_types=1);

use PhpAmqpLib\Connection\AMQPStreamConnection;
use PhpAmqpLib\Message\AMQPMessage;

// Debian's package has it at /usr/share/php/PhpAmqpLib/autoload.php.
require getenv('PHP_AUTOLOAD') ?: __DIR__ . '/vendor/autoload.php';

enum Outcome
{
    case Succeeded;
    case Rejected;
}

/** There is less than was ordered. */
final class OutOfStock extends RuntimeException
{
}

/** The work itself. What it throws is a failure. */
function handle(array $order): Outcome
{
    if ($order['warehouse'] !== (getenv('WAREHOUSE') ?: 'north')) {
        return Outcome::Rejected; // another worker's
    }
    if ($order['quantity'] > (int) (getenv('STOCK') ?: '10')) {
        throw new OutOfStock("no stock for order {$order['id']}");
    }
    return Outcome::Succeeded;
}

function onMessage(AMQPMessage $message): void
{
    try {
        $outcome = handle(json_decode($message->getBody(), true, flags: JSON_THROW_ON_ERROR));
    } catch (Throwable $error) {
        report($message, $error);
        $message->reject(false);
        return;
    }
    if ($outcome === Outcome::Rejected) {
        $message->reject(true); // not nack: see ../README.md
        return;
    }
    $message->ack();
    $letter = headers($message)['x-dlo-letter'] ?? null;
    if ($letter !== null) {
        tell("/api/v1/letters/$letter/processed", null);
    }
}

function report(AMQPMessage $message, Throwable $error): void
{
    tell('/api/v1/error-reports', [
        'message_id' => $message->has('message_id') ? $message->get('message_id') : null,
        'body_sha256' => hash('sha256', $message->getBody()),
        'queue' => getenv('QUEUE'),
        'error_class' => $error::class,
        'error_message' => $error->getMessage(),
        'stack_trace' => (string) $error,
        'circumstances' => [
            'attempts' => (headers($message)['x-delivery-count'] ?? 0) + 1,
            'failed_at' => gmdate('Y-m-d\TH:i:s\Z'),
            'host' => gethostname(),
            'process' => 'orders-worker',
        ],
    ]);
}

function headers(AMQPMessage $message): array
{
    return $message->has('application_headers') ? $message->get('application_headers')->getNativeData() : [];
}

/** Tells the office. If that fails, the message is answered all the same. */
function tell(string $path, ?array $content): void
{
    $context = stream_context_create(['http' => [
        'method' => 'POST',
        'header' => ['Authorization: Bearer ' . getenv('DLO_TOKEN'), 'Content-Type: application/json'],
        'content' => $content === null ? '' : json_encode($content, JSON_INVALID_UTF8_SUBSTITUTE),
        'timeout' => 2,
        'ignore_errors' => true,
    ]]);
    $answer = @file_get_contents(getenv('DLO_URL') . $path, false, $context);
    $status = $http_response_header[0] ?? 'no answer';
    if (!preg_match('~^HTTP/\S+ 2~', $status)) {
        error_log("$path could not be told: $status $answer");
    }
}

$at = parse_url(getenv('AMQP_URL'));
$connection = new AMQPStreamConnection(
    $at['host'],
    $at['port'] ?? 5672,
    urldecode($at['user'] ?? 'guest'),
    urldecode($at['pass'] ?? 'guest'),
    urldecode(substr($at['path'] ?? '/%2F', 1)),
);
$channel = $connection->channel();
$channel->basic_qos(0, 10, false);
$channel->basic_consume(getenv('QUEUE'), callback: onMessage(...));
while ($channel->is_consuming()) {
    $channel->wait();
}
