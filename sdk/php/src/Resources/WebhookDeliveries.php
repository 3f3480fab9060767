<?php

declare(strict_types=1);

namespace Malipo\Resources;

use Malipo\Http\Requester;

/** The deliveries of webhooks, with their attempts. */
final class WebhookDeliveries extends ApiResource
{
    /**
     * Returns a delivery with its payload and attempts.
     *
     * @return array<string, mixed>
     */
    public function get(string $deliveryId, ?float $timeout = null): array
    {
        return $this->requester->get('/v1/merchant/webhook-deliveries/' . Requester::segment($deliveryId, 'deliveryId'), [], $timeout);
    }

    /**
     * Yields all deliveries, newest first, over all pages. Filters: status, event, endpoint_id, from, to.
     *
     * @param array<string, mixed> $filters
     * @return \Generator<int, array<string, mixed>>
     */
    public function list(array $filters = []): \Generator
    {
        return $this->pages('/v1/merchant/webhook-deliveries', $filters, 'id');
    }

    /**
     * Returns one page: items and pagination. Filters: page, page_size, status, event, endpoint_id, from, to.
     *
     * @param array<string, mixed> $filters
     * @return array<string, mixed>
     */
    public function listPage(array $filters = [], ?float $timeout = null): array
    {
        return $this->requester->get('/v1/merchant/webhook-deliveries', $filters, $timeout);
    }

    /**
     * Queues one more attempt of a delivery, with the same id and bytes.
     *
     * @return array<string, mixed>
     */
    public function replay(string $deliveryId, ?string $idempotencyKey = null, ?float $timeout = null): array
    {
        $path = '/v1/merchant/webhook-deliveries/' . Requester::segment($deliveryId, 'deliveryId') . '/replay';
        return $this->requester->change('POST', $path, [], $idempotencyKey, $timeout);
    }

    /**
     * Queues one more attempt of the deliveries of a period. Input: since, until, event, endpoint_id, status.
     *
     * @param array<string, mixed> $input
     * @return array<string, mixed>
     */
    public function replayAll(array $input, ?string $idempotencyKey = null, ?float $timeout = null): array
    {
        return $this->requester->change('POST', '/v1/merchant/webhook-deliveries/replay', $input, $idempotencyKey, $timeout);
    }
}
