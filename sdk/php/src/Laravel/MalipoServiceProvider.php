<?php

declare(strict_types=1);

namespace Malipo\Laravel;

use Illuminate\Contracts\Foundation\Application;
use Illuminate\Support\ServiceProvider;
use Malipo\Client;

/** Registers the client and the middleware `malipo.webhook`. Laravel finds this provider through composer.json. */
final class MalipoServiceProvider extends ServiceProvider
{
    public function register(): void
    {
        $this->mergeConfigFrom(__DIR__ . '/config.php', 'malipo');
        $this->app->singleton(Client::class, static function (Application $app): Client {
            $config = $app->make('config')->get('malipo');
            foreach (['url' => 'MALIPO_URL', 'api_key' => 'MALIPO_API_KEY'] as $name => $variable) {
                if (!is_string($config[$name] ?? null) || $config[$name] === '') {
                    throw new \InvalidArgumentException("Set $variable in .env, then run php artisan config:clear.");
                }
            }
            return new Client($config['url'], $config['api_key'], (float) $config['timeout'], language: $config['language']);
        });
    }

    public function boot(): void
    {
        $this->publishes([__DIR__ . '/config.php' => $this->app->configPath('malipo.php')], 'malipo-config');
        $this->app->make('router')->aliasMiddleware('malipo.webhook', VerifyWebhook::class);
    }
}
