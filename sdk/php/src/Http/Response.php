<?php

declare(strict_types=1);

namespace Malipo\Http;

/** An HTTP response with its whole body. */
final class Response
{
    /** @var array<string, string> */
    private readonly array $headers;

    /** @param array<string, string> $headers */
    public function __construct(public readonly int $status, array $headers, public readonly string $body)
    {
        $this->headers = array_change_key_case($headers, CASE_LOWER);
    }

    /** Returns the value of a header, whose name may have any case. Null means that the response has no such header. */
    public function header(string $name): ?string
    {
        return $this->headers[strtolower($name)] ?? null;
    }
}
