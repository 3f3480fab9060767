<?php

declare(strict_types=1);

namespace Malipo\Resources;

use Malipo\Http\Requester;

/** Payouts. An operator must approve each payout. Only the status `SUCCESS` means that the receiver got the money. */
final class Disbursements extends ApiResource
{
    /**
     * Submits a payout to a phone. Main input: amount, destination_identifier, destination_code, destination_name, reference.
     *
     * @param array<string, mixed> $input
     * @return array<string, mixed>
     */
    public function createMobileMoney(array $input, ?string $idempotencyKey = null, ?float $timeout = null): array
    {
        return $this->requester->change('POST', '/v1/disbursements/mobile-money', $input, $idempotencyKey, $timeout);
    }

    /**
     * Submits a payout to a Provider Pesa wallet. Main input: amount, destination_identifier, reference.
     *
     * @param array<string, mixed> $input
     * @return array<string, mixed>
     */
    public function createProviderPesa(array $input, ?string $idempotencyKey = null, ?float $timeout = null): array
    {
        return $this->requester->change('POST', '/v1/disbursements/provider-pesa', $input, $idempotencyKey, $timeout);
    }

    /**
     * Submits a payout to a bank account. Main input: amount, destination_identifier, destination_code, bank_name, reference.
     *
     * @param array<string, mixed> $input
     * @return array<string, mixed>
     */
    public function createBankAccount(array $input, ?string $idempotencyKey = null, ?float $timeout = null): array
    {
        return $this->requester->change('POST', '/v1/disbursements/bank-account', $input, $idempotencyKey, $timeout);
    }

    /**
     * Returns a payout with its history.
     *
     * @return array<string, mixed>
     */
    public function get(string $disbursementId, ?float $timeout = null): array
    {
        return $this->requester->get('/v1/disbursements/' . Requester::segment($disbursementId, 'disbursementId'), [], $timeout);
    }

    /**
     * Yields all payouts, newest first, over all pages. Filters: status, method, reference, from, to, metadata.
     *
     * @param array<string, mixed> $filters
     * @return \Generator<int, array<string, mixed>>
     */
    public function list(array $filters = []): \Generator
    {
        return $this->pages('/v1/disbursements', $filters, 'id');
    }

    /**
     * Returns one page: items and pagination. Filters: page, page_size, status, method, reference, from, to, metadata.
     *
     * @param array<string, mixed> $filters
     * @return array<string, mixed>
     */
    public function listPage(array $filters = [], ?float $timeout = null): array
    {
        return $this->requester->get('/v1/disbursements', $filters, $timeout);
    }

    /**
     * Cancels a payout that no operator has approved.
     *
     * @return array<string, mixed>
     */
    public function cancel(string $disbursementId, ?string $idempotencyKey = null, ?float $timeout = null): array
    {
        $path = '/v1/disbursements/' . Requester::segment($disbursementId, 'disbursementId') . '/cancel';
        return $this->requester->change('POST', $path, [], $idempotencyKey, $timeout);
    }

    /**
     * Simulates the operator and the provider for a sandbox payout. Input: outcome (SUCCESS, FAILED, REJECTED, ...).
     *
     * @param array<string, mixed> $input
     * @return array<string, mixed>
     */
    public function simulate(
        string $disbursementId,
        array $input,
        ?string $idempotencyKey = null,
        ?float $timeout = null,
    ): array {
        $path = '/v1/sandbox/disbursements/' . Requester::segment($disbursementId, 'disbursementId') . '/simulate';
        return $this->requester->change('POST', $path, $input, $idempotencyKey, $timeout);
    }

    /**
     * Returns the daily payout limits of the merchant, and today's sum.
     *
     * @return array<string, mixed>
     */
    public function limits(?float $timeout = null): array
    {
        return $this->requester->get('/v1/merchant/payout-limits', [], $timeout);
    }
}
