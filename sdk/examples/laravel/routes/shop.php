<?php

// A shop with one product: the customer pays on the hosted page, and only a verified webhook marks the order as paid.

use Illuminate\Http\Request;
use Illuminate\Support\Facades\DB;
use Illuminate\Support\Facades\Route;
use Malipo\Client;

const PRICE = '25000.00';

Route::middleware('web')->group(function () {
    Route::get('/', fn () => '<form method="post" action="/orders"><input type="hidden" name="_token" value="' . csrf_token() . '">'
        . 'Kanga: TZS ' . PRICE . ' <button>Lipa / Pay</button></form>');

    Route::post('/orders', function (Client $malipo) {
        // The order exists before the payment, so that a webhook always finds the order.
        $order = DB::table('orders')->insertGetId(['amount' => PRICE, 'currency' => 'TZS', 'status' => 'pending']);
        $payment = $malipo->collections->create([
            'amount' => PRICE,
            'reference' => "ORDER-$order",
            'redirect_url' => url("/orders/$order"),
            'cancel_url' => url('/'),
        ], idempotencyKey: "order-$order");
        DB::table('orders')->where('id', $order)->update(['collection_id' => $payment['collection_id']]);
        return redirect()->away($payment['payment_url']);
    });

    // The return of the customer is no proof of a payment, so this page shows the status that the webhooks have set.
    Route::get('/orders/{id}', fn (int $id) => 'Order ' . DB::table('orders')->where('id', $id)->value('status'));
});

// This route is outside the group web, because a webhook has no CSRF token. The middleware answers 401 to an invalid webhook.
Route::post('/webhooks/malipo', function (Request $request) {
    $event = $request->attributes->get('malipo_event');
    $isRehearsal = isset($event['test']) || (isset($event['sandbox']) && app()->environment('production'));
    if ($isRehearsal || !isset($event['collection_id'])) {
        return response('ignored');
    }
    $order = DB::table('orders')->where('id', (int) substr((string) $event['reference'], strlen('ORDER-')));
    // If the payer paid another amount than requested, the event has amount_received.
    $received = $event['amount_received'] ?? $event['amount'];
    $isOurs = (clone $order)->where('amount', $received)->where('currency', $event['currency'])
        // Null means that the webhook arrived before the answer to the shop.
        ->where(fn ($same) => $same->whereNull('collection_id')->orWhere('collection_id', $event['collection_id']))->exists();
    if (!$isOurs) {
        report(new RuntimeException("Malipo event {$event['collection_id']} fits no order: compare its amount and reference"));
    } elseif ($event['event'] === 'collection.success') {
        // Only the first delivery changes the status, so a repeated delivery ships nothing. A reversed order stays on hold.
        if ((clone $order)->where('status', 'pending')->update(['status' => 'paid']) === 1) {
            logger()->info("Ship {$event['reference']}");
        }
    } elseif ($event['event'] === 'collection.reversed') {
        (clone $order)->update(['status' => 'on hold']);
    }
    return response('ok');
})->middleware('malipo.webhook');
