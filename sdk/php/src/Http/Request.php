<?php

declare(strict_types=1);

namespace Malipo\Http;

/** An HTTP request, as a transport sends it. */
final class Request
{
    /**
     * @param array<string, string> $headers
     * @param float $timeout The longest duration of the attempt in seconds, until the last byte of the response.
     */
    public function __construct(
        public readonly string $method,
        public readonly string $url,
        public readonly array $headers,
        public readonly ?string $body,
        public readonly float $timeout,
    ) {
    }

    /** Returns the fields for dumps, without the API key. */
    public function __debugInfo(): array
    {
        return ['method' => $this->method, 'url' => $this->url, 'timeout' => $this->timeout];
    }
}
