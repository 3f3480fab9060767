<?php

declare(strict_types=1);

namespace Malipo\Exceptions;

/** The current state forbids the call (409), such as insufficient_balance. */
final class ConflictException extends MalipoException
{
}
