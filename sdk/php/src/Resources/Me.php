<?php

declare(strict_types=1);

namespace Malipo\Resources;

/** The API key of the client, and its merchant. */
final class Me extends ApiResource
{
    /**
     * Returns the merchant, the environment and the scopes of the key. This call also tests the connection.
     *
     * @return array<string, mixed>
     */
    public function get(?float $timeout = null): array
    {
        return $this->requester->get('/v1/me', [], $timeout);
    }
}
