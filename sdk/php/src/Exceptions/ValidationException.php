<?php

declare(strict_types=1);

namespace Malipo\Exceptions;

/** The server refused the input (400, 413, 415 or 422) and changed nothing. See fields(). */
final class ValidationException extends MalipoException
{
}
