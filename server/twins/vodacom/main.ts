// Runs the twin of M-Pesa's OpenAPI as a separate process: npm run vodacom-twin.

import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import {
  CALLS,
  CONTROL_CALLS,
  FATES,
  magicRows,
  SAMPLE_ACCOUNT,
  SAMPLE_CONTROL_TOKEN,
  startVodacomTwin,
  type VodacomTwinOptions,
  WIRE_FAULTS,
} from './index.ts'

const KEY_FILE = '.data/vodacom-twin.pem'
const USAGE = `Usage: npm run vodacom-twin

A twin of Vodacom's M-Pesa OpenAPI for tests and rehearsals. It moves no money. It answers its callers and sends callbacks
to one address. The twin makes its key once and keeps it in TWIN_KEY_FILE. A file in the same folder,
whose name ends in .pub, has the public half for VODACOM_PUBLIC_KEY_FILE.

Environment:
  PORT                    Port to listen on. 0: any free port. (8092)
  HOST                    Address to listen on. (127.0.0.1)
  TWIN_API_KEY            API key of the caller. (${SAMPLE_ACCOUNT.api_key})
  TWIN_PROVIDER_CODE      Short code of the caller. (${SAMPLE_ACCOUNT.service_provider_code})
  TWIN_KEY_FILE           File of the key. (${KEY_FILE})
  TWIN_KEY_BITS           Bits of a new key: 2048 or 4096. (4096)
  TWIN_CONTROL_TOKEN      Token of the control API. (${SAMPLE_CONTROL_TOKEN})
  TWIN_MODE               sync or async. (sync)
  TWIN_DECIDE_MS          Milliseconds until payers and receivers decide. (1500)
  TWIN_CALLBACK_URL       URL of callbacks, with its ?secret=. (none)
  TWIN_FAULTS             Faults by chance, as JSON: {"seed": "1", "rates": {"c2b": {"hang_after": 0.01}, "fate": {"fails": 0.1}}}

  Calls that can have faults: ${CALLS.join(', ')}. Faults: ${Object.keys(WIRE_FAULTS).join(', ')}.
  Outcomes of a payment or payout, as "fate": ${Object.keys(FATES).join(', ')}.

The last three digits of a number choose its outcome. Any other number pays, or has an outcome by chance:
${magicRows()
  .map(({ ending, happens }) => `  ${ending}  ${happens}`)
  .join('\n')}

Control API: below /control, with Authorization: Bearer TOKEN.
${CONTROL_CALLS}`

await main(process.argv.slice(2), process.env)

async function main(args: string[], env: Record<string, string | undefined>): Promise<void> {
  if (args.length > 0) {
    const asked_for_help = args.length === 1 && (args[0] === '--help' || args[0] === '-h')
    process[asked_for_help ? 'stdout' : 'stderr'].write(USAGE)
    process.exitCode = asked_for_help ? 0 : 2
    return
  }
  try {
    const file = env.TWIN_KEY_FILE || KEY_FILE
    const key = await readFile(file, 'utf8').catch(() => null)
    const twin = await startVodacomTwin({ ...optionsOf(env), key })
    if (key === null) await keep(file, twin.private_pem)
    const public_file = `${file.replace(/\.pem$/, '')}.pub`
    await keep(public_file, `${twin.public_key}\n`)
    process.stdout.write(
      `VODACOM_URL=${twin.url}\nVODACOM_PUBLIC_KEY_FILE=${public_file}\ncontrol API ${twin.control_url}\n`,
    )
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void twin.close())
  } catch (error) {
    process.stderr.write(`vodacom-twin: ${(error as Error).message}\n`)
    process.exitCode = 1
  }
}

/** Writes a file under a temporary name, then renames the file. So a crash leaves no half-written key. */
async function keep(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  const unfinished = `${file}.${process.pid}`
  await writeFile(unfinished, text, { mode: 0o600 })
  await rename(unfinished, file)
}

function optionsOf(env: Record<string, string | undefined>): VodacomTwinOptions {
  const mode = env.TWIN_MODE || 'sync'
  if (mode !== 'sync' && mode !== 'async') throw new Error('TWIN_MODE must be sync or async')
  const key_bits = wholeOf(env, 'TWIN_KEY_BITS', '4096', 4096)
  if (key_bits !== 2048 && key_bits !== 4096) throw new Error('TWIN_KEY_BITS must be 2048 or 4096')
  return {
    port: wholeOf(env, 'PORT', '8092', 65_535),
    host: env.HOST || '127.0.0.1',
    account: {
      api_key: env.TWIN_API_KEY || SAMPLE_ACCOUNT.api_key,
      service_provider_code: env.TWIN_PROVIDER_CODE || SAMPLE_ACCOUNT.service_provider_code,
    },
    key_bits,
    control_token: env.TWIN_CONTROL_TOKEN || SAMPLE_CONTROL_TOKEN,
    settings: {
      mode,
      decide_ms: wholeOf(env, 'TWIN_DECIDE_MS', '1500', 600_000),
      callback_url: env.TWIN_CALLBACK_URL || null,
    },
    chances: faultsOf(env.TWIN_FAULTS),
  }
}

function wholeOf(env: Record<string, string | undefined>, name: string, fallback: string, max: number): number {
  const text = env[name] || fallback
  if (!/^\d+$/.test(text) || Number(text) > max) throw new Error(`${name} must be a whole number from 0 to ${max}`)
  return Number(text)
}

function faultsOf(text: string | undefined): NonNullable<VodacomTwinOptions['chances']> {
  if (!text) return {}
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('TWIN_FAULTS must be JSON, such as {"seed": "1", "rates": {"c2b": {"hang_after": 0.01}}}')
  }
}
