// Where this installation is reached: what links are made of.

import type { Config } from '../lib/index.ts'
import type { App } from './app.ts'

/** The public address of the API, without a slash at its end. Not configured: this machine and the port that `app` listens on. */
export function baseUrlOf(config: Config, app?: App): string {
  const address = app?.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : config.port
  return (config.base_url || `http://127.0.0.1:${port}`).replace(/(?<!\/)\/+$/, '')
}

/** The public address of the payment pages, without a slash at its end. */
export function payUrlOf(config: Config, app?: App): string {
  return config.pay_url.replace(/(?<!\/)\/+$/, '') || baseUrlOf(config, app)
}
