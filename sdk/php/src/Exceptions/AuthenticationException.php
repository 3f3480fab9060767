<?php

declare(strict_types=1);

namespace Malipo\Exceptions;

/** The server does not accept the API key (401). Check that the key is complete, and that this server made it. */
final class AuthenticationException extends MalipoException
{
}
