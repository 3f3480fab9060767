<?php

declare(strict_types=1);

namespace Malipo;

use Malipo\Http\CurlTransport;
use Malipo\Http\Requester;
use Malipo\Http\Transport;
use Malipo\Resources\Balance;
use Malipo\Resources\Collections;
use Malipo\Resources\Destinations;
use Malipo\Resources\Disbursements;
use Malipo\Resources\Events;
use Malipo\Resources\Invoices;
use Malipo\Resources\Me;
use Malipo\Resources\PaymentLinks;
use Malipo\Resources\Requests;
use Malipo\Resources\Transactions;
use Malipo\Resources\WebhookConfig;
use Malipo\Resources\WebhookDeliveries;
use Malipo\Resources\WebhookEndpoints;

/** A client of the API. The API key is secret, so use the client only on servers. */
final class Client
{
    public const VERSION = '0.2.0';
    private const KEY = '/^[a-z][a-z0-9]{1,19}_(live|sandbox|test)_[0-9A-Za-z]+$/D';

    /** The environment of the key: live or sandbox. In the sandbox, no real money moves. */
    public readonly string $environment;
    public readonly Me $me;
    public readonly Collections $collections;
    public readonly PaymentLinks $paymentLinks;
    public readonly Invoices $invoices;
    public readonly Disbursements $disbursements;
    public readonly Destinations $destinations;
    public readonly Transactions $transactions;
    public readonly Balance $balance;
    public readonly WebhookEndpoints $webhookEndpoints;
    public readonly WebhookConfig $webhookConfig;
    public readonly WebhookDeliveries $webhookDeliveries;
    public readonly Events $events;
    public readonly Requests $requests;

    /**
     * @param string $baseUrl The address of the server, without /v1, such as https://api.example.com.
     * @param string $apiKey A key of the dashboard. A sandbox key moves no real money.
     * @param float $timeout The seconds that one attempt may take.
     * @param int $maxRetries The greatest number of retries of a call, from 0 to 10. The SDK makes only safe and useful retries.
     * @param string|null $environment live or sandbox: the environment that the key must have. Null accepts both.
     * @param string|null $language The language of failure_reason_message: sw or en. Null lets the server choose.
     */
    public function __construct(
        string $baseUrl,
        #[\SensitiveParameter] string $apiKey,
        float $timeout = 20.0,
        int $maxRetries = 2,
        ?string $language = null,
        ?string $environment = null,
        ?Transport $transport = null,
    ) {
        if ($maxRetries < 0 || $maxRetries > 10) {
            throw new \InvalidArgumentException('maxRetries, the number of retries, must be from 0 to 10.');
        }
        if ($language !== null && !in_array($language, ['sw', 'en'], true)) {
            throw new \InvalidArgumentException("language must be 'sw' or 'en'.");
        }
        $this->environment = self::environmentOf($apiKey);
        if ($environment !== null && $environment !== $this->environment) {
            throw new \InvalidArgumentException(
                "apiKey is a $this->environment key, and environment is '$environment': use a key of that environment."
            );
        }
        $headers = [
            'authorization' => "Bearer $apiKey",
            'accept' => 'application/json',
            'user-agent' => 'malipo-php/' . self::VERSION . ' php/' . PHP_VERSION,
        ];
        if ($language !== null) {
            $headers['accept-language'] = $language;
        }
        $requester = new Requester(
            self::checkedAddress($baseUrl),
            $this->environment,
            $headers,
            Requester::checkedTimeout($timeout),
            $maxRetries,
            $transport ?? new CurlTransport(),
        );
        $this->me = new Me($requester);
        $this->collections = new Collections($requester);
        $this->paymentLinks = new PaymentLinks($requester);
        $this->invoices = new Invoices($requester);
        $this->disbursements = new Disbursements($requester);
        $this->destinations = new Destinations($requester);
        $this->transactions = new Transactions($requester);
        $this->balance = new Balance($requester);
        $this->webhookEndpoints = new WebhookEndpoints($requester);
        $this->webhookConfig = new WebhookConfig($requester);
        $this->webhookDeliveries = new WebhookDeliveries($requester);
        $this->events = new Events($requester);
        $this->requests = new Requests($requester);
    }

    private static function checkedAddress(string $baseUrl): string
    {
        $parts = parse_url(trim($baseUrl));
        if (
            !is_array($parts) || !in_array($parts['scheme'] ?? '', ['http', 'https'], true) || ($parts['host'] ?? '') === ''
            || isset($parts['query']) || isset($parts['fragment']) || isset($parts['user'])
        ) {
            throw new \InvalidArgumentException(
                'baseUrl must be the address of your Malipo server, such as https://api.example.com, without a query or password.'
            );
        }
        $address = rtrim(trim($baseUrl), '/');
        if (str_ends_with($address, '/v1')) {
            throw new \InvalidArgumentException("baseUrl must not contain /v1: use '" . substr($address, 0, -3) . "'.");
        }
        return $address;
    }

    /** Returns the environment of a key. If the key is malformed, throws an exception whose message says what to correct. */
    private static function environmentOf(#[\SensitiveParameter] string $apiKey): string
    {
        $problem = match (true) {
            $apiKey === '' => 'is missing: create a key in the dashboard, and pass it, such as from getenv(\'MALIPO_API_KEY\').',
            str_starts_with($apiKey, 'pk_') => 'begins with pk_, a public identifier: pass a secret API key.',
            str_starts_with($apiKey, 'whsec_') => 'begins with whsec_, the secret of a webhook: pass an API key.',
            preg_match('/^bearer /i', $apiKey) === 1 => 'begins with the word Bearer: pass the key alone.',
            preg_match('/[^\x21-\x7e]/', $apiKey) === 1 =>
                'contains a space, a line break or another wrong character: copy the key again.',
            preg_match(self::KEY, $apiKey) !== 1 =>
                'is no API key: keys contain _live_, _sandbox_ or _test_, such as service_sandbox_.... Copy the key of the dashboard.',
            default => null,
        };
        if ($problem !== null) {
            throw new \InvalidArgumentException("apiKey $problem");
        }
        return preg_replace(self::KEY, '$1', $apiKey) === 'live' ? 'live' : 'sandbox';
    }
}
