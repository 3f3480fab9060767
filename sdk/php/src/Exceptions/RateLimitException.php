<?php

declare(strict_types=1);

namespace Malipo\Exceptions;

/** The key has sent too many requests (429), also after the retries. Wait for $retryAfter seconds. */
final class RateLimitException extends MalipoException
{
}
