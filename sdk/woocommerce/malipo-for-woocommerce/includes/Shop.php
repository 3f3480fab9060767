<?php

declare(strict_types=1);

namespace Malipo\WooCommerce;

use Malipo\Client;
use Malipo\Exceptions\MalipoException;
use Malipo\Exceptions\WebhookSignatureException;
use Malipo\Webhook;

/** Receives webhooks, and queries the server about orders whose webhook may be lost. */
final class Shop
{
    private const LOCK_SECONDS = 10;
    private const CHECK_SECONDS = 900;
    /**
     * The age in days up to which the shop queries an order. By default, the server ends an unanswered payment after three
     * days.
     */
    private const OPEN_DAYS_MAX = 4;
    private const CHECKS_MAX = 50;

    public static function addHooks(): void
    {
        add_action('rest_api_init', static function (): void {
            register_rest_route('malipo/v1', '/webhook', [
                'methods' => 'POST',
                'callback' => self::receive(...),
                // WordPress checks no permission here, because the plugin verifies the signature of the webhook.
                'permission_callback' => '__return_true',
            ]);
        });
        // phpcs:ignore WordPress.WP.CronInterval
        add_filter('cron_schedules', static fn (array $known): array =>
            $known + ['malipo_15_minutes' => ['interval' => self::CHECK_SECONDS, 'display' => 'Malipo']]);
        add_action('malipo_check_open_orders', self::checkOpenOrders(...));
        add_action('init', static function (): void {
            if (!wp_next_scheduled('malipo_check_open_orders')) {
                wp_schedule_event(time() + self::CHECK_SECONDS, 'malipo_15_minutes', 'malipo_check_open_orders');
            }
        });
        add_action('woocommerce_thankyou_malipo', static function ($orderId): void {
            // The return of the customer is no proof of a payment, so the shop queries the server.
            $order = wc_get_order($orderId);
            if ($order instanceof \WC_Order) {
                self::check($order);
            }
        });
    }

    /** Returns the address to which the server sends webhooks. */
    public static function webhookUrl(): string
    {
        return rest_url('malipo/v1/webhook');
    }

    /** @return array<string, mixed> The settings of the gateway. */
    public static function settings(): array
    {
        $stored = get_option('woocommerce_malipo_settings', []);
        return is_array($stored) ? $stored : [];
    }

    /** Returns a setting. If wp-config.php defines its constant, such as MALIPO_API_KEY, returns the constant instead. */
    public static function setting(string $name): string
    {
        $constant = 'MALIPO_' . strtoupper($name);
        $value = defined($constant) ? constant($constant) : (self::settings()[$name] ?? '');
        return is_string($value) ? trim($value) : '';
    }

    /** Makes the client. If a setting is wrong, throws an InvalidArgumentException that says what to correct. */
    public static function client(): Client
    {
        return new Client(self::setting('url'), self::setting('api_key'), timeout: 15.0);
    }

    /** Answers a webhook. If the webhook is not valid, the status is 401. If the shop has no usable secret, it is 503. */
    public static function receive(\WP_REST_Request $request): \WP_REST_Response
    {
        $secret = self::setting('webhook_secret');
        try {
            $event = Webhook::verify($request->get_body(), $_SERVER, $secret);
        } catch (WebhookSignatureException $refusal) {
            return new \WP_REST_Response(['result' => $refusal->getMessage()], 401);
        } catch (\InvalidArgumentException $mistake) {
            self::log('error', "The shop cannot verify the webhook: {$mistake->getMessage()}");
            return new \WP_REST_Response(['result' => 'The shop has no valid webhook secret. Register the webhook in the settings of the plugin.'], 503);
        }
        return new \WP_REST_Response(['result' => self::process($event)], 200);
    }

