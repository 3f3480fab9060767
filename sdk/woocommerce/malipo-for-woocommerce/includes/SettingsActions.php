<?php

declare(strict_types=1);

namespace Malipo\WooCommerce;

use Malipo\Client;
use Malipo\Exceptions\MalipoException;

/** Runs the buttons of the settings: test the connection, and register the webhook. Both use the saved settings. */
final class SettingsActions
{
    private const ACTION = 'malipo_settings_action';
    private const NEEDED_SCOPES = ['collections:write', 'collections:read'];
    private const EVENTS = ['collection.success', 'collection.failed', 'collection.reversed', 'collection.pending_review'];

    public static function addHooks(): void
    {
        add_action('wp_ajax_' . self::ACTION, self::answer(...));
    }

    /** Returns the two buttons as HTML, with an element for the answer that screen readers announce. */
    public static function html(): string
    {
        wp_enqueue_script('malipo-settings', plugins_url('assets/settings.js', __DIR__), [], Client::VERSION, true);
        wp_localize_script('malipo-settings', 'malipoSettings', [
            'url' => admin_url('admin-ajax.php'),
            'action' => self::ACTION,
            'nonce' => wp_create_nonce(self::ACTION),
            'failed' => __('WordPress did not answer. Reload the page, and try again.', 'malipo-for-woocommerce'),
        ]);
        $button = static fn (string $what, string $text): string =>
            '<button type="button" class="button" data-malipo="' . esc_attr($what) . '">' . esc_html($text) . '</button> ';
        return '<p>' . esc_html(__('Save the settings first. Then:', 'malipo-for-woocommerce')) . '</p><p>'
            . $button('test', __('Test the connection', 'malipo-for-woocommerce'))
            . $button('register', __('Register the webhook', 'malipo-for-woocommerce'))
            . '</p><p id="malipo-answer" role="status" aria-live="polite"></p>';
    }

    private static function answer(): void
    {
        check_ajax_referer(self::ACTION);
        if (!current_user_can('manage_woocommerce')) {
            wp_send_json_error(__('You may not change the settings of the shop. Ask an administrator of the shop.', 'malipo-for-woocommerce'), 403);
        }
        try {
            wp_send_json_success(($_POST['what'] ?? '') === 'register' ? self::register() : ['text' => self::test()]);
        } catch (MalipoException | \InvalidArgumentException $failure) {
            wp_send_json_error($failure->getMessage());
        }
    }

    private static function test(): string
    {
        $me = Shop::client()->me->get();
        $missing = array_diff(self::NEEDED_SCOPES, $me['scopes']);
        if ($missing !== []) {
            /* translators: %s is a list of scopes */
            return sprintf(__('The key lacks these scopes: %s. Create another key.', 'malipo-for-woocommerce'), implode(', ', $missing));
        }
        $text = sprintf(
            /* translators: %s is the name of a business */
            __('The connection works. The money goes to %s.', 'malipo-for-woocommerce'),
            $me['merchant_name']
        );
        $text .= ' ' . ($me['environment'] === 'live'
            ? __('The key is live: payments move real money.', 'malipo-for-woocommerce')
            : __('The key is of the sandbox: no real money moves.', 'malipo-for-woocommerce'));
        if (Shop::setting('webhook_secret') === '') {
            $text .= ' ' . __('The webhook secret is missing: register the webhook.', 'malipo-for-woocommerce');
        }
        if (get_woocommerce_currency() !== 'TZS') {
            $text .= ' ' . __('The currency of the shop is not TZS, so the checkout does not offer Malipo.', 'malipo-for-woocommerce');
        }
        return $text;
    }

    /**
     * Registers the address of this shop, or rotates the secret of its endpoint, and stores the secret. The settings page shows
     * the secret in its field.
     *
     * @return array{text: string, secret: string}
     */
    private static function register(): array
    {
        $malipo = Shop::client();
        $ours = null;
        foreach ($malipo->webhookEndpoints->list()['items'] as $endpoint) {
            if ($endpoint['webhook_url'] === Shop::webhookUrl() && $endpoint['id'] !== 'default') {
                $ours = $endpoint;
            }
        }
        $made = $ours === null
            ? $malipo->webhookEndpoints->create([
                'webhook_url' => Shop::webhookUrl(),
                'events' => self::EVENTS,
                'description' => substr(get_bloginfo('name'), 0, 100) ?: 'WooCommerce',
            ])
            : $malipo->webhookEndpoints->rotateSecret($ours['id']);
        update_option('woocommerce_malipo_settings', ['webhook_secret' => $made['secret']] + Shop::settings());
        $text = __('The webhook is registered, and its secret is stored.', 'malipo-for-woocommerce');
        return ['text' => $text, 'secret' => $made['secret']];
    }
}
