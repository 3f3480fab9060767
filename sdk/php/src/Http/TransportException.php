<?php

declare(strict_types=1);

namespace Malipo\Http;

/** No complete response arrived. If the request was sent, the server may have done the work all the same. */
final class TransportException extends \RuntimeException
{
    /** @param bool $wasSent False only if no connection was made, so that nothing was sent. */
    public function __construct(string $message, public readonly bool $wasSent = true)
    {
        parent::__construct($message);
    }
}
