<?php

declare(strict_types=1);

namespace Malipo\Resources;

/** The caller. */
final class Me extends ApiResource
{
    /**
     * Returns the merchant, the environment and the scopes of the key: a test of the connection.
     *
     * @return array<string, mixed>
     */
    public function get(?float $timeout = null): array
    {
        return $this->requester->get('/v1/me', [], $timeout);
    }
}
