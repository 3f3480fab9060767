<?php

// Pays one order of the stub several times at the checkout, each time with another total, and prints the results as JSON.
// checkout.test.ts checks them.

declare(strict_types=1);

use Malipo\WooCommerce\Gateway;

define('WP_CONTENT_DIR', sys_get_temp_dir());

$input = json_decode(stream_get_contents(STDIN), true, flags: JSON_THROW_ON_ERROR);
$settings = ['url' => $input['base_url'], 'api_key' => 'service_sandbox_abcdefgh', 'webhook_secret' => 'whsec_secret'];

function __(string $text, string $domain): string { return $text; }
function esc_html(string $text): string { return $text; }
function add_action(string $name, callable|array $action, int $order = 10): void {}
function add_filter(string $name, callable|array $filter): void {}
function get_option(string $name, mixed $default = false): mixed { return $GLOBALS['settings']; }
function get_bloginfo(string $name): string { return 'Duka la Asha'; }
function home_url(string $path = ''): string { return "https://shop.example$path"; }
function rest_url(string $path): string { return home_url("/wp-json/$path"); }
function wp_json_encode(mixed $value): string { return json_encode($value, JSON_THROW_ON_ERROR); }
function wp_specialchars_decode(string $text, int $flags): string { return $text; }

require dirname(__DIR__, 2) . '/php/src/autoload.php';
require __DIR__ . '/stub/woocommerce.php';
foreach (['amounts', 'OrderUpdates', 'Shop', 'Gateway'] as $name) {
    require dirname(__DIR__) . "/malipo-for-woocommerce/includes/$name.php";
}

$gateway = new Gateway();
$seen = [];
foreach ($input['totals'] as $total) {
    // An edit of the order keeps its metadata and notes.
    (new WC_Order(7, ['total' => $total] + (WC_Order::$memory[7] ?? ['meta' => $input['meta'] ?? []])))->save();
    $GLOBALS['stub_notices'] = [];
    $result = $gateway->process_payment(7);
    $seen[] = $result['redirect'] ?? $GLOBALS['stub_notices'];
}
echo json_encode(['seen' => $seen] + WC_Order::load(7)->facts(), JSON_THROW_ON_ERROR);
