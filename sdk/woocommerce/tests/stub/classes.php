<?php

// Imitates the classes of WooCommerce that the plugin uses, with the behaviour that its documentation describes. The tests use
// this stub, because Debian does not contain WooCommerce.

declare(strict_types=1);

/** An order. $storage keeps the orders: an array in memory, or a table of WordPress. */
class WC_Order
{
    /** @var null|callable(int, ?array): ?array Reads an order, or writes it if data is given. */
    public static $storage = null;
    /** @var array<int, array<string, mixed>> */
    public static array $memory = [];
    private const PAID = ['processing', 'completed'];
    /** The statuses that payment_complete changes. In any other status, it does nothing. */
    private const PAYABLE = ['on-hold', 'pending', 'failed', 'cancelled'];

    /** @var array<string, mixed> */
    private array $data;

    public function __construct(private readonly int $id, array $data = [])
    {
        $defaults = ['status' => 'pending', 'total' => '0', 'currency' => 'TZS', 'payment_method' => 'malipo', 'phone' => ''];
        $this->data = $data + $defaults + ['meta' => [], 'notes' => [], 'completed' => 0];
    }

    public static function load(int $id): ?self
    {
        $data = self::$storage === null ? (self::$memory[$id] ?? null) : (self::$storage)($id, null);
        return $data === null ? null : new self($id, $data);
    }

    public function save(): int
    {
        self::$storage === null ? self::$memory[$this->id] = $this->data : (self::$storage)($this->id, $this->data);
        return $this->id;
    }

    public function get_id() { return $this->id; }
    public function get_order_number() { return (string) $this->id; }
    public function get_total() { return $this->data['total']; }
    public function get_currency() { return $this->data['currency']; }
    public function get_status() { return $this->data['status']; }
    public function get_payment_method() { return $this->data['payment_method']; }
    public function get_billing_phone() { return $this->data['phone']; }
    public function get_checkout_payment_url() { return home_url("/?shop=pay&order=$this->id"); }
    public function get_meta($name) { return $this->data['meta'][$name] ?? ''; }
    public function update_meta_data($name, $value) { $this->data['meta'][$name] = $value; }
    public function is_paid() { return in_array($this->data['status'], self::PAID, true); }

    public function add_order_note($note)
    {
        $this->data['notes'][] = $note;
        $this->save();
        return count($this->data['notes']);
    }

    public function update_status($status, $note = '')
    {
        $this->data['status'] = $status;
        $this->add_order_note($note);
        return true;
    }

    /** Changes an open order to processing. The real WooCommerce then reduces the stock and sends the mails. */
    public function payment_complete($transaction_id = '')
    {
        if (!in_array($this->data['status'], self::PAYABLE, true)) {
            return false;
        }
        $this->data['status'] = 'processing';
        $this->data['completed']++;
        $this->data['notes'][] = "paid by $transaction_id";
        $this->save();
        return true;
    }

    /** @return array<string, mixed> The facts that a test checks. */
    public function facts(): array
    {
        return ['status' => $this->data['status'], 'notes' => $this->data['notes'], 'completed' => $this->data['completed']];
    }
}
