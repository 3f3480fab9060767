<?php

/**
 * Plugin Name: Malipo for WooCommerce
 * Description: Takes payments by mobile money, wallet and QR code in Tanzanian shillings, on the hosted page of a Malipo server.
 * Version: 0.2.0
 * Requires at least: 6.1
 * Requires PHP: 8.1
 * License: MIT
 * Text Domain: malipo-for-woocommerce
 */

declare(strict_types=1);

namespace Malipo\WooCommerce;

defined('ABSPATH') || exit;

// In the package, the folder of the plugin contains the SDK. In a checkout of the sources, the SDK is beside the plugin.
require_once is_dir(__DIR__ . '/malipo-php') ? __DIR__ . '/malipo-php/autoload.php' : dirname(__DIR__, 2) . '/php/src/autoload.php';
require_once __DIR__ . '/includes/texts.php';
require_once __DIR__ . '/includes/amounts.php';
require_once __DIR__ . '/includes/OrderUpdates.php';
require_once __DIR__ . '/includes/Shop.php';

add_action('before_woocommerce_init', static function (): void {
    if (class_exists(\Automattic\WooCommerce\Utilities\FeaturesUtil::class)) {
        // The plugin uses only the methods of WC_Order, so it works with both storages of orders. It has no block of the checkout.
        \Automattic\WooCommerce\Utilities\FeaturesUtil::declare_compatibility('custom_order_tables', __FILE__, true);
        \Automattic\WooCommerce\Utilities\FeaturesUtil::declare_compatibility('cart_checkout_blocks', __FILE__, false);
    }
});

add_action('plugins_loaded', static function (): void {
    add_filter('gettext_malipo-for-woocommerce', translate(...), 10, 2);
    if (!class_exists('WC_Payment_Gateway')) {
        add_action('admin_notices', static function (): void {
            $text = __('Malipo for WooCommerce needs WooCommerce: install and activate it.', 'malipo-for-woocommerce');
            echo '<div class="notice notice-error"><p>' . esc_html($text) . '</p></div>';
        });
        return;
    }
    require_once __DIR__ . '/includes/Gateway.php';
    require_once __DIR__ . '/includes/SettingsActions.php';
    add_filter('woocommerce_payment_gateways', static fn (array $gateways): array => [...$gateways, Gateway::class]);
    Shop::addHooks();
    SettingsActions::addHooks();
});

register_deactivation_hook(__FILE__, static fn () => wp_clear_scheduled_hook('malipo_check_open_orders'));
