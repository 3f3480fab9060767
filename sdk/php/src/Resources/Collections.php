<?php

declare(strict_types=1);

namespace Malipo\Resources;

use Malipo\Http\Requester;

/** Payments from customers. Only the status `successful` means paid. */
final class Collections extends ApiResource
{
    /**
     * Creates a payment with a hosted page: redirect the customer to payment_url. Main input: amount,
     * reference, description, redirect_url, cancel_url, metadata.
     *
     * @param array<string, mixed> $input
     * @return array<string, mixed>
     */
    public function create(array $input, ?string $idempotencyKey = null, ?float $timeout = null): array
    {
        return $this->requester->change('POST', '/v1/collections', $input, $idempotencyKey, $timeout);
    }

    /**
     * Sends a mobile-money prompt to a phone. Main input: amount, phone, reference. The answer is no proof of a payment.
     *
     * @param array<string, mixed> $input
     * @return array<string, mixed>
     */
    public function createWalletPush(array $input, ?string $idempotencyKey = null, ?float $timeout = null): array
    {
        return $this->requester->change('POST', '/v1/collections/wallet-push', $input, $idempotencyKey, $timeout);
    }

    /**
     * Sends a prompt to a Provider Pesa wallet. Main input: amount, phone, reference.
     *
     * @param array<string, mixed> $input
     * @return array<string, mixed>
     */
    public function createProviderPesa(array $input, ?string $idempotencyKey = null, ?float $timeout = null): array
    {
        return $this->requester->change('POST', '/v1/collections/provider-pesa', $input, $idempotencyKey, $timeout);
    }

    /**
     * Creates a payment by QR code. Main input: amount, customer_phone, reference. Show qr_payload unchanged as a QR code.
     *
     * @param array<string, mixed> $input
     * @return array<string, mixed>
     */
    public function createQr(array $input, ?string $idempotencyKey = null, ?float $timeout = null): array
    {
        return $this->requester->change('POST', '/v1/collections/qr', $input, $idempotencyKey, $timeout);
    }

    /**
     * Returns a payment with its current status.
     *
     * @return array<string, mixed>
     */
    public function get(string $collectionId, ?float $timeout = null): array
    {
        return $this->requester->get('/v1/collections/' . Requester::segment($collectionId, 'collectionId'), [], $timeout);
    }

    /**
     * Yields all payments, newest first, over all pages. Filters: status, method, reference, phone, from, to, metadata.
     *
     * @param array<string, mixed> $filters
     * @return \Generator<int, array<string, mixed>>
     */
    public function list(array $filters = []): \Generator
    {
        return $this->pages('/v1/collections', $filters, 'collection_id');
    }

    /**
     * Returns one page: items and pagination. Filters: page, page_size, status, method, reference, phone, from, to, metadata.
     *
     * @param array<string, mixed> $filters
     * @return array<string, mixed>
     */
    public function listPage(array $filters = [], ?float $timeout = null): array
    {
        return $this->requester->get('/v1/collections', $filters, $timeout);
    }

    /**
     * Makes the server query the provider, and returns the payment with its new status.
     *
     * @return array<string, mixed>
     */
    public function refreshStatus(string $collectionId, ?string $idempotencyKey = null, ?float $timeout = null): array
    {
        $path = '/v1/collections/' . Requester::segment($collectionId, 'collectionId') . '/refresh-status';
        return $this->requester->change('POST', $path, [], $idempotencyKey, $timeout);
    }

    /**
     * Returns the steps of a payment, such as requests, attempts, statuses and webhooks.
     *
     * @return array<string, mixed>
     */
    public function timeline(string $collectionId, ?float $timeout = null): array
    {
        return $this->requester->get('/v1/collections/' . Requester::segment($collectionId, 'collectionId') . '/timeline', [], $timeout);
    }

    /**
     * Returns the CSV file of payments. The whole file is in memory.
     *
     * @param array<string, mixed> $filters
     */
    public function export(array $filters = [], ?float $timeout = null): string
    {
        return $this->requester->file('/v1/collections/export.csv', $filters, $timeout);
    }
}
