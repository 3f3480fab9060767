<?php

// Applies statuses of payments to orders of the stub, and prints the orders as JSON. order-updates.test.ts checks the orders.

declare(strict_types=1);

use Malipo\WooCommerce\OrderUpdates;

require __DIR__ . '/stub/classes.php';
require dirname(__DIR__) . '/malipo-for-woocommerce/includes/amounts.php';
require dirname(__DIR__) . '/malipo-for-woocommerce/includes/OrderUpdates.php';

function __(string $text, string $domain): string
{
    return $text;
}

function wp_json_encode(mixed $value): string
{
    return json_encode($value, JSON_THROW_ON_ERROR);
}

$cases = json_decode(stream_get_contents(STDIN), true, flags: JSON_THROW_ON_ERROR);
$seen = [];
foreach ($cases as $number => ['order' => $data, 'facts' => $all]) {
    (new WC_Order($number, $data))->save();
    $results = [];
    foreach ($all as $facts) {
        // In a shop, each webhook runs in a separate process, which reads the order again.
        $results[] = OrderUpdates::apply(WC_Order::load($number), $facts);
    }
    $seen[] = ['results' => $results] + WC_Order::load($number)->facts();
}
echo json_encode($seen, JSON_THROW_ON_ERROR);
