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

/** An attempt of a call that failed, with its effect on the server. */
final class Failure
{
    /** The server did nothing for this call, neither in this attempt nor in an earlier one. */
    public const NONE = 'none';
    /** The server may have done the work. */
    public const UNKNOWN = 'unknown';
    /** The server did nothing in this attempt. The effect of earlier attempts is unknown. */
    public const NONE_NOW = 'none now';

    /**
     * @param bool $isRepeated True means that the client may repeat the call by itself.
     * @param array<string, mixed>|null $details
     */
    public function __construct(
        public readonly string $code,
        public readonly int $status,
        public readonly string $message,
        public readonly string $effect,
        public readonly bool $isRepeated,
        public readonly bool $isRetryable,
        public readonly ?array $details = null,
        public readonly ?string $requestId = null,
        public readonly ?float $retryAfter = null,
        public readonly ?\Throwable $cause = null,
    ) {
    }

    /** Makes the exception for a call whose last attempt is this one. */
    public function exception(?string $key, bool $outcomeUnknown): MalipoException
    {
        $next = " The API may have made the change: repeat the call with the idempotency key $key, "
            . 'and the API makes the change only once.';
        $class = $this->kind();
        return new $class(
            $this->message . ($outcomeUnknown ? $next : ''),
            $this->code,
            $this->status,
            $this->requestId,
            $key,
            $outcomeUnknown,
            $this->isRetryable,
            $this->details,
            $this->retryAfter,
            $this->cause,
        );
    }

    /** @return class-string<MalipoException> */
    private function kind(): string
    {
        return match (true) {
            $this->code === 'no_answer' => NoAnswerException::class,
            $this->status === 401 => AuthenticationException::class,
            $this->status === 403 => PermissionException::class,
            $this->status === 404 => NotFoundException::class,
            in_array($this->status, [400, 413, 415, 422], true) => ValidationException::class,
            $this->status === 409 => ConflictException::class,
            $this->status === 429 => RateLimitException::class,
            $this->status >= 500 => ServerException::class,
            default => MalipoException::class,
        };
    }
}
