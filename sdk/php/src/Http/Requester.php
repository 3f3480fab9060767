<?php

declare(strict_types=1);

namespace Malipo\Http;

use Malipo\Exceptions\AuthenticationException;
use Malipo\Exceptions\ConflictException;
use Malipo\Exceptions\MalipoException;
use Malipo\Exceptions\NoAnswerException;
use Malipo\Exceptions\NotFoundException;
use Malipo\Exceptions\PermissionException;
use Malipo\Exceptions\RateLimitException;
use Malipo\Exceptions\ServerException;
use Malipo\Exceptions\ValidationException;

/** Sends the calls of the resources: idempotency key, retries, and exceptions. */
final class Requester
{
    /** The longest pause before a retry. If the server asks for more, the call fails at once with retryAfter. */
    private const WAIT_SECONDS_MAX = 20.0;
    private const FIRST_WAIT_SECONDS = 0.5;

    /** @param array<string, string> $headers The headers of every request. */
    public function __construct(
        private readonly string $baseUrl,
        private readonly array $headers,
        private readonly float $timeout,
        private readonly int $maxRetries,
        private readonly Transport $transport,
    ) {
    }

    /** @return array<string, string> Hides the API key from dumps. */
    public function __debugInfo(): array
    {
        return ['baseUrl' => $this->baseUrl];
    }

    /**
     * Reads records. A read needs no idempotency key.
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
     * Changes something. All retries send the same idempotency key, so that the server does the work once.
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

    /** Encodes a value as one segment of a path. */
    public static function segment(string $value, string $name): string
    {
        if (trim($value) === '' || $value === '.' || $value === '..') {
            throw new \InvalidArgumentException("$name is empty: pass the id of a record.");
        }
        return rawurlencode($value);
    }

    private function send(Request $request, ?string $key, bool $isFile = false): Response
    {
        for ($attempt = 0; ; $attempt++) {
            $failure = null;
            $response = null;
            try {
                $response = $this->transport->send($request);
            } catch (TransportException $cause) {
                $failure = $this->noAnswer(0, null, $key, "$this->baseUrl does not answer ({$cause->getMessage()}).", $cause);
            }
            if ($response !== null) {
                $failure = $this->failureOf($response, $key, $isFile);
                if ($failure === null) {
                    return $response;
                }
            }
            $wait = $failure->retryAfter ?? self::FIRST_WAIT_SECONDS * 2 ** $attempt * (1 + lcg_value()) / 2;
            if ($attempt >= $this->maxRetries || !self::isWorthRetry($failure) || $wait > self::WAIT_SECONDS_MAX) {
                throw $failure;
            }
            usleep((int) ($wait * 1_000_000));
        }
    }

    /** True if the same request can succeed a moment later. */
    private static function isWorthRetry(MalipoException $failure): bool
    {
        if ($failure->errorCode === 'no_answer') {
            return in_array($failure->status, [0, 429, 502, 503, 504], true) || $failure->status < 300;
        }
        return $failure->errorCode === 'idempotency_in_progress' || in_array($failure->status, [429, 503], true);
    }

    /** Null means that the response is a success. */
    private function failureOf(Response $response, ?string $key, bool $isFile): ?MalipoException
    {
        $status = $response->status;
        $isSuccess = $status >= 200 && $status < 300;
        if ($isFile && $isSuccess) {
            return null;
        }
        $envelope = json_decode($response->body, true);
        if ($isSuccess && ($envelope['success'] ?? null) === true && is_array($envelope['data'] ?? null)) {
            return null;
        }
        $error = is_array($envelope) ? ($envelope['error'] ?? null) : null;
        if ($isSuccess || !is_array($error) || !is_string($error['code'] ?? null)) {
            return $this->noAnswer($status, $response, $key, $this->strangeAnswer($response));
        }
        $requestId = $response->header('x-request-id');
        $message = is_string($error['message'] ?? null) ? $error['message'] : $error['code'];
        $class = self::classOf($status);
        $details = is_array($error['details'] ?? null) ? $error['details'] : null;
        $fields = '';
        foreach (is_array($details['fields'] ?? null) ? $details['fields'] : [] as $field) {
            if (is_string($field['field'] ?? null) && is_string($field['message'] ?? null)) {
                $fields .= " {$field['field']}: {$field['message']}";
            }
        }
        return new $class(
            $message . $fields . " (code {$error['code']}, status $status, request " . ($requestId ?? 'unknown') . ')',
            $error['code'],
            $status,
            $requestId,
            $key,
            $key !== null && ($status >= 500 || $error['code'] === 'idempotency_in_progress'),
            $details,
            self::retryAfter($response),
        );
    }

    /** @return class-string<MalipoException> */
    private static function classOf(int $status): string
    {
        return match (true) {
            $status === 401 => AuthenticationException::class,
            $status === 403 => PermissionException::class,
            $status === 404 => NotFoundException::class,
            in_array($status, [400, 413, 415, 422], true) => ValidationException::class,
            $status === 409 => ConflictException::class,
            $status === 429 => RateLimitException::class,
            $status >= 500 => ServerException::class,
            default => MalipoException::class,
        };
    }

    private function noAnswer(
        int $status,
        ?Response $response,
        ?string $key,
        string $reason,
        ?\Throwable $cause = null,
    ): NoAnswerException {
        $next = $key === null
            ? ' Repeat the call.'
            : " The outcome is unknown: repeat the call with the idempotency key $key, which has no second effect.";
        $requestId = $response?->header('x-request-id');
        $retryAfter = $response === null ? null : self::retryAfter($response);
        return new NoAnswerException($reason . $next, 'no_answer', $status, $requestId, $key, $key !== null, null, $retryAfter, $cause);
    }

    private function strangeAnswer(Response $response): string
    {
        if ($response->status >= 300 && $response->status < 400) {
            $to = $response->header('location') ?? 'another address';
            return "$this->baseUrl redirects to $to, and the SDK does not follow with your key. Correct baseUrl.";
        }
        return "$this->baseUrl answered {$response->status} without a readable response of Malipo. "
            . 'Check that baseUrl is the address of the API, without /v1.';
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
            $message = 'idempotencyKey must have 1 to 255 visible ASCII characters without spaces, such as order-1042-attempt-1.';
            throw new \InvalidArgumentException($message);
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

    public static function checkedTimeout(float $timeout): float
    {
        if (!is_finite($timeout) || $timeout <= 0) {
            throw new \InvalidArgumentException('timeout must be a number of seconds above 0, such as 20.0.');
        }
        return $timeout;
    }
}
