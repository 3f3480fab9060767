<?php

declare(strict_types=1);

namespace Malipo\Http;

use Malipo\Exceptions\NoAnswerException;

/** Sends the calls of the resources: idempotency key, retries, and exceptions. */
final class Requester
{
    /** In seconds. If Retry-After, or the computed pause without it, is longer, the call fails without a wait. */
    private const WAIT_SECONDS_MAX = 20.0;
    private const FIRST_WAIT_SECONDS = 0.5;
    /** The statuses of proxies and gateways after which a later attempt can succeed. */
    private const PASSING = [408, 429, 502, 503, 504];

    /** @param array<string, string> $headers The headers of every request. */
    public function __construct(
        private readonly string $baseUrl,
        private readonly string $environment,
        private readonly array $headers,
        private readonly float $timeout,
        private readonly int $maxRetries,
        private readonly Transport $transport,
    ) {
    }

    /** @return array<string, string> The fields for dumps, without the API key. */
    public function __debugInfo(): array
    {
        return ['baseUrl' => $this->baseUrl];
    }

    /**
     * Reads a record or a page. A read needs no idempotency key.
     *
     * @param array<string, mixed> $query
     * @return array<string, mixed>
     */
    public function get(string $path, array $query = [], ?float $timeout = null): array
    {
        $url = $this->baseUrl . $path . self::queryString($query);
        return $this->dataOf($this->send(new Request('GET', $url, $this->headers, null, $this->seconds($timeout)), null));
    }

    /**
     * Reads a file, such as a CSV. The whole file is in memory.
     *
     * @param array<string, mixed> $query
     */
    public function file(string $path, array $query = [], ?float $timeout = null): string
    {
        $headers = ['accept' => '*/*'] + $this->headers;
        $url = $this->baseUrl . $path . self::queryString($query);
        return $this->send(new Request('GET', $url, $headers, null, $this->seconds($timeout)), null, true)->body;
    }

    /**
     * Sends a change. All attempts send the same idempotency key, so that the server does the work once.
     *
     * @param array<string, mixed> $body
     * @return array<string, mixed>
     */
    public function change(
        string $method,
        string $path,
        array $body = [],
        ?string $idempotencyKey = null,
        ?float $timeout = null,
    ): array {
        $key = $idempotencyKey === null ? self::newKey() : self::checkedKey($idempotencyKey);
        $headers = $this->headers + ['content-type' => 'application/json', 'idempotency-key' => $key];
        $json = self::json($body);
        $request = new Request($method, $this->baseUrl . $path, $headers, $json, $this->seconds($timeout));
        return $this->dataOf($this->send($request, $key));
    }

    /**
     * Sends a change that makes a signing secret. The server shows a secret once. So if the answer with the secret was lost, the
     * answer to the retry has no secret, and the function throws a NoAnswerException.
     *
     * @param array<string, mixed> $body
     * @return array<string, mixed>
     */
    public function changeWithSecret(
        string $method,
        string $path,
        array $body,
        ?string $idempotencyKey,
        ?float $timeout,
    ): array {
        $data = $this->change($method, $path, $body, $idempotencyKey, $timeout);
        if (isset($data['secret'])) {
            return $data;
        }
        throw new NoAnswerException(
            'The server made the change, but the answer with the secret did not arrive. Call rotateSecret() of the endpoint with '
                . 'a new idempotency key. webhookEndpoints->list() has the ids of the endpoints.',
            'no_answer',
            0,
            idempotencyKey: $idempotencyKey,
        );
    }

    /** Encodes a value as one segment of a path, so that an id cannot change the path. */
    public static function segment(string $value, string $name): string
    {
        if (trim($value) === '' || $value === '.' || $value === '..') {
            throw new \InvalidArgumentException("$name is missing: pass the id of a record, such as collection_id.");
        }
        return rawurlencode($value);
    }

