<?php

declare(strict_types=1);

namespace Malipo\Resources;

/** The balance of the merchant in the environment of the key. */
final class Balance extends ApiResource
{
    /**
     * Returns available, reserved, held and currency.
     *
     * @return array<string, mixed>
     */
    public function get(?float $timeout = null): array
    {
        return $this->requester->get('/v1/balance', [], $timeout);
    }
}
