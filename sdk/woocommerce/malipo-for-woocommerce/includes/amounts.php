<?php

declare(strict_types=1);

namespace Malipo\WooCommerce;

/** Returns an amount as a decimal text with two decimals, such as 25000.00. WooCommerce gives a text or a number. */
function decimalAmount(string|float|int $amount): string
{
    return is_string($amount) && preg_match('/^\d{1,15}(?:\.\d{1,2})?$/D', $amount) === 1
        ? paddedAmount($amount)
        : number_format((float) $amount, 2, '.', '');
}

/** Appends the missing decimals of an amount: 25000 becomes 25000.00. */
function paddedAmount(string $amount): string
{
    [$whole, $cents] = explode('.', $amount) + [1 => ''];
    return $whole . '.' . str_pad($cents, 2, '0');
}