    private function send(Request $request, ?string $key, bool $isFile = false): Response
    {
        $isUnknown = false;
        for ($attempt = 0; ; $attempt++) {
            $result = $this->tryOnce($request, $isFile);
            if ($result instanceof Response) {
                return $result;
            }
            // If the API refuses the request itself, the outcome is known. If an earlier attempt left the outcome unknown, a rate
            // limit or a revoked key leaves it unknown.
            $isUnknown = $key !== null
                && ($result->effect === Failure::UNKNOWN || ($isUnknown && $result->effect === Failure::NONE_NOW));
            // The random part spreads the retries of many clients over time.
            $chance = lcg_value() / 2;
            $wait = $result->retryAfter ?? self::FIRST_WAIT_SECONDS * 2 ** $attempt * (0.5 + $chance);
            if (!$result->isRepeated || $attempt >= $this->maxRetries || $wait > self::WAIT_SECONDS_MAX) {
                throw $result->exception($key, $isUnknown);
            }
            usleep((int) (($result->retryAfter === null ? $wait : $wait + $chance / 2) * 1_000_000));
        }
    }

    private function tryOnce(Request $request, bool $isFile): Response|Failure
    {
        try {
            $response = $this->transport->send($request);
        } catch (TransportException $cause) {
            $reason = $cause->getMessage();
            $message = $cause->wasSent
                ? "The connection to $this->baseUrl ended without an answer ($reason). Check the network and the server."
                : "$this->baseUrl is unreachable ($reason), so nothing was sent. Check baseUrl, and whether the server runs.";
            $effect = $cause->wasSent ? Failure::UNKNOWN : Failure::NONE_NOW;
            return new Failure('no_answer', 0, $message, $effect, true, true, cause: $cause);
        }
        $isSuccess = $response->status >= 200 && $response->status < 300;
        if ($isFile && $isSuccess) {
            return $response;
        }
        $envelope = json_decode($response->body, true);
        $envelope = is_array($envelope) ? $envelope : [];
        if ($isSuccess && ($envelope['success'] ?? null) === true && is_array($envelope['data'] ?? null)) {
            return $response;
        }
        $error = $envelope['error'] ?? null;
        $isRefusal = !$isSuccess && ($envelope['success'] ?? null) === false && is_string($error['code'] ?? null);
        return $isRefusal ? $this->refusal($response, $error) : $this->strangeAnswer($response);
    }

    /**
     * Makes the failure for an error of the API.
     *
     * @param array<string, mixed> $error
     */
    private function refusal(Response $response, array $error): Failure
    {
        $status = $response->status;
        $code = $error['code'];
        $details = is_array($error['details'] ?? null) ? $error['details'] : null;
        $requestId = $response->header('x-request-id');
        $isRunning = $code === 'idempotency_in_progress';
        $text = is_string($error['message'] ?? null) ? $error['message'] : $code;
        return new Failure(
            $code,
            $status,
            $text . $this->advice($status, $details ?? []) . " ($status $code, request " . ($requestId ?? 'unknown') . ')',
            match (true) {
                $isRunning || $status >= 500 => Failure::UNKNOWN,
                in_array($status, [401, 403, 408, 429], true) => Failure::NONE_NOW,
                default => Failure::NONE,
            },
            $isRunning || in_array($status, [429, 503], true),
            $isRunning || $status === 408 || $status === 429 || $status >= 500,
            $details,
            $requestId,
            self::retryAfter($response),
        );
    }

    /**
     * Returns sentences that help the developer: the wrong fields, the missing scope, the key, or the environment.
     *
     * @param array<string, mixed> $details
     */
    private function advice(int $status, array $details): string
    {
        $text = '';
        foreach (is_array($details['fields'] ?? null) ? $details['fields'] : [] as $field) {
            if (is_string($field['field'] ?? null) && is_string($field['message'] ?? null)) {
                $text .= " {$field['field']}: {$field['message']}.";
            }
        }
        if (is_string($details['required_scope'] ?? null)) {
            $text .= " Create a key with the scope {$details['required_scope']}.";
        }
        if ($status === 401) {
            $key = substr($this->headers['authorization'], strlen('Bearer '));
            $text .= ' The key begins with ' . substr($key, 0, strrpos($key, '_') + 1) . ' and ends with ' . substr($key, -4) . '.';
        }
        if ($status === 404) {
            $text .= " The key is of the environment $this->environment: records of the other environment do not exist for it.";
        }
        return $text;
    }

