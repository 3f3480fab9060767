<?php

declare(strict_types=1);

namespace Malipo\Resources;

use Malipo\Http\Requester;

/** The endpoints that receive webhooks, beside the default endpoint. */
final class WebhookEndpoints extends ApiResource
{
    /**
     * Adds an endpoint. Input: webhook_url, events, description. Store the secret of the answer, because no later answer has it.
     *
     * @param array<string, mixed> $input
     * @return array<string, mixed>
     */
    public function create(array $input, ?string $idempotencyKey = null, ?float $timeout = null): array
    {
        return $this->requester->changeWithSecret('POST', '/v1/merchant/webhook-endpoints', $input, $idempotencyKey, $timeout);
    }

    /**
     * Returns an endpoint, without its secret.
     *
     * @return array<string, mixed>
     */
    public function get(string $endpointId, ?float $timeout = null): array
    {
        return $this->requester->get('/v1/merchant/webhook-endpoints/' . Requester::segment($endpointId, 'endpointId'), [], $timeout);
    }

    /**
     * Returns all endpoints, and the greatest allowed number of endpoints (limit).
     *
     * @return array{items: list<array<string, mixed>>, limit: int}
     */
    public function list(?float $timeout = null): array
    {
        return $this->requester->get('/v1/merchant/webhook-endpoints', [], $timeout);
    }

    /**
     * Changes webhook_url, events or description.
     *
     * @param array<string, mixed> $input
     * @return array<string, mixed>
     */
    public function update(string $endpointId, array $input, ?string $idempotencyKey = null, ?float $timeout = null): array
    {
        $path = '/v1/merchant/webhook-endpoints/' . Requester::segment($endpointId, 'endpointId');
        return $this->requester->change('PATCH', $path, $input, $idempotencyKey, $timeout);
    }

    /**
     * Makes a new secret, and returns it. For 24 hours, the server signs with the old secret too.
     *
     * @return array<string, mixed>
     */
    public function rotateSecret(string $endpointId, ?string $idempotencyKey = null, ?float $timeout = null): array
    {
        $path = '/v1/merchant/webhook-endpoints/' . Requester::segment($endpointId, 'endpointId');
        return $this->requester->changeWithSecret('PATCH', $path, ['rotate_secret' => true], $idempotencyKey, $timeout);
    }

    /**
     * Sends a test delivery to the endpoint.
     *
     * @return array<string, mixed>
     */
    public function test(string $endpointId, ?string $idempotencyKey = null, ?float $timeout = null): array
    {
        $path = '/v1/merchant/webhook-endpoints/' . Requester::segment($endpointId, 'endpointId') . '/test';
        return $this->requester->change('POST', $path, [], $idempotencyKey, $timeout);
    }

    /**
     * Deletes an endpoint. The server sends it no more webhooks.
     *
     * @return array<string, mixed>
     */
    public function delete(string $endpointId, ?string $idempotencyKey = null, ?float $timeout = null): array
    {
        $path = '/v1/merchant/webhook-endpoints/' . Requester::segment($endpointId, 'endpointId');
        return $this->requester->change('DELETE', $path, [], $idempotencyKey, $timeout);
    }
}
