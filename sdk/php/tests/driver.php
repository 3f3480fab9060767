<?php

// Drives this SDK for the conformance suite: reads commands from standard input, one JSON object a line, and reports the results.
// sdk/conformance/README.md describes the protocol.

declare(strict_types=1);

use Malipo\Client;
use Malipo\Exceptions\MalipoException;
use Malipo\Exceptions\NoAnswerException;
use Malipo\Exceptions\WebhookSignatureException;
use Malipo\Webhook;

require $argv[1] ?? __DIR__ . '/../src/autoload.php';

while (($line = fgets(STDIN)) !== false) {
    $command = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
    try {
        $report = ['ok' => $command['do'] === 'verify' ? verified($command) : called($command)];
    } catch (BadMethodCallException $unsupported) {
        $report = ['unsupported' => $unsupported->getMessage()];
    } catch (Throwable $e) {
        $report = ['error' => factsOf($e)];
    }
    $flags = JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE | JSON_PRESERVE_ZERO_FRACTION;
    fwrite(STDOUT, json_encode(['id' => $command['id']] + $report, $flags) . "\n");
}

/** @param array<string, mixed> $command */
function verified(array $command): array
{
    $options = ['tolerance' => 'tolerance_s', 'allowBodySignature' => 'allow_body_signature', 'brand' => 'brand'];
    $given = array_filter(array_map(fn (string $name) => $command[$name] ?? null, $options), fn ($value) => $value !== null);
    return Webhook::verify($command['body'] ?? null, $command['headers'], $command['secret'] ?? '', ...$given, now: $command['now']);
}

/** @param array<string, mixed> $command */
function called(array $command): mixed
{
    ['client' => $client, 'call' => $call, 'args' => $args] = $command;
    $options = ['maxRetries' => 'max_retries', 'language' => 'language', 'environment' => 'environment'];
    $given = array_filter(array_map(fn (string $name) => $client[$name] ?? null, $options), fn ($value) => $value !== null);
    if (isset($client['timeout_s'])) {
        $given['timeout'] = (float) $client['timeout_s'];
    }
    $malipo = new Client($client['base_url'] ?? '', $client['api_key'] ?? '', ...$given);
    [$resource, $method] = explode('.', $call);
    if (!property_exists($malipo, $resource) || !method_exists($malipo->$resource, $method)) {
        throw new BadMethodCallException($call);
    }
    $values = [];
    foreach (['id', 'input', 'filters'] as $name) {
        if (array_key_exists($name, $args)) {
            $values[] = $args[$name];
        }
    }
    if (isset($args['idempotency_key'])) {
        $values['idempotencyKey'] = $args['idempotency_key'];
    }
    $result = $malipo->$resource->$method(...$values);
    if (!$result instanceof Generator) {
        return $result;
    }
    $items = [];
    foreach ($result as $item) {
        $items[] = $item;
        if (count($items) >= ($args['limit'] ?? PHP_INT_MAX)) {
            break;
        }
    }
    return $items;
}

/** @return array<string, mixed> The facts of a failure under the names of the suite. */
function factsOf(Throwable $e): array
{
    if ($e instanceof WebhookSignatureException) {
        return ['kind' => 'webhook', 'code' => $e->errorCode, 'message' => $e->getMessage()];
    }
    if ($e instanceof MalipoException) {
        return [
            'kind' => $e instanceof NoAnswerException ? 'no_answer' : 'api',
            'class' => str_replace('Exception', 'Error', substr(strrchr($e::class, '\\'), 1)),
            'code' => $e->errorCode,
            'status' => $e->status,
            'message' => $e->getMessage(),
            'details' => $e->details,
            'request_id' => $e->requestId,
            'idempotency_key' => $e->idempotencyKey,
            'outcome_unknown' => $e->outcomeUnknown,
            'is_retryable' => $e->isRetryable,
            'retry_after_s' => $e->retryAfter === floor($e->retryAfter ?? 0.5) ? (int) $e->retryAfter : $e->retryAfter,
        ];
    }
    return ['kind' => $e instanceof InvalidArgumentException ? 'usage' : (string) $e, 'message' => $e->getMessage()];
}
