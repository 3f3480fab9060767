<?php

declare(strict_types=1);

namespace Malipo\WooCommerce;

use Malipo\Exceptions\MalipoException;

/** The payment method that customers choose at the checkout. */
final class Gateway extends \WC_Payment_Gateway
{
    /** If no money has arrived, the customer can still pay on the payment page in these statuses. */
    private const PAYABLE = ['created', 'processing', 'failed'];

    public function __construct()
    {
        $this->id = 'malipo';
        $this->method_title = __('Malipo', 'malipo-for-woocommerce');
        $this->method_description = __('Mobile money, wallets and QR codes on the page of your Malipo server.', 'malipo-for-woocommerce');
        $this->has_fields = false;
        $this->supports = ['products'];
        $this->init_form_fields();
        $this->init_settings();
        $this->title = $this->get_option('title');
        $this->description = $this->get_option('description');
        add_action("woocommerce_update_options_payment_gateways_$this->id", [$this, 'process_admin_options']);
    }

    public function init_form_fields()
    {
        $this->form_fields = [
            'enabled' => [
                'title' => __('Status', 'malipo-for-woocommerce'),
                'type' => 'checkbox',
                'label' => __('Take payments with Malipo', 'malipo-for-woocommerce'),
                'default' => 'no',
            ],
            'title' => [
                'title' => __('Name in the checkout', 'malipo-for-woocommerce'),
                'type' => 'text',
                'default' => __('Mobile money', 'malipo-for-woocommerce'),
            ],
            'description' => [
                'title' => __('Text in the checkout', 'malipo-for-woocommerce'),
                'type' => 'textarea',
                'default' => __('Pay with M-Pesa, Airtel Money, Mixx by Yas or HaloPesa.', 'malipo-for-woocommerce'),
            ],
            'url' => [
                'title' => __('Address of the server', 'malipo-for-woocommerce'),
                'type' => 'url',
                'description' => __('Such as https://api.example.com, without /v1.', 'malipo-for-woocommerce'),
                'default' => '',
            ],
            'api_key' => [
                'title' => __('API key', 'malipo-for-woocommerce'),
                'type' => 'password',
                'description' => __('With the scopes collections:write and collections:read. A sandbox key moves no real money.', 'malipo-for-woocommerce'),
                'default' => '',
            ],
            'webhook_secret' => [
                'title' => __('Webhook secret', 'malipo-for-woocommerce'),
                'type' => 'password',
                'description' => sprintf(
                    /* translators: %s is an address */
                    __('Register the webhook below, or add this address in the dashboard of Malipo and copy the secret: %s', 'malipo-for-woocommerce'),
                    '<code>' . esc_html(Shop::webhookUrl()) . '</code>'
                ),
                'default' => '',
            ],
        ];
    }

    /** Shows the settings, with the buttons that test the connection and register the webhook. */
    public function admin_options()
    {
        parent::admin_options();
        echo SettingsActions::html();
    }

    /** Returns true if the shop has enabled the method, has a server, a key and a secret, and its prices are in shillings. */
    public function is_available()
    {
        $isSet = Shop::setting('url') !== '' && Shop::setting('api_key') !== '' && Shop::setting('webhook_secret') !== '';
        return parent::is_available() && $isSet && get_woocommerce_currency() === 'TZS';
    }

    /**
     * Sends the customer to the hosted page.
     *
     * @return array{result: string, redirect?: string}
     */
    public function process_payment($order_id)
    {
        $order = wc_get_order($order_id);
        if (!$order instanceof \WC_Order || $order->get_currency() !== 'TZS') {
            return $this->failed(__('Malipo takes Tanzanian shillings only.', 'malipo-for-woocommerce'));
        }
        try {
            $newest = OrderUpdates::newest($order);
            $payment = $newest === null ? null : Shop::client()->collections->get($newest);
            if ($payment !== null && $this->canPay($payment) && decimalAmount((string) $payment['amount']) !== decimalAmount($order->get_total())) {
                return $this->refuseSecondPage($order, $payment);
            }
            $payment_url = $this->openPage($order, $payment) ?? $this->newPage($order);
        } catch (MalipoException $failure) {
            Shop::log('error', "Order $order_id: {$failure->getMessage()}");
            return $this->failed($failure->isRetryable
                ? __('The payment service does not answer. Try again in a moment: you will not pay twice.', 'malipo-for-woocommerce')
                : __('The payment could not begin. Contact the shop.', 'malipo-for-woocommerce'));
        } catch (\InvalidArgumentException $mistake) {
            Shop::log('error', "Order $order_id: {$mistake->getMessage()}");
            return $this->failed(__('The payment could not begin. Contact the shop.', 'malipo-for-woocommerce'));
        }
        return ['result' => 'success', 'redirect' => $payment_url];
    }

