<?php

declare(strict_types=1);

namespace Malipo\WooCommerce;

/**
 * Applies the status of a payment to an order. The status comes from a verified webhook, or from the server's answer to a query.
 * A repeated status changes nothing.
 */
final class OrderUpdates
{
    /** The metadata key for the collections of an order: a list of ids. */
    public const COLLECTIONS = '_malipo_collections';
    /** The metadata key for the collection that paid the order. */
    public const PAID_BY = '_malipo_paid_by';
    /** The metadata key for the applied statuses: a list of "id status". */
    private const SEEN = '_malipo_seen';
    /** The metadata key for the Idempotency-Key of the newest attempt to create a collection: "attempt key". */
    private const KEY = '_malipo_key';
    /** The metadata key for the newest total of which the shop has a note: "id total". */
    private const NOTED_TOTAL = '_malipo_noted_total';

    /**
     * Applies a status to an order.
     *
     * @param array{collection_id: string, status: string, amount: string, currency: string, reason?: string|null} $facts
     * @return string The result, such as "known" for a repeated status.
     */
    public static function apply(\WC_Order $order, array $facts): string
    {
        ['collection_id' => $id, 'status' => $status] = $facts;
        $seen = self::listOf($order, self::SEEN);
        if (in_array("$id $status", $seen, true)) {
            return 'known';
        }
        $done = match ($status) {
            'successful' => self::pay($order, $facts, in_array("$id reversed", $seen, true)),
            'reversed' => self::hold($order, sprintf(
                /* translators: %s is the id of a payment */
                __('The provider reversed the payment %s: the money is gone. Do not ship, or contact the customer.', 'malipo-for-woocommerce'),
                $id
            )),
            'pending_clearance' => self::hold($order, sprintf(
                /* translators: %s is the id of a payment */
                __('The payment %s is under review. Wait until the platform has decided.', 'malipo-for-woocommerce'),
                $id
            )),
            'failed' => self::note($order, sprintf(
                /* translators: %s is a reason */
                __('An attempt to pay failed: %s The customer can try again on the same page.', 'malipo-for-woocommerce'),
                $facts['reason'] ?? ''
            )),
            default => null,
        };
        if ($done === null) {
            return 'open';
        }
        $order->update_meta_data(self::SEEN, wp_json_encode([...$seen, "$id $status"]));
        $order->save();
        return $done;
    }

    /** Notes for the shop that the total changed while a customer can pay the old amount. Each total gets one note. */
    public static function noteChangedTotal(\WC_Order $order, string $collectionId, string $asked, string $total): void
    {
        $noted = "$collectionId $total";
        if ($order->get_meta(self::NOTED_TOTAL) === $noted) {
            return;
        }
        $order->update_meta_data(self::NOTED_TOTAL, $noted);
        $order->save();
        self::note($order, sprintf(
            /* translators: 1: id, 2: amount of the payment, 3: total of the order */
            __('The customer can still pay %2$s TZS with the payment %1$s, but the order is now %3$s TZS. So the plugin makes no second page. Set the total back to %2$s, or agree with the customer on a new order.', 'malipo-for-woocommerce'),
            $collectionId,
            $asked,
            $total
        ));
    }

    /** Stores the id of a collection that the shop created for an order. */
    public static function remember(\WC_Order $order, string $collectionId): void
    {
        $order->update_meta_data(self::COLLECTIONS, wp_json_encode([...self::listOf($order, self::COLLECTIONS), $collectionId]));
        $order->save();
    }

    /** Returns the stored Idempotency-Key of an attempt. Null means that the shop has stored none. */
    public static function keyOf(\WC_Order $order, int $attempt): ?string
    {
        [$of, $key] = explode(' ', (string) $order->get_meta(self::KEY), 2) + [1 => ''];
        return $of === (string) $attempt && $key !== '' ? $key : null;
    }

    /** Stores the Idempotency-Key of an attempt before the first request with it. */
    public static function keepKey(\WC_Order $order, int $attempt, string $key): void
    {
        if (self::keyOf($order, $attempt) === $key) {
            return;
        }
        $order->update_meta_data(self::KEY, "$attempt $key");
        $order->save();
    }

    /** Returns true if the shop created the collection for this order. */
    public static function belongs(\WC_Order $order, string $collectionId): bool
    {
        return in_array($collectionId, self::listOf($order, self::COLLECTIONS), true);
    }

    /** Returns the newest collection of an order. Null means that the customer has not begun to pay. */
    public static function newest(\WC_Order $order): ?string
    {
        $all = self::listOf($order, self::COLLECTIONS);
        return $all === [] ? null : $all[count($all) - 1];
    }

    /** Returns the number of collections of an order. */
    public static function count(\WC_Order $order): int
    {
        return count(self::listOf($order, self::COLLECTIONS));
    }

    /** @param array{collection_id: string, status: string, amount: string, currency: string} $facts */
    private static function pay(\WC_Order $order, array $facts, bool $wasReversed): string
    {
        $id = $facts['collection_id'];
        if ($wasReversed) {
            return 'reversed before';
        }
        $paid = decimalAmount($facts['amount']) . " {$facts['currency']}";
        $asked = decimalAmount($order->get_total()) . " {$order->get_currency()}";
        if ($paid !== $asked) {
            return self::hold($order, sprintf(
                /* translators: 1: id, 2: paid amount, 3: amount of the order */
                __('The payment %1$s is %2$s, but the order is %3$s. Compare before you ship.', 'malipo-for-woocommerce'),
                $id,
                $paid,
                $asked
            ));
        }
        $paidBy = (string) $order->get_meta(self::PAID_BY);
        if ($paidBy !== $id && ($paidBy !== '' || $order->is_paid())) {
            return self::note($order, sprintf(
                /* translators: %s is the id of a payment */
                __('A second payment %s arrived for this paid order. Give the money back to the customer.', 'malipo-for-woocommerce'),
                $id
            ));
        }
        // If the process dies between the two steps, the next delivery of the webhook repeats the second step.
        $order->update_meta_data(self::PAID_BY, $id);
        $order->save();
        $order->payment_complete($id);
        return 'paid';
    }

    private static function hold(\WC_Order $order, string $note): string
    {
        $order->update_status('on-hold', $note);
        return 'on hold';
    }

    private static function note(\WC_Order $order, string $note): string
    {
        $order->add_order_note($note);
        return 'noted';
    }

    /** @return list<string> */
    private static function listOf(\WC_Order $order, string $name): array
    {
        $found = json_decode((string) $order->get_meta($name), true);
        return is_array($found) ? array_values(array_filter($found, 'is_string')) : [];
    }
}
