// Returns the public addresses of this installation, for links.

import type { Config } from '../lib/index.ts'
import type { App } from './app-types.ts'

/**
 * Returns the public address of the API without a final slash. If the configuration names no address, returns this machine with
 * the port of `app`, or else with the configured port.
 */
export function baseUrlOf(config: Config, app?: App): string {
  const address = app?.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : config.port
  return (config.base_url || `http://127.0.0.1:${port}`).replace(/(?<!\/)\/+$/, '')
}

/** Returns the public address of the payment pages without a final slash. */
export function payUrlOf(config: Config, app?: App): string {
  return config.pay_url.replace(/(?<!\/)\/+$/, '') || baseUrlOf(config, app)
}
