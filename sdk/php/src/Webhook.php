<?php

declare(strict_types=1);

namespace Malipo;

use Malipo\Exceptions\WebhookSignatureException;

/** Verifies webhooks over the raw bytes of the request. */
final class Webhook
{
    private const PREFIX = 'whsec_';
    private const SECRET_BYTES_MIN = 24;
    private const RAW_BODY_HELP = "Pass the raw body, before any JSON parser: file_get_contents('php://input'), "
        . 'or $request->getContent() in Laravel and Symfony.';

    /**
     * Verifies a webhook and returns its event. The Standard Webhooks signature decides, because it also covers id and
     * time. A delivery can arrive twice, so store the id of `Webhook::id($headers)` and ignore a repeated id.
     *
     * @param string $rawBody The received bytes. Parsed and re-encoded JSON does not match.
     * @param array<string, string|list<string>|null> $headers getallheaders(), $_SERVER, or the headers of a PSR-7 request.
     * @param string|list<string> $secret The signing secret (whsec_...), or several, such as the old and the new one of a rotation.
     * @param int $tolerance The largest difference in seconds between the delivery and the clock. 0 permits any difference.
     * @param bool $allowBodySignature True also accepts a request that only has X-<Brand>-Signature. That signature covers
     *     neither id nor time, so an attacker with one delivery can replay it under another id.
     * @param string|null $brand Null accepts the header of any brand. 'acme' accepts only X-Acme-Signature.
     * @return array<string, mixed> The event. Ship an order only if it has neither `test` nor `sandbox`.
     * @throws WebhookSignatureException If the request is no valid webhook. Answer 401.
     * @throws \InvalidArgumentException If an argument is wrong, which is a mistake in the program.
     */
    public static function verify(
        mixed $rawBody,
        array $headers,
        #[\SensitiveParameter] string|array $secret,
        int $tolerance = 300,
        bool $allowBodySignature = false,
        ?string $brand = null,
        ?int $now = null,
    ): array {
        if (!is_string($rawBody)) {
            $what = $rawBody === null ? 'missing' : 'already parsed';
            throw new \InvalidArgumentException("rawBody is $what. " . self::RAW_BODY_HELP);
        }
        if ($tolerance < 0) {
            throw new \InvalidArgumentException('tolerance must be a number of seconds, 0 or more.');
        }
        if ($brand !== null && preg_match('/^[a-z][a-z0-9]{1,19}$/iD', $brand) !== 1) {
            throw new \InvalidArgumentException(
                "brand must be the middle part of the header name X-<Brand>-Signature, such as 'service'."
            );
        }
        $secrets = self::checkedSecrets($secret);
        $given = self::lowerCase($headers);
        $timestamp = $given['webhook-timestamp'] ?? null;
        if (isset($given['webhook-signature'])) {
            if (!isset($given['webhook-id']) || $timestamp === null) {
                throw self::missing('webhook-id or webhook-timestamp');
            }
            self::checkStandard($secrets, $given['webhook-signature'], "{$given['webhook-id']}.$timestamp.$rawBody");
        } elseif ($allowBodySignature) {
            $names = $brand === null ? '[a-z0-9]+' : strtolower($brand);
            self::checkBranded($secrets, $given, $names, $rawBody);
            // This signature does not cover the time. So this check finds late deliveries, but an attacker can change the time.
            $timestamp = self::branded($given, 'timestamp', $names)[0] ?? null;
        } else {
            throw self::missing('webhook-signature');
        }
        if ($timestamp !== null) {
            self::checkAge($timestamp, $tolerance, $now ?? time());
        }
        return self::eventOf($rawBody);
    }

    /**
     * Returns the id of a delivery. A repeated delivery has the same id. Null means that the headers have no id.
     *
     * @param array<string, string|list<string>|null> $headers
     */
    public static function id(array $headers): ?string
    {
        return self::lowerCase($headers)['webhook-id'] ?? null;
    }

