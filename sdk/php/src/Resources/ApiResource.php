<?php

declare(strict_types=1);

namespace Malipo\Resources;

use Malipo\Http\Requester;

/** The base of every resource: it sends the calls, and reads lists page by page. */
abstract class ApiResource
{
    private const PAGE_SIZE = 100;
    /** The greatest number of record ids that a loop keeps, so that its memory stays small. */
    private const IDS_MAX = 1_000;

    final public function __construct(protected readonly Requester $requester)
    {
    }

    /**
     * Yields the records of all pages. If a record moves to the next page during the loop, the loop still yields it once.
     *
     * @param array<string, mixed> $filters
     * @return \Generator<int, array<string, mixed>>
     */
    protected function pages(string $path, array $filters, string $id): \Generator
    {
        $seen = [];
        for ($page = (int) ($filters['page'] ?? 1); ; $page++) {
            $found = $this->requester->get($path, ['page' => $page] + $filters + ['page_size' => self::PAGE_SIZE]);
            foreach ($found['items'] as $item) {
                if (isset($seen[$item[$id]])) {
                    continue;
                }
                $seen[$item[$id]] = true;
                if (count($seen) > self::IDS_MAX) {
                    unset($seen[array_key_first($seen)]);
                }
                yield $item;
            }
            if ($page >= $found['pagination']['total_pages']) {
                return;
            }
        }
    }
}
