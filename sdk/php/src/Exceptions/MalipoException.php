<?php

declare(strict_types=1);

namespace Malipo\Exceptions;

/**
 * A failed call. The subclass shows the kind of failure, and $errorCode shows the exact reason. For a wrong argument, the
 * SDK throws an \InvalidArgumentException instead, before it sends a request.
 */
class MalipoException extends \RuntimeException
{
    /**
     * @param string $errorCode The error code of the API, or `no_answer` if no readable response arrived.
     * @param int $status The HTTP status. 0 means that no response arrived.
     * @param string|null $requestId The id of the request, for a question to the operator of the server.
     * @param string|null $idempotencyKey If you repeat the call with this key, the server does the work once.
     *     Null means that the call only reads, or that you gave no key and only the secret in the answer was lost.
     * @param bool $outcomeUnknown True means that the server may have done the work. Repeat the call with $idempotencyKey.
     * @param bool $isRetryable True means that the same call, with the same idempotency key, can succeed later.
     * @param array<string, mixed>|null $details
     * @param float|null $retryAfter The seconds to wait before the next attempt. Null means that the server named no time.
     */
    final public function __construct(
        string $message,
        public readonly string $errorCode,
        public readonly int $status,
        public readonly ?string $requestId = null,
        public readonly ?string $idempotencyKey = null,
        public readonly bool $outcomeUnknown = false,
        public readonly bool $isRetryable = false,
        public readonly ?array $details = null,
        public readonly ?float $retryAfter = null,
        ?\Throwable $previous = null,
    ) {
        parent::__construct($message, $status, $previous);
    }

    /**
     * Returns the message of each wrong field of a `validation_failed`, by the name of the field.
     *
     * @return array<string, string>
     */
    public function fields(): array
    {
        $found = [];
        foreach (is_array($this->details['fields'] ?? null) ? $this->details['fields'] : [] as $field) {
            if (is_array($field)) {
                $name = is_string($field['field'] ?? null) ? $field['field'] : '';
                $found[$name] = is_string($field['message'] ?? null) ? $field['message'] : '';
            }
        }
        return $found;
    }
}
