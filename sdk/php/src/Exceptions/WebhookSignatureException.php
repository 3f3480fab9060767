<?php

declare(strict_types=1);

namespace Malipo\Exceptions;

/**
 * The signature is missing or wrong, the time of the delivery is outside the tolerance, or the body is no event.
 * Answer 401, and do not process the delivery.
 */
final class WebhookSignatureException extends \RuntimeException
{
    /** @param string $errorCode missing_signature, signature_mismatch, timestamp_out_of_tolerance or invalid_event. */
    public function __construct(public readonly string $errorCode, string $message)
    {
        parent::__construct($message);
    }
}
