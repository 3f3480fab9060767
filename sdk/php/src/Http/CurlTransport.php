<?php

declare(strict_types=1);

namespace Malipo\Http;

/** The default transport, which uses curl. One handle keeps the connection open between calls. */
final class CurlTransport implements Transport
{
    private const CONNECT_SECONDS_MAX = 10.0;

    /** The errors before a connection opens: no address, no connection, no TLS, a wrong certificate. */
    private const NOT_SENT = [
        CURLE_COULDNT_RESOLVE_PROXY,
        CURLE_COULDNT_RESOLVE_HOST,
        CURLE_COULDNT_CONNECT,
        CURLE_SSL_CONNECT_ERROR,
        CURLE_SSL_PEER_CERTIFICATE,
        CURLE_SSL_CACERT,
    ];

    private ?\CurlHandle $handle = null;

    public function send(Request $request): Response
    {
        $this->handle ??= curl_init() ?: throw new TransportException('curl does not start', false);
        curl_reset($this->handle);
        $headers = [];
        $options = [
            CURLOPT_URL => $request->url,
            CURLOPT_CUSTOMREQUEST => $request->method,
            CURLOPT_HTTPHEADER => $this->headerLines($request),
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            // Without this option, curl would shorten a path such as /v1/collections/.. and call another endpoint.
            CURLOPT_PATH_AS_IS => true,
            CURLOPT_NOSIGNAL => true,
            CURLOPT_ENCODING => '',
            CURLOPT_TIMEOUT_MS => max(1, (int) ceil($request->timeout * 1000)),
            CURLOPT_CONNECTTIMEOUT_MS => max(1, (int) ceil(min($request->timeout, self::CONNECT_SECONDS_MAX) * 1000)),
            CURLOPT_HEADERFUNCTION => static function ($handle, string $line) use (&$headers): int {
                if (str_starts_with($line, 'HTTP/')) {
                    $headers = [];
                } elseif (str_contains($line, ':')) {
                    [$name, $value] = explode(':', $line, 2);
                    $headers[strtolower(trim($name))] = trim($value);
                }
                return strlen($line);
            },
        ];
        if ($request->body !== null) {
            $options[CURLOPT_POSTFIELDS] = $request->body;
        }
        curl_setopt_array($this->handle, $options);
        $body = curl_exec($this->handle);
        if (!is_string($body)) {
            $wasSent = !in_array(curl_errno($this->handle), self::NOT_SENT, true);
            throw new TransportException(curl_error($this->handle), $wasSent);
        }
        return new Response((int) curl_getinfo($this->handle, CURLINFO_RESPONSE_CODE), $headers, $body);
    }

    /** @return list<string> */
    private function headerLines(Request $request): array
    {
        // Without an empty Expect header, curl waits a second before it sends a long body.
        $lines = ['Expect:'];
        foreach ($request->headers as $name => $value) {
            $lines[] = "$name: $value";
        }
        return $lines;
    }
}
