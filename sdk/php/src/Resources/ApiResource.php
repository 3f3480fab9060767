<?php

declare(strict_types=1);

namespace Malipo\Resources;

use Malipo\Http\Requester;

/** The calls that the resources share. */
abstract class ApiResource
{
    private const PAGE_SIZE = 100;

    final public function __construct(protected readonly Requester $requester)
    {
    }

    /**
     * Yields the records of all pages. A record that moves to the next page while the loop runs is yielded once.
     *
     * @param array<string, mixed> $filters
     * @return \Generator<int, array<string, mixed>>
     */
    protected function pages(string $path, array $filters, string $id): \Generator
    {
        if (isset($filters['page'])) {
            throw new \InvalidArgumentException('list() reads all pages and takes no page: use listPage() for one page.');
        }
        $before = [];
        for ($page = 1; ; $page++) {
            $found = $this->requester->get($path, ['page' => $page] + $filters + ['page_size' => self::PAGE_SIZE]);
            $now = [];
            foreach ($found['items'] as $item) {
                $now[$item[$id]] = true;
                if (!isset($before[$item[$id]])) {
                    yield $item;
                }
            }
            if ($page >= $found['pagination']['total_pages'] || $found['items'] === []) {
                return;
            }
            $before = $now;
        }
    }
}
