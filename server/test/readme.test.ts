/**
 * Tests the commands of the README and of the guides in a real shell, against a real `npm start`. The test changes only ports
 * and folders, so that it can run beside another server.
 */

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { freePort } from './free-port.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/**
 * The timeout in milliseconds of the first start, which creates a database. On a loaded machine, this start takes long.
 */
const START_MS_MAX = 150_000
/** The documents that contain commands, in the order in which the commands run. */
const DOCUMENTS = [
  'README.md',
  ...[
    'withdrawals',
    'payments',
    'invoices',
    'events',
    'quickstart',
    'idempotency',
    'reconciliation',
    'mobile-apps',
  ].map((name) => `docs/guides/${name}.md`),
]

let folder: string
let env: Record<string, string>
let documents: string
let port: number
let receiver_port: number
let server: ChildProcess | null = null

before(async () => {
  documents = (await Promise.all(DOCUMENTS.map((path) => readFile(join(ROOT, path), 'utf8')))).join('\n')
  folder = await mkdtemp(join(tmpdir(), 'malipo-readme-'))
  await chmod(folder, 0o711)
  ;[port, receiver_port] = await Promise.all([freePort(), freePort()])
  const inherited = ['PATH', 'HOME', 'TMPDIR', 'LANG'].map((name) => [name, process.env[name] ?? ''])
  env = {
    ...Object.fromEntries(inherited),
    DATA_DIR: join(folder, 'data'),
    PORT: String(port),
    RECEIVER_PORT: String(receiver_port),
  }
})

after(async () => {
  await stop(server)
  const pointer = await readFile(join(folder, 'data', 'postgres.json'), 'utf8').catch(() => null)
  if (pointer !== null)
    await rm(resolve(folder, 'data', (JSON.parse(pointer) as { place: string }).place), {
      recursive: true,
      force: true,
    })
  await rm(folder, { recursive: true, force: true })
})

test('the commands of the README and the guides make payments, payouts and an invoice, verify webhooks, and leave correct books', async () => {
  const [start, ...rest] = blocks('start')
  assert.ok(start && rest.length === 0, 'the documents have one block that starts the server')
  server = shell(start)
  const started = await outputUntil(server, `http://127.0.0.1:${port}/docs`)
  assert.match(started, /First payment/)

  const uses = [...blocks('use'), ...blocks('end')]
  assert.ok(uses.length >= 14, `the documents have ${uses.length} marked blocks`)
  const user = shell(`set -eo pipefail\n${uses.join('\n')}`)
  const { code, output } = await outcome(user)
  assert.equal(code, 0, output)
  assert.match(output, /The key begins with service_sandbox_/)
  assert.match(output, /HTTP\/1\.1 202 Accepted/)
  assert.match(output, /"status":"processing"/)
  assert.match(output, /^signature ok: collection\.success 25000\.00 TZS ORDER-1042$/m)
  assert.match(output, /^successful$/m)
  assert.match(output, /^signature ok: disbursement\.success 10000\.00 TZS PAYOUT-7$/m)
  assert.match(output, /^WITHDRAWAL of 10000\.00, 15000\.00 left$/m)
  assert.match(output, /^PROCESSING$/m)
  assert.match(output, /^SUCCESS$/m)
  assert.match(output, /^signature ok: disbursement\.success 5000\.00 TZS SALARY-7$/m)
  assert.match(output, /^ok: true$/m)
  const [, page = ''] = /^Open (http:\S+\/pay\/\S+)$/m.exec(output) ?? []
  const shown = await (await fetch(`${page}?lang=en`)).text()
  assert.match(shown, /18,000/)
  assert.match(output, /^Payment prompt sent\./m)
  assert.match(output, /^The link is PAID$/m)
  const [, invoice = ''] = /^INV-000001 is SENT: 64000\.00 at (http:\S+\/invoice)$/m.exec(output) ?? []
  assert.match(await (await fetch(invoice)).text(), /Maize flour, 25 kg/)
  assert.match(output, /"opening_balance":"0\.00"/)
  assert.match(output, /^reference,created_at_eat,created_at,type,/m)
  assert.doesNotMatch(output, /"success":false|refused|undefined/)
})

test('the doctor finds the running server, although its own environment names no port', async () => {
  const { PORT: _, ...without_port } = env
  const doctor = spawn('npm', ['run', '-s', 'admin', '--', 'doctor'], { cwd: ROOT, env: without_port, detached: true })
  const { output } = await outcome(doctor)
  assert.match(output, new RegExp(`^ok +port +a server answers on port ${port}$`, 'm'))
})

test('npm start ends after a stop signal, and its server no longer answers', async () => {
  assert.ok(server, 'the server has started')
  await stop(server)
  await assert.rejects(fetch(`http://127.0.0.1:${port}/healthz`))
})

/** Returns the bash blocks that follow `<!-- quickstart: name -->`, with this test's ports instead of the usual ports. */
function blocks(name: string): string[] {
  return [...documents.matchAll(/<!-- quickstart: (\w+) -->\n```bash\n([\s\S]*?)\n```/g)]
    .filter((match) => match[1] === name)
    .map((match) => (match[2] as string).replaceAll(':8080', `:${port}`).replaceAll(':9090', `:${receiver_port}`))
}

/** Starts a shell in the checkout with a separate process group, so that the test can end the shell and all its processes. */
function shell(script: string): ChildProcess {
  return spawn('bash', ['-c', script], { cwd: ROOT, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
}

function listen(child: ChildProcess, hear: (output: string) => void): void {
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      hear(output)
    })
  }
}

function outputUntil(child: ChildProcess, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = ''
    const timer = setTimeout(() => reject(new Error(`"${text}" was not printed:\n${printed}`)), START_MS_MAX)
    listen(child, (output) => {
      printed = output
      if (!output.includes(text)) return
      clearTimeout(timer)
      resolve(output)
    })
    child.once('close', (code) => {
      clearTimeout(timer)
      reject(new Error(`ended with ${code}:\n${printed}`))
    })
  })
}

function outcome(child: ChildProcess): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    let printed = ''
    listen(child, (output) => {
      printed = output
    })
    const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), START_MS_MAX)
    child.once('close', (code) => {
      clearTimeout(timer)
      resolve({ code, output: printed })
    })
  })
}

async function stop(child: ChildProcess | null): Promise<void> {
  if (child === null || child.exitCode !== null || child.signalCode !== null) return
  const closed = new Promise((resolve) => child.once('close', resolve))
  signalGroup(child, 'SIGTERM')
  await closed
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch {
    // The process ended before the signal arrived.
  }
}
