<?php

return [
    'default' => 'sqlite',
    'connections' => ['sqlite' => ['driver' => 'sqlite', 'database' => getenv('SHOP_DATABASE'), 'prefix' => '']],
    'migrations' => 'migrations',
];
