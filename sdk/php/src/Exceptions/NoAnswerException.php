<?php

declare(strict_types=1);

namespace Malipo\Exceptions;

/**
 * No readable response arrived, also after the retries. The outcome of a change is unknown: repeat the call with the
 * same idempotency key.
 */
final class NoAnswerException extends MalipoException
{
}
