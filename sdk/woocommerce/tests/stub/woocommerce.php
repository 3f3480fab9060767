<?php

/**
 * Plugin Name: WooCommerce (stand-in for tests)
 * Description: The part of WooCommerce that Malipo uses: settings, checkout, orders. Not for shops.
 */

declare(strict_types=1);

namespace Automattic\WooCommerce\Utilities {
    final class FeaturesUtil
    {
        /** @var array<string, bool> */
        public static array $declared = [];

        public static function declare_compatibility(string $feature, string $file, bool $isCompatible = true): bool
        {
            self::$declared[$feature] = $isCompatible;
            return true;
        }
    }
}

namespace {
    require __DIR__ . '/classes.php';

    abstract class WC_Payment_Gateway
    {
        public $id = '';
        public $method_title = '';
        public $method_description = '';
        public $title = '';
        public $description = '';
        public $has_fields = false;
        public $supports = ['products'];
        public $form_fields = [];
        public $settings = [];

        public function init_settings()
        {
            $stored = get_option("woocommerce_{$this->id}_settings", null);
            $this->settings = is_array($stored) ? $stored : array_map(static fn ($field) => $field['default'] ?? '', $this->form_fields);
        }

        public function get_option($name)
        {
            return $this->settings[$name] ?? $this->form_fields[$name]['default'] ?? '';
        }

        public function is_available()
        {
            return $this->get_option('enabled') === 'yes';
        }

        public function get_return_url($order)
        {
            return home_url("/?shop=received&order={$order->get_id()}");
        }

        public function process_admin_options()
        {
            foreach ($this->form_fields as $name => $field) {
                $value = wp_unslash($_POST["woocommerce_{$this->id}_$name"] ?? '');
                $this->settings[$name] = $field['type'] === 'checkbox' ? ($value === '1' ? 'yes' : 'no') : trim($value);
            }
            update_option("woocommerce_{$this->id}_settings", $this->settings);
        }

        public function admin_options()
        {
            echo '<h2>' . esc_html($this->method_title) . '</h2><p>' . esc_html($this->method_description) . '</p><table class="form-table">';
            foreach ($this->form_fields as $name => $field) {
                $id = "woocommerce_{$this->id}_$name";
                $value = $this->get_option($name);
                $isBox = $field['type'] === 'checkbox';
                echo '<tr><th><label for="' . esc_attr($id) . '">' . esc_html($field['title']) . '</label></th><td>';
                echo $field['type'] === 'textarea'
                    ? '<textarea id="' . esc_attr($id) . '" name="' . esc_attr($id) . '">' . esc_textarea($value) . '</textarea>'
                    : '<input class="regular-text" type="' . esc_attr($field['type']) . '" id="' . esc_attr($id) . '" name="' . esc_attr($id)
                        . '" value="' . esc_attr($isBox ? '1' : $value) . '"' . ($isBox && $value === 'yes' ? ' checked' : '') . '>';
                echo ' ' . esc_html($field['label'] ?? '') . '<p class="description">' . wp_kses_post($field['description'] ?? '') . '</p></td></tr>';
            }
            echo '</table>';
        }
    }

    function wc_get_order($id)
    {
        return WC_Order::load((int) $id) ?? false;
    }

    function wc_get_orders($query)
    {
        $ids = array_map('intval', $GLOBALS['wpdb']->get_col('select id from stub_orders order by id'));
        $orders = array_map('wc_get_order', $ids);
        return array_slice(array_values(array_filter($orders, static fn ($order) =>
            in_array($order->get_status(), $query['status'], true) && $order->get_payment_method() === $query['payment_method'])), 0, $query['limit']);
    }

    function wc_add_notice($message, $type)
    {
        $GLOBALS['stub_notices'][] = $message;
    }

    function wc_get_logger()
    {
        return new class {
            public function log($level, $message, $context)
            {
                file_put_contents(WP_CONTENT_DIR . '/malipo.log', "$level $message\n", FILE_APPEND);
            }
        };
    }

