<?php

// Prints the waits in seconds before the retries of calls that fail, one list for each Retry-After of $argv[2]. Null means
// that the answers have no Retry-After. The waits take no time.

declare(strict_types=1);

namespace Malipo\Http {
    /** @var list<float> */
    $waits = [];

    // The SDK calls these functions without a namespace, so PHP uses them instead of its own.
    function usleep(int $microseconds): void
    {
        $GLOBALS['waits'][] = $microseconds / 1_000_000;
    }

    function lcg_value(): float
    {
        return 0.28;
    }
}

namespace {
    use Malipo\Http\Request;
    use Malipo\Http\Requester;
    use Malipo\Http\Response;
    use Malipo\Http\Transport;

    require $argv[1];

    $all = [];
    foreach (json_decode($argv[2], true, flags: JSON_THROW_ON_ERROR) as $retryAfter) {
        $transport = new class ($retryAfter === null ? [] : ['retry-after' => $retryAfter]) implements Transport {
            /** @param array<string, string> $headers */
            public function __construct(private readonly array $headers)
            {
            }

            public function send(Request $request): Response
            {
                return new Response(503, $this->headers, '');
            }
        };
        $waits = [];
        try {
            (new Requester('https://api.example.com', 'sandbox', [], 1.0, 10, $transport))->get('/v1/me');
        } catch (\Malipo\Exceptions\MalipoException) {
            $all[] = array_values(array_unique($waits, SORT_REGULAR));
        }
    }
    echo json_encode($all, JSON_THROW_ON_ERROR);
}
