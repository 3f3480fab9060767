// Runs the twin of Selcom's gateway as a separate process: npm run simulator.

import { CONTROL_CALLS } from './control.ts'
import { RATES_HELP, ratesOf } from './faults.ts'
import { magicText, SAMPLE_ACCOUNT, SAMPLE_CONTROL_TOKEN, type SimulatorOptions, startSimulator } from './index.ts'
import { SETTINGS, settingsOfEnvironment, variableOf } from './settings.ts'

const USAGE = `Usage: npm run simulator [-- --magic]

A twin of Selcom's API gateway for tests and rehearsals. It moves no money. It answers its callers and sends callbacks to
the addresses of orders. --magic prints the table of magic numbers instead.

Environment:
  PORT                     Port to listen on. 0: any free port. (8091)
  HOST                     Address to listen on. (127.0.0.1)
  SIMULATOR_API_KEY        API key of the caller. (${SAMPLE_ACCOUNT.api_key})
  SIMULATOR_API_SECRET     API secret of the caller. (${SAMPLE_ACCOUNT.api_secret})
  SIMULATOR_RSA_PUBLIC_KEY PEM text. Empty: the twin refuses RS256. (empty)
  SIMULATOR_VENDOR         Till that collects. (${SAMPLE_ACCOUNT.vendor})
  SIMULATOR_FLOAT_VENDOR   Float that pays payouts. (${SAMPLE_ACCOUNT.float_vendor})
  SIMULATOR_PIN            PIN of the float. (${SAMPLE_ACCOUNT.pin})
  SIMULATOR_FLOAT          Shillings in the float. (1000000000)
  SIMULATOR_CONTROL_TOKEN  Token of the control API. (${SAMPLE_CONTROL_TOKEN})
  SIMULATOR_FAULTS         Faults by chance, as JSON: {"seed": "1", "rates": {"push": {"hang_after": 0.01}}} (none)
${Object.entries(SETTINGS)
  .map(([name, { default: value, help }]) => `  ${variableOf(name)}\n      ${help} (${String(value ?? '') || 'empty'})`)
  .join('\n')}

Rates of faults: the kinds of each group. A rate is the share of a kind, from 0 to 1:
${RATES_HELP}

Calls of the gateway: below /v1. Control API: below /control, with Authorization: Bearer TOKEN.
${CONTROL_CALLS}`

await main(process.argv.slice(2), process.env)

async function main(args: string[], env: Record<string, string | undefined>): Promise<void> {
  const [only] = args
  if (args.length === 1 && only === '--magic') {
    process.stdout.write(magicText())
    return
  }
  if (args.length > 0) {
    const asked_for_help = only === '--help' || only === '-h'
    process[asked_for_help ? 'stdout' : 'stderr'].write(USAGE)
    process.exitCode = asked_for_help ? 0 : 2
    return
  }
  try {
    const simulator = await startSimulator(optionsOf(env))
    process.stdout.write(`simulator listens on ${simulator.url}, control API on ${simulator.control_url}\n`)
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void simulator.close())
  } catch (error) {
    process.stderr.write(`simulator: ${(error as Error).message}\n`)
    process.exitCode = 1
  }
}

function optionsOf(env: Record<string, string | undefined>): SimulatorOptions {
  return {
    port: wholeOf(env, 'PORT', '8091', 65_535),
    host: env.HOST || '127.0.0.1',
    account: {
      api_key: env.SIMULATOR_API_KEY || SAMPLE_ACCOUNT.api_key,
      api_secret: env.SIMULATOR_API_SECRET || SAMPLE_ACCOUNT.api_secret,
      rsa_public_key: env.SIMULATOR_RSA_PUBLIC_KEY || null,
      vendor: env.SIMULATOR_VENDOR || SAMPLE_ACCOUNT.vendor,
      float_vendor: env.SIMULATOR_FLOAT_VENDOR || SAMPLE_ACCOUNT.float_vendor,
      pin: env.SIMULATOR_PIN || SAMPLE_ACCOUNT.pin,
    },
    control_token: env.SIMULATOR_CONTROL_TOKEN || SAMPLE_CONTROL_TOKEN,
    float: BigInt(wholeOf(env, 'SIMULATOR_FLOAT', '1000000000', Number.MAX_SAFE_INTEGER)),
    settings: settingsOfEnvironment(env),
    faults: faultsOf(env.SIMULATOR_FAULTS),
  }
}

function wholeOf(env: Record<string, string | undefined>, name: string, fallback: string, max: number): number {
  const text = env[name] || fallback
  if (!/^\d+$/.test(text) || Number(text) > max) throw new Error(`${name} must be a whole number from 0 to ${max}`)
  return Number(text)
}

function faultsOf(text: string | undefined): NonNullable<SimulatorOptions['faults']> {
  if (!text) return {}
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch {
    throw new Error('SIMULATOR_FAULTS must be JSON, such as {"seed": "1", "rates": {"push": {"hang_after": 0.01}}}')
  }
  const rates = ratesOf(content)
  if ('problem' in rates) throw new Error(`SIMULATOR_FAULTS: the twin cannot read ${rates.problem}`)
  return rates.read
}
