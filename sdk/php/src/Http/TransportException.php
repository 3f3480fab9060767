<?php

declare(strict_types=1);

namespace Malipo\Http;

/** No complete response arrived in time. If the transport sent the request, the server may have done the work. */
final class TransportException extends \RuntimeException
{
    /** @param bool $wasSent False only if no connection opened, so that the transport sent nothing. */
    public function __construct(string $message, public readonly bool $wasSent = true)
    {
        parent::__construct($message);
    }
}
