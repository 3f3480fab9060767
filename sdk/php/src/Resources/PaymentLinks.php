<?php

declare(strict_types=1);

namespace Malipo\Resources;

use Malipo\Http\Requester;

/** Links to a page that takes one payment of a fixed amount. */
final class PaymentLinks extends ApiResource
{
    /**
     * Creates a link. Send its public_url to the customer. Main input: amount, description, reference, expires_at.
     *
     * @param array<string, mixed> $input
     * @return array<string, mixed>
     */
    public function create(array $input, ?string $idempotencyKey = null, ?float $timeout = null): array
    {
        return $this->requester->change('POST', '/v1/payment-links', $input, $idempotencyKey, $timeout);
    }

    /**
     * Returns a link with its current status.
     *
     * @return array<string, mixed>
     */
    public function get(string $linkId, ?float $timeout = null): array
    {
        return $this->requester->get('/v1/payment-links/' . Requester::segment($linkId, 'linkId'), [], $timeout);
    }

    /**
     * Yields all links, newest first, over all pages. Filters: status, from, to, metadata.
     *
     * @param array<string, mixed> $filters
     * @return \Generator<int, array<string, mixed>>
     */
    public function list(array $filters = []): \Generator
    {
        return $this->pages('/v1/payment-links', $filters, 'id');
    }

    /**
     * Returns one page: items and pagination. Filters: page, page_size, status, from, to, metadata.
     *
     * @param array<string, mixed> $filters
     * @return array<string, mixed>
     */
    public function listPage(array $filters = [], ?float $timeout = null): array
    {
        return $this->requester->get('/v1/payment-links', $filters, $timeout);
    }

    /**
     * Cancels a link that no payer has paid.
     *
     * @return array<string, mixed>
     */
    public function cancel(string $linkId, ?string $idempotencyKey = null, ?float $timeout = null): array
    {
        $path = '/v1/payment-links/' . Requester::segment($linkId, 'linkId') . '/cancel';
        return $this->requester->change('POST', $path, [], $idempotencyKey, $timeout);
    }

    /**
     * Yields the payments of a link, newest first, over all pages, also the failed ones.
     *
     * @param array<string, mixed> $filters
     * @return \Generator<int, array<string, mixed>>
     */
    public function listCollections(string $linkId, array $filters = []): \Generator
    {
        $path = '/v1/payment-links/' . Requester::segment($linkId, 'linkId') . '/collections';
        return $this->pages($path, $filters, 'collection_id');
    }

    /**
     * Returns a PDF poster of the link. Filter: language (sw or en).
     *
     * @param array<string, mixed> $filters
     */
    public function poster(string $linkId, array $filters = [], ?float $timeout = null): string
    {
        $path = '/v1/payment-links/' . Requester::segment($linkId, 'linkId') . '/poster.pdf';
        return $this->requester->file($path, $filters, $timeout);
    }

    /**
     * Returns the CSV file of links. The whole file is in memory.
     *
     * @param array<string, mixed> $filters
     */
    public function export(array $filters = [], ?float $timeout = null): string
    {
        return $this->requester->file('/v1/payment-links/export.csv', $filters, $timeout);
    }
}