    function get_woocommerce_currency()
    {
        return get_option('woocommerce_currency', 'TZS');
    }

    function stub_gateway(): ?WC_Payment_Gateway
    {
        foreach (apply_filters('woocommerce_payment_gateways', []) as $class) {
            return new $class();
        }
        return null;
    }

    /** Writes the page of the shop that ?shop= names: the checkout, the page after a payment, or the facts for the test. */
    function stub_page(string $page): void
    {
        $gateway = stub_gateway();
        $html = '';
        if ($page === 'checkout' && $_SERVER['REQUEST_METHOD'] === 'POST') {
            global $wpdb;
            $wpdb->insert('stub_orders', ['data' => '{}']);
            $order = new WC_Order($wpdb->insert_id, ['total' => '25000', 'currency' => get_woocommerce_currency(), 'phone' => (string) ($_POST['phone'] ?? '')]);
            $order->save();
            stub_pay($gateway, $order->get_id());
        } elseif ($page === 'pay') {
            stub_pay($gateway, (int) $_GET['order']);
        } elseif ($page === 'received') {
            do_action('woocommerce_thankyou_malipo', (int) $_GET['order']);
            $order = wc_get_order((int) $_GET['order']);
            $html = "<p>Order {$order->get_id()}: <b id=\"status\">{$order->get_status()}</b></p>";
        } elseif ($page === 'facts') {
            wp_send_json(wc_get_order((int) $_GET['order'])->facts() + ['features' => \Automattic\WooCommerce\Utilities\FeaturesUtil::$declared]);
        }
        foreach ($GLOBALS['stub_notices'] ?? [] as $notice) {
            $html .= '<p role="alert">' . esc_html($notice) . '</p>';
        }
        if ($page === 'checkout') {
            $html .= $gateway?->is_available()
                ? '<form method="post"><h1>' . esc_html($gateway->title) . '</h1><p>' . esc_html($gateway->description) . '</p><label>Phone <input name="phone"></label> <button>Place order</button></form>'
                : '<p id="none">No payment method</p>';
        }
        echo '<!doctype html><html lang="en"><title>Shop</title><body>' . $html . '</body></html>';
        exit;
    }

    function stub_pay(?WC_Payment_Gateway $gateway, int $id): void
    {
        $result = $gateway->process_payment($id);
        if ($result['result'] === 'success') {
            wp_redirect($result['redirect']);
            exit;
        }
    }

    add_action('plugins_loaded', static function (): void {
        WC_Order::$storage = static function (int $id, ?array $data): ?array {
            global $wpdb;
            if ($data !== null) {
                $wpdb->update('stub_orders', ['data' => wp_json_encode($data)], ['id' => $id]);
                return $data;
            }
            $found = $wpdb->get_var($wpdb->prepare('select data from stub_orders where id = %d', $id));
            // Waits between reading and writing, as the real WooCommerce needs time there. So two processes can read the same state.
            usleep(isset($_SERVER['HTTP_X_SLOW']) ? 400_000 : 0);
            return $found === null ? null : json_decode($found, true);
        };
        do_action('before_woocommerce_init');
    }, 20);
    add_action('template_redirect', static fn () => isset($_GET['shop']) ? stub_page((string) $_GET['shop']) : null);
    add_action('admin_menu', static function (): void {
        add_menu_page('WooCommerce', 'WooCommerce', 'manage_options', 'wc-settings', static function (): void {
            if (isset($_POST['save'])) {
                check_admin_referer('wc-settings');
                stub_gateway();
                do_action('woocommerce_update_options_payment_gateways_malipo');
            }
            echo '<div class="wrap"><form method="post">';
            wp_nonce_field('wc-settings');
            stub_gateway()?->admin_options();
            submit_button('Save changes', 'primary', 'save');
            echo '</form></div>';
        });
    });
    add_filter('user_has_cap', static fn ($all) => $all + ['manage_woocommerce' => !empty($all['manage_options'])]);
}
