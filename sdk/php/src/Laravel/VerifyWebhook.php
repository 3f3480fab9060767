<?php

declare(strict_types=1);

namespace Malipo\Laravel;

use Closure;
use Illuminate\Http\Request;
use Illuminate\Http\Response;
use Malipo\Exceptions\WebhookSignatureException;
use Malipo\Webhook;

/**
 * The middleware `malipo.webhook`: answers 401 to a request that is no valid webhook. The route reads the verified event with
 * `$request->attributes->get('malipo_event')`, and the id of the delivery with `malipo_event_id`.
 */
final class VerifyWebhook
{
    public function handle(Request $request, Closure $next): mixed
    {
        $secret = config('malipo.webhook_secret');
        if (!is_string($secret) || $secret === '') {
            throw new \InvalidArgumentException('Set MALIPO_WEBHOOK_SECRET in .env, then run php artisan config:clear.');
        }
        $headers = $request->headers->all();
        try {
            $event = Webhook::verify($request->getContent(), $headers, $secret, (int) config('malipo.webhook_tolerance'));
        } catch (WebhookSignatureException $refusal) {
            return new Response($refusal->getMessage(), 401);
        }
        $request->attributes->set('malipo_event', $event);
        $request->attributes->set('malipo_event_id', Webhook::id($headers));
        return $next($request);
    }
}
