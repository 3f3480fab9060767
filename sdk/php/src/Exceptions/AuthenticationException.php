<?php

declare(strict_types=1);

namespace Malipo\Exceptions;

/** The server does not accept the API key (401). Check the key, and that it is a key of this server. */
final class AuthenticationException extends MalipoException
{
}