    /** Makes the failure for an answer that is not from the API: a redirect, or a page of a proxy or of another program. */
    private function strangeAnswer(Response $response): Failure
    {
        $status = $response->status;
        $isSuccess = $status >= 200 && $status < 300;
        $canPass = $isSuccess || in_array($status, self::PASSING, true);
        if ($status >= 300 && $status < 400) {
            $to = $response->header('location') ?? 'another address';
            $message = "$this->baseUrl redirects to $to, and the SDK does not follow with your key. Correct baseUrl.";
        } else {
            $message = "$this->baseUrl answered with status $status, but not as the API does. "
                . 'Check that baseUrl is the address of your Malipo server.';
        }
        return new Failure(
            'no_answer',
            $status,
            $message,
            $isSuccess || $status === 408 || $status >= 500 ? Failure::UNKNOWN : Failure::NONE_NOW,
            $canPass,
            $canPass || $status >= 500,
            null,
            $response->header('x-request-id'),
            self::retryAfter($response),
        );
    }

    /** @return array<string, mixed> */
    private function dataOf(Response $response): array
    {
        return json_decode($response->body, true)['data'];
    }

    private static function retryAfter(Response $response): ?float
    {
        $value = $response->header('retry-after');
        if ($value === null) {
            return null;
        }
        if (preg_match('/^\d{1,9}$/', $value) === 1) {
            return (float) $value;
        }
        $time = strtotime($value);
        return $time === false ? null : max(0.0, (float) ($time - time()));
    }

    /** @param array<string, mixed> $query */
    private static function queryString(array $query): string
    {
        $given = [];
        foreach ($query as $name => $value) {
            if ($value instanceof \DateTimeInterface) {
                $given[$name] = $value->format('Y-m-d\TH:i:s.vP');
            } elseif ($value !== null) {
                $given[$name] = is_bool($value) ? ($value ? 'true' : 'false') : $value;
            }
        }
        return $given === [] ? '' : '?' . http_build_query($given, '', '&', PHP_QUERY_RFC3986);
    }

    /** @param array<string, mixed> $body */
    private static function json(array $body): string
    {
        if ($body !== [] && array_is_list($body)) {
            throw new \InvalidArgumentException("Pass an array with names, such as ['amount' => '25000.00'].");
        }
        // An empty PHP array would become a JSON list.
        if (($body['metadata'] ?? null) === []) {
            $body['metadata'] = (object) [];
        }
        try {
            return json_encode((object) $body, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE);
        } catch (\JsonException $cause) {
            $message = "The input is no JSON ({$cause->getMessage()}): pass UTF-8 texts, numbers and arrays.";
            throw new \InvalidArgumentException($message, 0, $cause);
        }
    }

    private static function checkedKey(string $key): string
    {
        if (preg_match('/^[\x21-\x7e]{1,255}$/D', $key) !== 1) {
            throw new \InvalidArgumentException(
                'idempotencyKey must have 1 to 255 visible ASCII characters without spaces, such as order-1042-attempt-1.'
            );
        }
        return $key;
    }

    private static function newKey(): string
    {
        $bytes = random_bytes(16);
        $bytes[6] = chr(ord($bytes[6]) & 0x0f | 0x40);
        $bytes[8] = chr(ord($bytes[8]) & 0x3f | 0x80);
        return vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex($bytes), 4));
    }

    private function seconds(?float $timeout): float
    {
        return $timeout === null ? $this->timeout : self::checkedTimeout($timeout);
    }

    /** Returns a timeout in seconds. If it is not a number above 0, throws an InvalidArgumentException. */
    public static function checkedTimeout(float $timeout): float
    {
        if (!is_finite($timeout) || $timeout <= 0) {
            throw new \InvalidArgumentException('timeout must be a number of seconds above 0, such as 20.0.');
        }
        return $timeout;
    }
}