    /**
     * Returns the bytes of each secret by its text. If a secret is malformed, throws an InvalidArgumentException.
     *
     * @param string|array<mixed> $given
     * @return array<string, string>
     */
    private static function checkedSecrets(#[\SensitiveParameter] string|array $given): array
    {
        $found = [];
        foreach (is_array($given) ? $given : [$given] as $secret) {
            $isSecret = is_string($secret) && str_starts_with($secret, self::PREFIX);
            $bytes = $isSecret ? base64_decode(substr($secret, strlen(self::PREFIX)), true) : false;
            if ($bytes === false || strlen($bytes) < self::SECRET_BYTES_MIN) {
                $found = [];
                break;
            }
            $found[$secret] = $bytes;
        }
        if ($found === []) {
            throw new \InvalidArgumentException(
                'secret must be the signing secret of your webhook endpoint, unchanged: it begins with whsec_. It is not the API key.'
            );
        }
        return $found;
    }

    /** @param array<string, string> $secrets */
    private static function checkStandard(#[\SensitiveParameter] array $secrets, string $signatures, string $signed): void
    {
        foreach ($secrets as $bytes) {
            $expected = hash_hmac('sha256', $signed, $bytes, true);
            foreach (explode(' ', $signatures) as $part) {
                if (str_starts_with($part, 'v1,') && hash_equals($expected, (string) base64_decode(substr($part, 3), true))) {
                    return;
                }
            }
        }
        throw self::mismatch();
    }

    /**
     * @param array<string, string> $secrets
     * @param array<string, string> $given
     */
    private static function checkBranded(
        #[\SensitiveParameter] array $secrets,
        array $given,
        string $names,
        string $rawBody,
    ): void {
        $signatures = self::branded($given, 'signature(?:-previous)?', $names);
        if ($signatures === []) {
            throw self::missing('X-' . ($names === '[a-z0-9]+' ? 'Service' : ucfirst($names)) . '-Signature');
        }
        foreach (array_keys($secrets) as $text) {
            $expected = hash_hmac('sha256', $rawBody, $text);
            foreach ($signatures as $signature) {
                if (hash_equals($expected, strtolower($signature))) {
                    return;
                }
            }
        }
        throw self::mismatch();
    }

    private static function missing(string $name): WebhookSignatureException
    {
        $message = "The request has no header $name: it is no webhook, or a proxy removes the header. "
            . 'Answer 401, and check your proxies.';
        return new WebhookSignatureException('missing_signature', $message);
    }

    /**
     * @param array<string, string> $given
     * @return list<string> The values of the headers x-<brand>-<name>.
     */
    private static function branded(array $given, string $name, string $brand): array
    {
        $isNamed = static fn (string $header): bool => preg_match("/^x-$brand-$name\$/D", $header) === 1;
        return array_values(array_filter($given, $isNamed, ARRAY_FILTER_USE_KEY));
    }

    private static function mismatch(): WebhookSignatureException
    {
        $message = 'The signature does not match: the secret is of another endpoint or environment, or the body is not the raw body. ';
        return new WebhookSignatureException('signature_mismatch', $message . self::RAW_BODY_HELP);
    }

    private static function checkAge(string $timestamp, int $tolerance, int $now): void
    {
        $message = null;
        if (preg_match('/^\d{1,12}$/D', $timestamp) !== 1) {
            $message = 'The time of the delivery is not a number of seconds. '
                . 'Answer 401, and check whether a proxy changes the header.';
        } elseif ($tolerance > 0 && abs($now - (int) $timestamp) > $tolerance) {
            $age = $now - (int) $timestamp;
            $message = 'The time of the delivery is ' . abs($age) . ' seconds ' . ($age > 0 ? 'behind' : 'ahead of')
                . " the clock of this machine; the tolerance is $tolerance. If this happens to every delivery, correct the clock"
                . ' (NTP); otherwise it is a replay.';
        }
        if ($message !== null) {
            throw new WebhookSignatureException('timestamp_out_of_tolerance', $message);
        }
    }

    /** @return array<string, mixed> */
    private static function eventOf(string $rawBody): array
    {
        $event = json_decode($rawBody, true);
        if (!is_array($event) || !is_string($event['event'] ?? null)) {
            throw new WebhookSignatureException(
                'invalid_event',
                'The body is signed, but is not an event. Answer 401, and check whether another program signs with this secret.',
            );
        }
        return $event;
    }

    /**
     * @param array<string, mixed> $headers
     * @return array<string, string> The values by header name in lower case. HTTP_WEBHOOK_ID of $_SERVER becomes webhook-id.
     */
    private static function lowerCase(array $headers): array
    {
        $found = [];
        foreach ($headers as $name => $value) {
            $value = is_array($value) ? implode(',', array_filter($value, 'is_string')) : $value;
            if (is_string($value)) {
                $header = strtolower((string) $name);
                $found[str_starts_with($header, 'http_') ? str_replace('_', '-', substr($header, 5)) : $header] = $value;
            }
        }
        return $found;
    }
}
