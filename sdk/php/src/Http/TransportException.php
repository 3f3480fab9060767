<?php

declare(strict_types=1);

namespace Malipo\Http;

/** No complete response arrived. The server may have done the work all the same. */
final class TransportException extends \RuntimeException
{
}
