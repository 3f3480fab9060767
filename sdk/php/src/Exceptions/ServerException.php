<?php

declare(strict_types=1);

namespace Malipo\Exceptions;

/** The server failed (5xx). The outcome of a change may be unknown, so repeat the call with the same idempotency key. */
final class ServerException extends MalipoException
{
}
