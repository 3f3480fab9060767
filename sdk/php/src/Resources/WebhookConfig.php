<?php

declare(strict_types=1);

namespace Malipo\Resources;

/** The default webhook endpoint of the merchant. */
final class WebhookConfig extends ApiResource
{
    /**
     * Returns webhook_url, events and the last four characters of the secret.
     *
     * @return array<string, mixed>
     */
    public function get(?float $timeout = null): array
    {
        return $this->requester->get('/v1/merchant/webhook-config', [], $timeout);
    }

    /**
     * Sets webhook_url and events. Store the secret of the first answer, because no later answer has it.
     *
     * @param array<string, mixed> $input
     * @return array<string, mixed>
     */
    public function update(array $input, ?string $idempotencyKey = null, ?float $timeout = null): array
    {
        return $this->requester->change('PATCH', '/v1/merchant/webhook-config', $input, $idempotencyKey, $timeout);
    }

    /**
     * Makes a new secret, and returns it. For 24 hours, the server signs with the old secret too.
     *
     * @return array<string, mixed>
     */
    public function rotateSecret(?string $idempotencyKey = null, ?float $timeout = null): array
    {
        $input = ['rotate_secret' => true];
        return $this->requester->changeWithSecret('PATCH', '/v1/merchant/webhook-config', $input, $idempotencyKey, $timeout);
    }

    /**
     * Sends a test delivery to the endpoint.
     *
     * @return array<string, mixed>
     */
    public function test(?string $idempotencyKey = null, ?float $timeout = null): array
    {
        return $this->requester->change('POST', '/v1/merchant/webhook-config/test', [], $idempotencyKey, $timeout);
    }
}
