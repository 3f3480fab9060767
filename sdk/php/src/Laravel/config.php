<?php

// The configuration of Malipo: php artisan vendor:publish --tag=malipo-config copies this file to config/malipo.php.

declare(strict_types=1);

return [
    // The address of the server, without /v1.
    'url' => env('MALIPO_URL', ''),
    'api_key' => env('MALIPO_API_KEY', ''),
    // The signing secret of your webhook endpoint (whsec_...). During a rotation, the server signs with the old and the new
    // secret, so either secret is valid.
    'webhook_secret' => env('MALIPO_WEBHOOK_SECRET', ''),
    // The largest difference in seconds between the time of a webhook and the clock of this server.
    'webhook_tolerance' => 300,
    // The seconds that one attempt of a call may take.
    'timeout' => 20.0,
    // The language of failure_reason_message: sw or en.
    'language' => env('MALIPO_LANGUAGE', 'en'),
];
