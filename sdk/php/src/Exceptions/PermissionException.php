<?php

declare(strict_types=1);

namespace Malipo\Exceptions;

/** The key may not make this call (403), for example because a scope, an IP address or an approval is missing. */
final class PermissionException extends MalipoException
{
}