    /**
     * Applies a verified event to its order. Returns the result, which the answer to the server contains.
     *
     * @param array<string, mixed> $event
     */
    public static function process(array $event): string
    {
        $id = $event['collection_id'] ?? null;
        $isOfOtherWorld = isset($event['sandbox']) && self::environment() !== 'sandbox';
        if (isset($event['test']) || $isOfOtherWorld || !is_string($id)) {
            return 'ignored';
        }
        $orderId = $event['metadata']['order_id'] ?? $event['reference'] ?? '';
        $order = is_string($orderId) && ctype_digit($orderId) ? wc_get_order((int) $orderId) : false;
        if (!$order instanceof \WC_Order) {
            return 'no order';
        }
        return self::locked($order, static function (\WC_Order $order) use ($event, $id): string {
            // Another shop of the merchant may have the same order numbers. If a webhook arrives before the answer with the id of the
            // payment, only the metadata names the shop.
            $isOurs = OrderUpdates::belongs($order, $id) || ($event['metadata']['shop'] ?? null) === self::name();
            if (!$isOurs) {
                return 'of another shop';
            }
            return OrderUpdates::apply($order, [
                'collection_id' => $id,
                'status' => (string) $event['status'],
                // If the payer paid another amount than requested, the event has amount_received.
                'amount' => (string) ($event['amount_received'] ?? $event['amount']),
                'currency' => (string) $event['currency'],
                'reason' => $event['failure_reason_message'] ?? null,
            ]);
        });
    }

    /** Queries the server for the status of an order's payment, and applies the answer. */
    public static function check(\WC_Order $order): string
    {
        $id = OrderUpdates::newest($order);
        if ($order->get_payment_method() !== 'malipo' || $id === null) {
            return 'no payment';
        }
        try {
            $found = self::client()->collections->get($id);
        } catch (MalipoException | \InvalidArgumentException $failure) {
            self::log('warning', "Order {$order->get_id()}: {$failure->getMessage()}");
            return 'unknown';
        }
        return self::locked($order, static fn (\WC_Order $order): string => OrderUpdates::apply($order, [
            'collection_id' => $id,
            'status' => $found['status'],
            'amount' => (string) ($found['amount_received'] ?? $found['amount']),
            'currency' => $found['currency'],
            'reason' => $found['failure_reason_message'],
        ]));
    }

    /** Checks the unpaid orders. If the shop does not answer for almost an hour, the server stops sending a webhook. */
    public static function checkOpenOrders(): void
    {
        $orders = wc_get_orders([
            'status' => ['pending', 'on-hold'],
            'payment_method' => 'malipo',
            'date_created' => '>' . (time() - self::OPEN_DAYS_MAX * DAY_IN_SECONDS),
            'limit' => self::CHECKS_MAX,
            'orderby' => 'modified',
            'order' => 'ASC',
        ]);
        foreach ($orders as $order) {
            self::check($order);
        }
    }

    /** Returns the address of this shop, which names the shop in the metadata of payments. */
    public static function name(): string
    {
        return substr(home_url(), 0, 500);
    }

    /** Writes a message to the log of WooCommerce, under the source malipo. */
    public static function log(string $level, string $message): void
    {
        wc_get_logger()->log($level, $message, ['source' => 'malipo']);
    }

    private static function environment(): ?string
    {
        try {
            return self::client()->environment;
        } catch (\InvalidArgumentException) {
            return null;
        }
    }

    /**
     * Runs an update of an order under a lock. Otherwise two simultaneous deliveries could both find an unpaid order.
     *
     * @param callable(\WC_Order): string $update
     */
    private static function locked(\WC_Order $order, callable $update): string
    {
        global $wpdb;
        $lock = $wpdb->prefix . 'malipo-' . $order->get_id();
        if ((int) $wpdb->get_var($wpdb->prepare('select get_lock(%s, %d)', $lock, self::LOCK_SECONDS)) !== 1) {
            throw new \RuntimeException(
                "Order {$order->get_id()} is locked for more than " . self::LOCK_SECONDS . ' seconds. Find the process that holds the lock.'
            );
        }
        try {
            // The order may have changed while this process waited.
            wp_cache_flush_runtime();
            $fresh = wc_get_order($order->get_id());
            return $update($fresh instanceof \WC_Order ? $fresh : $order);
        } finally {
            $wpdb->get_var($wpdb->prepare('select release_lock(%s)', $lock));
        }
    }
}
