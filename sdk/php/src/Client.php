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
use Malipo\Resources\Invoices;
use Malipo\Resources\PaymentLinks;
use Malipo\Resources\Transactions;
use Malipo\Resources\WebhookConfig;
use Malipo\Resources\WebhookDeliveries;
use Malipo\Resources\WebhookEndpoints;

/** A client of the API. The API key is secret: use the client only on servers. */
final class Client
{
    public const VERSION = '0.2.0';

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

    private readonly Requester $requester;

    /**
     * @param string $baseUrl The address of the server, without /v1, such as https://api.example.com.
     * @param string $apiKey A key of the dashboard. A sandbox key moves no real money.
     * @param float $timeout The seconds that one attempt may take.
     * @param int $maxRetries The retries after no answer, a request in progress, a rate limit or status 503.
     * @param string|null $language The language of failure_reason_message: sw or en (default).
     */
    public function __construct(
        string $baseUrl,
        #[\SensitiveParameter] string $apiKey,
        float $timeout = 20.0,
        int $maxRetries = 2,
        ?string $language = null,
        ?Transport $transport = null,
    ) {
        if ($maxRetries < 0 || $maxRetries > 10) {
            throw new \InvalidArgumentException('maxRetries must be from 0 to 10.');
        }
        if ($language !== null && !in_array($language, ['sw', 'en'], true)) {
            throw new \InvalidArgumentException("language must be 'sw' or 'en'.");
        }
        $headers = [
            'authorization' => 'Bearer ' . self::checkedKey($apiKey),
            'accept' => 'application/json',
            'user-agent' => 'malipo-php/' . self::VERSION . ' php/' . PHP_VERSION,
        ];
        if ($language !== null) {
            $headers['accept-language'] = $language;
        }
        $this->requester = new Requester(
            self::checkedAddress($baseUrl),
            $headers,
            Requester::checkedTimeout($timeout),
            $maxRetries,
            $transport ?? new CurlTransport(),
        );
        $this->collections = new Collections($this->requester);
        $this->paymentLinks = new PaymentLinks($this->requester);
        $this->invoices = new Invoices($this->requester);
        $this->disbursements = new Disbursements($this->requester);
        $this->destinations = new Destinations($this->requester);
        $this->transactions = new Transactions($this->requester);
        $this->balance = new Balance($this->requester);
        $this->webhookEndpoints = new WebhookEndpoints($this->requester);
        $this->webhookConfig = new WebhookConfig($this->requester);
        $this->webhookDeliveries = new WebhookDeliveries($this->requester);
    }

    /**
     * Returns the merchant, the environment and the scopes of the key: a test of the connection.
     *
     * @return array<string, mixed>
     */
    public function me(): array
    {
        return $this->requester->get('/v1/me');
    }

    private static function checkedAddress(string $baseUrl): string
    {
        $parts = parse_url(trim($baseUrl));
        if (
            !is_array($parts) || !in_array($parts['scheme'] ?? '', ['http', 'https'], true) || ($parts['host'] ?? '') === ''
            || isset($parts['query']) || isset($parts['fragment']) || isset($parts['user'])
        ) {
            throw new \InvalidArgumentException('baseUrl must be the address of the server, such as https://api.example.com.');
        }
        $address = rtrim(trim($baseUrl), '/');
        if (str_ends_with($address, '/v1')) {
            throw new \InvalidArgumentException("baseUrl must not contain /v1: use '" . substr($address, 0, -3) . "'.");
        }
        return $address;
    }

    private static function checkedKey(#[\SensitiveParameter] string $apiKey): string
    {
        if (str_starts_with($apiKey, 'pk_')) {
            throw new \InvalidArgumentException('apiKey begins with pk_, so it is a public identifier: pass the secret API key.');
        }
        if (preg_match('/^[\x21-\x7e]+$/D', $apiKey) !== 1) {
            throw new \InvalidArgumentException('apiKey is empty or contains spaces: pass the API key of the dashboard unchanged.');
        }
        return $apiKey;
    }
}
