<?php

declare(strict_types=1);

namespace Malipo\WooCommerce;

/** Returns the Swahili text if the reader's language is Swahili. English is the language of the sources. */
function translate(string $translation, string $text): string
{
    static $swahili = null;
    if (!str_starts_with(determine_locale(), 'sw')) {
        return $translation;
    }
    $swahili ??= require dirname(__DIR__) . '/languages/sw.php';
    return $swahili[$text] ?? $translation;
}
