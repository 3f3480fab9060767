<?php

declare(strict_types=1);

namespace Malipo;

use Malipo\Exceptions\WebhookSignatureException;

/** Verifies webhooks over the raw bytes of the request. */
final class Webhook
{
    private const PREFIX = 'whsec_';
    private const SECRET_BYTES_MIN = 24;
    private const RAW_BODY_HELP = "Pass the raw bytes of the request, before any JSON parser: file_get_contents('php://input'), "
        . 'or $request->getContent() in Laravel and Symfony.';

    /**
     * Verifies a webhook and returns its event. The Standard Webhooks signature decides, because it also covers id and
     * time. A
     * delivery can arrive twice: store the id of `Webhook::id($headers)` and ignore a repeated one.
     *
     * @param string $rawBody The received bytes. Parsed and re-encoded JSON does not match.
     * @param array<string, string|list<string>|null> $headers getallheaders(), $_SERVER, or the headers of a PSR-7 request.
     * @param string $secret The signing secret (whsec_...).
     * @param int $tolerance The largest age of a delivery in seconds. 0 permits any age.
     * @param bool $allowBodySignature True also accepts a request that only has X-<Brand>-Signature. That signature covers
     *     neither id nor time, so an attacker with one delivery can replay it under another id.
     * @param string|null $brand Null accepts the header of any brand. 'acme' accepts only X-Acme-Signature.
     * @return array<string, mixed> The event. Ship an order only if it has neither `test` nor `sandbox`.
     * @throws WebhookSignatureException Answer 401.
     * @throws \InvalidArgumentException If an argument is wrong: a mistake of the program.
     */
    public static function verify(
        mixed $rawBody,
        array $headers,
        #[\SensitiveParameter] string $secret,
        int $tolerance = 300,
        bool $allowBodySignature = false,
        ?string $brand = null,
        ?int $now = null,
    ): array {
        if (!is_string($rawBody)) {
            throw new \InvalidArgumentException('rawBody is parsed JSON or no text. ' . self::RAW_BODY_HELP);
        }
        $key = self::keyOf($secret);
        if ($tolerance < 0) {
            throw new \InvalidArgumentException('tolerance must be a number of seconds, 0 or more.');
        }
        if ($brand !== null && preg_match('/^[a-z][a-z0-9]{1,19}$/D', $brand) !== 1) {
            throw new \InvalidArgumentException("brand must be the middle part of the header names, such as 'service'.");
        }
        $given = self::lowerCase($headers);
        if ($rawBody === '') {
            throw new WebhookSignatureException('the body is empty. ' . self::RAW_BODY_HELP);
        }
        $now ??= time();
        if (isset($given['webhook-signature'])) {
            if (!isset($given['webhook-id'], $given['webhook-timestamp'])) {
                throw new WebhookSignatureException('the header webhook-id or webhook-timestamp is missing: a proxy may remove it');
            }
            self::checkStandard($key, $given, $rawBody);
            self::checkAge($given['webhook-timestamp'], $tolerance, $now);
        } elseif (!$allowBodySignature) {
            throw new WebhookSignatureException('the request has no webhook-signature: it is no webhook, or a proxy removed the header');
        } else {
            self::checkBranded($secret, $given, $rawBody, $brand ?? '[a-z0-9]+');
        }
        $sent = self::branded($given, 'timestamp', $brand ?? '[a-z0-9]+');
        if (!isset($given['webhook-signature']) && $sent !== []) {
            // This signature does not cover the time. The check finds late deliveries, but stops no attacker.
            self::checkAge($sent[0], $tolerance, $now);
        }
        return self::eventOf($rawBody);
    }

    /**
     * Returns the id of a delivery, which a repeated delivery has too. Null means that the headers have no id.
     *
     * @param array<string, string|list<string>|null> $headers
     */
    public static function id(array $headers): ?string
    {
        return self::lowerCase($headers)['webhook-id'] ?? null;
    }

    /** Returns the bytes of the key, or throws, because a wrong secret must never make a signature valid. */
    private static function keyOf(#[\SensitiveParameter] string $secret): string
    {
        $isSecret = str_starts_with($secret, self::PREFIX);
        $bytes = $isSecret ? base64_decode(substr($secret, strlen(self::PREFIX)), true) : false;
        if ($bytes === false || strlen($bytes) < self::SECRET_BYTES_MIN) {
            $message = 'secret must be the signing secret of your webhook configuration unchanged: it begins with whsec_. '
                . 'It is not the API key.';
            throw new \InvalidArgumentException($message);
        }
        return $bytes;
    }

    /** @param array<string, string> $given */
    private static function checkStandard(#[\SensitiveParameter] string $key, array $given, string $rawBody): void
    {
        $signed = "{$given['webhook-id']}.{$given['webhook-timestamp']}.$rawBody";
        $expected = hash_hmac('sha256', $signed, $key, true);
        foreach (explode(' ', $given['webhook-signature']) as $part) {
            [$version, $signature] = explode(',', $part, 2) + [1 => ''];
            if ($version === 'v1' && hash_equals($expected, (string) base64_decode($signature, true))) {
                return;
            }
        }
        throw self::mismatch();
    }

    /** @param array<string, string> $given */
    private static function checkBranded(#[\SensitiveParameter] string $secret, array $given, string $rawBody, string $brand): void
    {
        $expected = hash_hmac('sha256', $rawBody, $secret);
        $signatures = self::branded($given, 'signature(?:-previous)?', $brand);
        if ($signatures === []) {
            throw new WebhookSignatureException('the request has no signature: it is no webhook, or a proxy removed the header');
        }
        foreach ($signatures as $signature) {
            if (hash_equals($expected, strtolower($signature))) {
                return;
            }
        }
        throw self::mismatch();
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
        return new WebhookSignatureException(
            'the signature does not match: the secret is of another endpoint or environment, or the body is not the raw bytes. '
            . self::RAW_BODY_HELP
        );
    }

    private static function checkAge(string $timestamp, int $tolerance, int $now): void
    {
        if (preg_match('/^\d{1,12}$/D', $timestamp) !== 1) {
            throw new WebhookSignatureException('the timestamp is not a number of seconds');
        }
        $age = $now - (int) $timestamp;
        if ($tolerance > 0 && abs($age) > $tolerance) {
            $direction = $age > 0 ? 'older' : 'newer';
            throw new WebhookSignatureException(
                'the delivery is ' . abs($age) . " seconds $direction than the clock of this machine: check the clock (NTP), or it is a replay"
            );
        }
    }

    /** @return array<string, mixed> */
    private static function eventOf(string $rawBody): array
    {
        $event = json_decode($rawBody, true);
        if (!is_array($event) || !is_string($event['event'] ?? null)) {
            throw new WebhookSignatureException('the body is signed but is not an event');
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
