<?php

declare(strict_types=1);

namespace Malipo\WooCommerce;

/** If the language of the page is Swahili, returns the Swahili text. Otherwise returns the English text of the sources. */
function translate(string $translation, string $text): string
{
    static $swahili = null;
    if (!str_starts_with(determine_locale(), 'sw')) {
        return $translation;
    }
    $swahili ??= require dirname(__DIR__) . '/languages/sw.php';
    return $swahili[$text] ?? $translation;
}
