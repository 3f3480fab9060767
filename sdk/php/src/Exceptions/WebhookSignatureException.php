<?php

declare(strict_types=1);

namespace Malipo\Exceptions;

/** The signature is wrong, the delivery is too old, or the body is no event. Answer 401, and do not process the delivery. */
final class WebhookSignatureException extends \RuntimeException
{
}
