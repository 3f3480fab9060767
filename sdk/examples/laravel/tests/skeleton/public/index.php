<?php

// The front controller and the middleware of a small Laravel application, for the test of the shop. Debian has Laravel.

use Illuminate\Contracts\Debug\ExceptionHandler;
use Illuminate\Contracts\Http\Kernel as HttpKernel;
use Illuminate\Cookie\Middleware\AddQueuedCookiesToResponse;
use Illuminate\Cookie\Middleware\EncryptCookies;
use Illuminate\Foundation\Application;
use Illuminate\Foundation\Exceptions\Handler;
use Illuminate\Foundation\Http\Kernel;
use Illuminate\Foundation\Http\Middleware\VerifyCsrfToken;
use Illuminate\Http\Request;
use Illuminate\Routing\Middleware\SubstituteBindings;
use Illuminate\Session\Middleware\StartSession;

// Laravel 8 is older than PHP 8.2 and uses features that PHP 8.2 deprecates.
error_reporting(E_ALL & ~E_DEPRECATED);
require '/usr/share/php/Illuminate/autoload.php';
require dirname(__DIR__) . '/vendor/autoload.php';

final class ShopKernel extends Kernel
{
    protected $middlewareGroups = [
        'web' => [
            EncryptCookies::class,
            AddQueuedCookiesToResponse::class,
            StartSession::class,
            VerifyCsrfToken::class,
            SubstituteBindings::class,
        ],
    ];
}

$app = new Application(dirname(__DIR__));
$app->singleton(HttpKernel::class, ShopKernel::class);
$app->singleton(ExceptionHandler::class, Handler::class);
$app->booted(function () use ($app): void {
    if (!$app->make('db')->getSchemaBuilder()->hasTable('orders')) {
        (require getenv('SHOP') . '/database/migrations/2026_01_01_000000_create_orders.php')->up();
    }
    require getenv('SHOP') . '/routes/shop.php';
});
$kernel = $app->make(HttpKernel::class);
$response = $kernel->handle($request = Request::capture())->send();
$kernel->terminate($request, $response);
