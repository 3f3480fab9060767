// Tests /readyz while PostgreSQL accepts no writes or a disk is full. The test uses a real standby and real full disks.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type OwnPostgres, startOwnPostgres } from '../own-postgres.ts'
import { type Child, startChild, until } from './processes.ts'
import { createRig, type Rig, type Shop } from './rig.ts'

const ANSWER_MS_MAX = 2_500
/** The longest delay of a busy machine that the test adds to this time. */
const MACHINE_MS_MAX = 5_000
const DISK_MB = 96

let own: OwnPostgres
let rig: Rig
let server: Child
/** A small disk that tests fill. The disk contains DATA_DIR and a tablespace. */
let disk: string
let mounted = false
before(async () => {
  own = await startOwnPostgres()
  disk = mkdtempSync(join(tmpdir(), 'disk-'))
  if (process.getuid?.() === 0) {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m`, 'none', disk])
    mounted = true
  }
  chmodSync(disk, 0o711)
  mkdirSync(join(disk, 'data'))
  rig = await createRig({ shops: 1, delay_ms: 0, database: { url: own.url, drop: async () => {} } })
  server = startChild(rig.env({ DATA_DIR: join(disk, 'data') }))
  await server.ready()
  // Until the process logs this text, it still makes its demo merchant.
  await until('the server has started', () => server.output().includes('is ready.'))
})
after(async () => {
  await server?.kill()
  await rig?.close()
  await own?.close()
  if (mounted) execFileSync('umount', [disk])
  rmSync(disk, { recursive: true, force: true })
})

type Ready = { status: number; retry_after: string | null; body: Body }
type Body = { status?: string; checks?: Record<string, string>; error?: Failure }
type Failure = { code: string; details: { checks: Record<string, string> } }

async function ask(path: string): Promise<{ answer: Response; body: Body; ms: number }> {
  const begin = performance.now()
  const answer = await fetch(server.url + path)
  const body = (await answer.json()) as Body
  return { answer, body, ms: performance.now() - begin }
}

/** Requests /readyz. /healthz needs no database, so its time measures the delay of the machine. */
async function readyz(): Promise<Ready> {
  const [{ answer, body, ms }, { ms: machine_ms }] = await Promise.all([ask('/readyz'), ask('/healthz')])
  assert.ok(
    ms <= ANSWER_MS_MAX + Math.min(MACHINE_MS_MAX, machine_ms),
    `the server answered /readyz after ${ms} ms, and /healthz after ${machine_ms} ms`,
  )
  return { status: answer.status, retry_after: answer.headers.get('retry-after'), body }
}

const OK = { database: 'ok', writable: 'ok', disk: 'ok', key: 'ok', migrations: 'ok' }

async function untilReady(): Promise<void> {
  await until('the process is ready again', async () => (await readyz()).status === 200)
  assert.deepEqual((await readyz()).body, { status: 'ready', checks: OK })
}

/** Waits until /readyz reports exactly these problems. */
async function untilNamed(wrong: Partial<typeof OK>): Promise<Body> {
  let last: Ready | null = null
  await until(`/readyz names ${JSON.stringify(wrong)}`, async () => {
    last = await readyz()
    return (
      last.status === 503 && JSON.stringify(last.body.error?.details.checks) === JSON.stringify({ ...OK, ...wrong })
    )
  }).catch((error: Error) => assert.fail(`${error.message}; last answer ${JSON.stringify(last)}`))
  const { retry_after, body } = last as unknown as Ready
  assert.equal(body.error?.code, 'service_unavailable')
  assert.ok(Number(retry_after) >= 1)
  return body
}

const READ_ONLY = 'the database is read-only'
const logged = (text: string) => server.output().split(text).length - 1

test('/readyz returns 503 with the reason while the database is read-only, and the next 503 adds no line to the log', async () => {
  await untilReady()
  await own.admin('alter database malipo set default_transaction_read_only = on')
  await own.admin(`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'malipo%'`)
  await untilNamed({ writable: READ_ONLY })
  const before = logged('"the process is not ready"')
  await untilNamed({ writable: READ_ONLY })
  assert.equal(logged('"the process is not ready"'), before)
  await own.admin('alter database malipo reset default_transaction_read_only')
  await own.admin(`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'malipo%'`)
  await untilReady()
})

test('/readyz returns 503 with the reason while the database is a standby in recovery', async () => {
  await own.stop('fast')
  await own.start('standby')
  await untilNamed({ writable: READ_ONLY })
  await own.stop('fast')
  await own.start()
  await untilReady()
})

test('/readyz returns 503 with the reason while DATA_DIR has too little free space', async (t) => {
  if (!mounted) return t.skip('only root may mount a small disk')
  const ballast = join(disk, 'ballast')
  writeFileSync(ballast, Buffer.alloc((DISK_MB - 50) * 1_048_576))
  await untilNamed({ disk: 'the disk has too little free space' })
  rmSync(ballast)
  await untilReady()
})

test("/readyz returns 503 with the reason while the database's disk has no space for a payment, and 200 after the disk has space again", async (t) => {
  if (!mounted) return t.skip('only root may mount a small disk')
  const folder = join(disk, 'tablespace')
  mkdirSync(folder, { mode: 0o700 })
  const { uid, gid } = statSync(join(own.place, 'data'))
  chownSync(folder, uid, gid)
  await own.admin(`create tablespace small location '${folder}'`)
  await own.admin('alter table collections set tablespace small')
  const ballast = join(disk, 'ballast')
  let mb = DISK_MB
  for (; ; mb -= 0.5) {
    try {
      writeFileSync(ballast, Buffer.alloc(mb * 1_048_576))
      break
    } catch (error) {
      assert.equal((error as { code?: string }).code, 'ENOSPC')
    }
  }
  fillRest(disk)
  const [shop] = rig.shops as [Shop]
  let number = 0
  const push = () =>
    fetch(`${server.url}/v1/collections/wallet-push`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${shop.key}`,
        'content-type': 'application/json',
        'idempotency-key': `full-${++number}`,
      },
      body: JSON.stringify({ amount: '10', phone: '0754123456', reference: 'r'.repeat(60) }),
    }).then(async (answer) => ({ status: answer.status, text: await answer.text() }))
  await until('a payment meets the full disk', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, push))
    for (const { status, text } of answers) assert.ok(status === 202 || status === 503, text)
    return answers.some(({ status }) => status === 503)
  })
  // The same small disk contains DATA_DIR, so /readyz reports both problems.
  const problems = await untilNamed({
    writable: 'the disk of the database is full',
    disk: 'the disk has too little free space',
  })
  assert.ok(!JSON.stringify(problems).includes(own.place), 'the answer shows no path')
  for (const name of readdirSync(disk)) if (name.startsWith('ballast')) rmSync(join(disk, name))
  await untilReady()
  assert.equal((await push()).status, 202)
})

/** Fills the free space of a disk, with at most 40 MB. */
function fillRest(folder: string): void {
  for (let at = 0; at < 10_000; at++) {
    try {
      writeFileSync(join(folder, `ballast-${at}`), Buffer.alloc(4_096))
    } catch {
      return
    }
  }
}