    /**
     * Returns true if the customer can still pay on the page of the payment. Such a page has no end: the API cannot close it.
     *
     * @param array<string, mixed> $payment
     */
    private function canPay(array $payment): bool
    {
        // If an operator declined held money, the payment is failed, and its page accepts no more attempts.
        $hasReceived = isset($payment['amount_received']) || isset($payment['foreign_currency']);
        return in_array($payment['status'], self::PAYABLE, true) && !$hasReceived && is_string($payment['payment_url']);
    }

    /**
     * Refuses a checkout whose total differs from the amount of the open page. With a second page, the customer could pay both.
     *
     * @param array<string, mixed> $payment
     * @return array{result: string}
     */
    private function refuseSecondPage(\WC_Order $order, array $payment): array
    {
        $asked = decimalAmount((string) $payment['amount']);
        $total = decimalAmount($order->get_total());
        OrderUpdates::noteChangedTotal($order, $payment['collection_id'], $asked, $total);
        return $this->failed(sprintf(
            /* translators: 1: amount of the open page, 2: total of the order */
            __('This order has a payment page for TZS %1$s, but its total is now TZS %2$s. Do not pay on that page. Contact the shop.', 'malipo-for-woocommerce'),
            $asked,
            $total
        ));
    }

    /**
     * Returns the page for a repeated checkout. If the customer can pay the newest payment, this is its hosted page. If it has
     * succeeded or is under review, this is the page of the order. Null means that a new payment may begin.
     *
     * @param array<string, mixed>|null $payment The newest payment of the order, or null if it has none.
     */
    private function openPage(\WC_Order $order, ?array $payment): ?string
    {
        if ($payment === null) {
            return null;
        }
        if ($this->canPay($payment)) {
            return $payment['payment_url'];
        }
        if ($payment['status'] === 'successful' || $payment['status'] === 'pending_clearance') {
            // The webhook of this payment has not arrived yet, so the shop queries the server.
            Shop::check($order);
            return $this->get_return_url($order);
        }
        return null;
    }

    private function newPage(\WC_Order $order): string
    {
        $amount = decimalAmount($order->get_total());
        $attempt = OrderUpdates::count($order) + 1;
        // The order keeps the key of the attempt, so a repeated click makes no second payment. If the answer was lost and the total
        // changed, the server refuses the key. The first version of the plugin stored no key, so new keys have the form of its keys.
        $key = OrderUpdates::keyOf($order, $attempt)
            ?? 'wc-' . substr(hash('sha256', Shop::name()), 0, 16) . "-{$order->get_id()}-$attempt-$amount";
        OrderUpdates::keepKey($order, $attempt, $key);
        $made = Shop::client()->collections->create([
            'amount' => $amount,
            'currency' => 'TZS',
            'reference' => (string) $order->get_id(),
            'description' => sprintf(
                /* translators: 1: number of the order, 2: name of the shop */
                __('Order %1$s at %2$s', 'malipo-for-woocommerce'),
                $order->get_order_number(),
                wp_specialchars_decode(get_bloginfo('name'), ENT_QUOTES)
            ),
            'customer_phone' => $this->phoneOf($order),
            'redirect_url' => $this->get_return_url($order),
            'cancel_url' => $order->get_checkout_payment_url(),
            'metadata' => ['order_id' => (string) $order->get_id(), 'shop' => Shop::name()],
        ], idempotencyKey: $key);
        OrderUpdates::remember($order, $made['collection_id']);
        return $made['payment_url'];
    }

    /** Returns the phone of the customer. Null means that the server would refuse it, so the payer types it on the page. */
    private function phoneOf(\WC_Order $order): ?string
    {
        $phone = preg_replace('/[\s-]/', '', (string) $order->get_billing_phone());
        return preg_match('/^(?:\+?255|0)?[67]\d{8}$/D', $phone) === 1 ? $phone : null;
    }

    /** @return array{result: string} */
    private function failed(string $message): array
    {
        wc_add_notice($message, 'error');
        return ['result' => 'failure'];
    }
}
