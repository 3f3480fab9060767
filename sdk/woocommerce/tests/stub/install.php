<?php

// Installs WordPress with the stub of WooCommerce and the plugin, and sets the language. Arguments: address, language.

declare(strict_types=1);

define('WP_INSTALLING', true);
$_SERVER['HTTP_HOST'] = parse_url($argv[1], PHP_URL_HOST) . ':' . parse_url($argv[1], PHP_URL_PORT);
require getcwd() . '/wp-load.php';
require ABSPATH . 'wp-admin/includes/upgrade.php';
add_filter('pre_wp_mail', '__return_true');
wp_install('Duka la Asha', 'admin', 'admin@example.com', true, '', 'shop-password-1');
update_option('siteurl', $argv[1]);
update_option('home', $argv[1]);
update_option('active_plugins', ['woocommerce/woocommerce.php', 'malipo-for-woocommerce/malipo-for-woocommerce.php']);
$wpdb->query('create table stub_orders (id bigint auto_increment primary key, data longtext not null)');
