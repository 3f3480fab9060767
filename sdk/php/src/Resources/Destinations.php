<?php

declare(strict_types=1);

namespace Malipo\Resources;

/** The networks and banks that receive payouts. */
final class Destinations extends ApiResource
{
    /**
     * Returns the destinations. Filter: method (MOBILE_MONEY, BANK_ACCOUNT or PROVIDER_PESA).
     *
     * @param array<string, mixed> $filters
     * @return array{items: list<array<string, mixed>>}
     */
    public function list(array $filters = [], ?float $timeout = null): array
    {
        return $this->requester->get('/v1/destinations', $filters, $timeout);
    }
}
