<?php

// Loads the classes of the SDK in a project without Composer: require_once '.../malipo-php/src/autoload.php';

declare(strict_types=1);

spl_autoload_register(static function (string $class): void {
    if (!str_starts_with($class, 'Malipo\\')) {
        return;
    }
    $file = __DIR__ . '/' . str_replace('\\', '/', substr($class, 7)) . '.php';
    if (is_file($file)) {
        require_once $file;
    }
});
