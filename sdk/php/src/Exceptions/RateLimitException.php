<?php

declare(strict_types=1);

namespace Malipo\Exceptions;

/** A limit refused the call (429), also after the retries. Wait for $retryAfter seconds. */
final class RateLimitException extends MalipoException
{
}
