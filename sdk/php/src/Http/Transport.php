<?php

declare(strict_types=1);

namespace Malipo\Http;

/** Sends single requests. Implement this interface to use the HTTP client of your framework. */
interface Transport
{
    /**
     * Sends one request, without a retry and without following a redirect, which could send the API key to another host.
     *
     * @throws TransportException If no complete response arrives in time.
     */
    public function send(Request $request): Response;
}
