<?php

declare(strict_types=1);

namespace Malipo\Exceptions;

/**
 * No readable response arrived, also after the retries. If $outcomeUnknown is true, the server may have done the work:
 * repeat the call with the same idempotency key.
 */
final class NoAnswerException extends MalipoException
{
}
