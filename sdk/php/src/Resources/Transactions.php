<?php

declare(strict_types=1);

namespace Malipo\Resources;

use Malipo\Http\Requester;

/** The transactions of the merchant: each change of the balance. */
final class Transactions extends ApiResource
{
    /**
     * Returns a transaction by its reference (TXN-...).
     *
     * @return array<string, mixed>
     */
    public function get(string $reference, ?float $timeout = null): array
    {
        return $this->requester->get('/v1/transactions/' . Requester::segment($reference, 'reference'), [], $timeout);
    }

    /**
     * Yields all transactions, newest first, over all pages. Filters: type, from, to.
     *
     * @param array<string, mixed> $filters
     * @return \Generator<int, array<string, mixed>>
     */
    public function list(array $filters = []): \Generator
    {
        return $this->pages('/v1/merchants/me/transactions', $filters, 'reference');
    }

    /**
     * Returns one page: items and pagination. Filters: page, page_size, type, from, to.
     *
     * @param array<string, mixed> $filters
     * @return array<string, mixed>
     */
    public function listPage(array $filters = [], ?float $timeout = null): array
    {
        return $this->requester->get('/v1/merchants/me/transactions', $filters, $timeout);
    }

    /**
     * Returns the CSV file of transactions. The whole file is in memory.
     *
     * @param array<string, mixed> $filters
     */
    public function export(array $filters = [], ?float $timeout = null): string
    {
        return $this->requester->file('/v1/merchants/me/transactions/export', $filters, $timeout);
    }

    /**
     * Returns the statement of a month (2026-01) or a day (2026-01-31).
     *
     * @return array<string, mixed>
     */
    public function statement(string $period, ?float $timeout = null): array
    {
        $path = '/v1/merchants/me/statements/' . Requester::segment($period, 'period');
        return $this->requester->get($path, [], $timeout);
    }

    /**
     * Returns the statement as a file. Filter: format (csv).
     *
     * @param array<string, mixed> $filters
     */
    public function statementFile(string $period, array $filters = ['format' => 'csv'], ?float $timeout = null): string
    {
        $path = '/v1/merchants/me/statements/' . Requester::segment($period, 'period');
        return $this->requester->file($path, $filters, $timeout);
    }
}
