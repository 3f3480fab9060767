// Makes the installable folder of the WooCommerce plugin: the plugin with the PHP SDK inside.

import { cp, rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../', import.meta.url))

const FOLDER = `${ROOT}dist/malipo-for-woocommerce`

await rm(FOLDER, { recursive: true, force: true })
await cp(`${ROOT}sdk/woocommerce/malipo-for-woocommerce`, FOLDER, { recursive: true })
// WordPress cannot use the service provider of Laravel.
await cp(`${ROOT}sdk/php/src`, `${FOLDER}/malipo-php`, {
  recursive: true,
  filter: (path) => !path.endsWith('/Laravel'),
})
await cp(`${ROOT}LICENSE`, `${FOLDER}/LICENSE`)
process.stdout.write(`${FOLDER}\n`)
