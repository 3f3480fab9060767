<?php

declare(strict_types=1);

namespace Malipo\Resources;

use Malipo\Http\Requester;

/** Invoices to customers, each with a payment link. */
final class Invoices extends ApiResource
{
    /**
     * Creates a draft. Main input: customer_name, customer_phone or customer_email, due_date, items, note, language.
     *
     * @param array<string, mixed> $input
     * @return array<string, mixed>
     */
    public function create(array $input, ?string $idempotencyKey = null, ?float $timeout = null): array
    {
        return $this->requester->change('POST', '/v1/invoices', $input, $idempotencyKey, $timeout);
    }

    /**
     * Returns an invoice with its current status.
     *
     * @return array<string, mixed>
     */
    public function get(string $invoiceId, ?float $timeout = null): array
    {
        return $this->requester->get('/v1/invoices/' . Requester::segment($invoiceId, 'invoiceId'), [], $timeout);
    }

    /**
     * Yields all invoices, newest first, over all pages. Filters: status, metadata.
     *
     * @param array<string, mixed> $filters
     * @return \Generator<int, array<string, mixed>>
     */
    public function list(array $filters = []): \Generator
    {
        return $this->pages('/v1/invoices', $filters, 'id');
    }

    /**
     * Returns one page: items and pagination. Filters: page, page_size, status, metadata.
     *
     * @param array<string, mixed> $filters
     * @return array<string, mixed>
     */
    public function listPage(array $filters = [], ?float $timeout = null): array
    {
        return $this->requester->get('/v1/invoices', $filters, $timeout);
    }

    /**
     * Changes an invoice that is still a draft.
     *
     * @param array<string, mixed> $input
     * @return array<string, mixed>
     */
    public function update(string $invoiceId, array $input, ?string $idempotencyKey = null, ?float $timeout = null): array
    {
        $path = '/v1/invoices/' . Requester::segment($invoiceId, 'invoiceId');
        return $this->requester->change('PATCH', $path, $input, $idempotencyKey, $timeout);
    }

    /**
     * Sends the invoice to the phone and to the e-mail address of the customer, as far as the invoice has them.
     *
     * @return array<string, mixed>
     */
    public function send(string $invoiceId, ?string $idempotencyKey = null, ?float $timeout = null): array
    {
        $path = '/v1/invoices/' . Requester::segment($invoiceId, 'invoiceId') . '/send';
        return $this->requester->change('POST', $path, [], $idempotencyKey, $timeout);
    }

    /**
     * Cancels an invoice that no payer has paid.
     *
     * @return array<string, mixed>
     */
    public function cancel(string $invoiceId, ?string $idempotencyKey = null, ?float $timeout = null): array
    {
        $path = '/v1/invoices/' . Requester::segment($invoiceId, 'invoiceId') . '/cancel';
        return $this->requester->change('POST', $path, [], $idempotencyKey, $timeout);
    }

    /**
     * Creates the payment link of the invoice. If the invoice has an active link, returns that link.
     *
     * @return array<string, mixed>
     */
    public function createPaymentLink(string $invoiceId, ?string $idempotencyKey = null, ?float $timeout = null): array
    {
        $path = '/v1/invoices/' . Requester::segment($invoiceId, 'invoiceId') . '/payment-link';
        return $this->requester->change('POST', $path, [], $idempotencyKey, $timeout);
    }

    /**
     * Returns the CSV file of invoices. The whole file is in memory.
     *
     * @param array<string, mixed> $filters
     */
    public function export(array $filters = [], ?float $timeout = null): string
    {
        return $this->requester->file('/v1/invoices/export.csv', $filters, $timeout);
    }
}
