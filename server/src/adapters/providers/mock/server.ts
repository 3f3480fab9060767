// Runs the mock provider as a separate process: npm run mock-provider.

import { ConfigError, settings as serverSettings } from '../../../kernel/lib/index.ts'
import { type MockServerOptions, startMockServer } from './server-app.ts'
import { settings } from './settings.ts'

const USAGE = `Usage: npm run mock-provider

A payment provider for tests and benchmarks. It moves no money.

Environment:
  PORT               Port to listen on. 0: any free port. (8090)
  HOST               Address to listen on. (127.0.0.1)
  MOCK_SECRET        Secret that signs callbacks. (${settings.secret.default})
  MOCK_SUCCESS_RATE  Share of payments that succeed when the phone has no magic ending. (${settings.success_rate.default})
  MOCK_SEED          Seed of the random outcomes. (${settings.seed.default})
  MOCK_DELAY_MS      Milliseconds until a payment or payout has its outcome. (${settings.delay_ms.default})
  MOCK_CALLBACK_URL  URL that receives the callbacks. Empty: no callbacks. (empty)

Requests:
  POST /payments         {reference, method, phone, amount_minor, currency}
  POST /payments/status  {references: [...]}
  POST /payouts          {reference, method, destination_code, destination_identifier, amount_minor, currency}
  POST /payouts/status   {references: [...]}
  GET  /book             totals; with ?full=1 every payment and payout
  POST /faults           {hang_rate, error_rate, down}
`

await main(process.argv.slice(2), process.env)

async function main(args: string[], env: Record<string, string | undefined>): Promise<void> {
  if (args.length > 0) {
    const asked_for_help = args[0] === '--help' || args[0] === '-h'
    process[asked_for_help ? 'stdout' : 'stderr'].write(USAGE)
    process.exitCode = asked_for_help ? 0 : 2
    return
  }
  try {
    const server = await startMockServer(optionsOf(env))
    process.stdout.write(`mock provider listens on ${server.url}\n`)
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.close())
  } catch (error) {
    process.stderr.write(`mock provider: ${(error as Error).message}\n`)
    process.exitCode = 1
  }
}

function optionsOf(env: Record<string, string | undefined>): MockServerOptions {
  const read = <T>(name: string, fallback: string, parse: (text: string) => T): T => {
    try {
      return parse(env[name] ?? fallback)
    } catch (error) {
      throw new ConfigError(`${name} ${(error as Error).message}`)
    }
  }
  const { port, base_url } = serverSettings
  const { secret, success_rate, seed, delay_ms } = settings
  const callback_url = read('MOCK_CALLBACK_URL', '', base_url.parse)
  return {
    port: read('PORT', '8090', port.parse),
    host: env.HOST || '127.0.0.1',
    secret: read(secret.env, secret.default, secret.parse),
    callback_url: callback_url === '' ? null : callback_url,
    profile: {
      success_default: read(success_rate.env, success_rate.default, success_rate.parse),
      seed: read(seed.env, seed.default, seed.parse),
      delay_ms: read(delay_ms.env, delay_ms.default, delay_ms.parse),
    },
  }
}
