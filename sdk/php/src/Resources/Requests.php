<?php

declare(strict_types=1);

namespace Malipo\Resources;

/** The API requests with the keys of the merchant. The key needs the scope requests:read. */
final class Requests extends ApiResource
{
    /**
     * Yields all requests, newest first, over all pages, without their bodies. Filters: status, from, to.
     *
     * @param array<string, mixed> $filters
     * @return \Generator<int, array<string, mixed>>
     */
    public function list(array $filters = []): \Generator
    {
        return $this->pages('/v1/requests', $filters, 'id');
    }

    /**
     * Returns one page: items and pagination. Filters: page, page_size, status, from, to.
     *
     * @param array<string, mixed> $filters
     * @return array<string, mixed>
     */
    public function listPage(array $filters = [], ?float $timeout = null): array
    {
        return $this->requester->get('/v1/requests', $filters, $timeout);
    }
}
