// Tests a database that neither answers nor closes its connections, as after a cut cable or when its machine hangs.

import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { startEmbedded } from '../src/kernel/db/embedded.ts'
import { migrate } from '../src/kernel/db/migrate.ts'
import { createWorld } from './harness.ts'

/** Returns the process ids of the PostgreSQL server with data in `folder`. */
function serverPids(folder: string): number[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      return /^\d+$/.test(name) && readlinkSync(`/proc/${name}/cwd`).startsWith(folder) ? [Number(name)] : []
    } catch {
      return [] // the process ended, or the process belongs to another user
    }
  })
}

const cleanups: (() => unknown)[] = []
after(async () => {
  for (const clean of cleanups.reverse()) await clean()
})

test('while the database hangs, the server answers a request with 503 within 15 seconds and /readyz within 3, and later recovers', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'stopped-'))
  chmodSync(folder, 0o711)
  const server = await startEmbedded({
    dataDir: folder,
    log: { info: () => {}, warn: () => {} },
    settings: { fsync: 'off', shared_buffers: '16MB' },
  })
  cleanups.push(async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  await migrate(server.url)
  const world = await createWorld({ url: server.url })
  cleanups.push(() => world.close())
  const { place: written } = JSON.parse(readFileSync(join(folder, 'postgres.json'), 'utf8')) as { place: string }
  const place = resolve(folder, written)
  const pids = serverPids(place)
  assert.ok(pids.length > 1, 'the server runs')
  const signal = (name: NodeJS.Signals) => {
    for (const pid of serverPids(place)) process.kill(pid, name)
  }
  const timed = async <Answer>(run: () => Promise<Answer>) => {
    const begin = performance.now()
    return { answer: await run(), took: performance.now() - begin }
  }
  const push = (idempotency_key: string) =>
    world.post('/v1/collections/wallet-push', { amount: '10', phone: '0754123001' }, { idempotency_key })
  assert.equal((await push('before')).status, 202)

  cleanups.push(() => signal('SIGCONT'))
  signal('SIGSTOP')
  const [ready, pushed, listed] = await Promise.all([
    timed(() => world.call({ method: 'GET', url: '/readyz', key: null })),
    timed(() => push('during')),
    timed(() => world.get('/v1/collections')),
  ])
  assert.equal(ready.answer.status, 503)
  assert.ok(ready.took < 3_000, `/readyz took ${ready.took} ms`)
  for (const { answer, took } of [pushed, listed]) {
    assert.equal(answer.status, 503)
    assert.equal(answer.body.error.code, 'service_unavailable')
    assert.ok(took < 15_000, `the request took ${took} ms`)
  }

  signal('SIGCONT')
  const end = Date.now() + 10_000
  while ((await world.call({ method: 'GET', url: '/readyz', key: null })).status !== 200)
    assert.ok(Date.now() < end, 'the process is ready again')
  assert.equal((await push('during')).status, 202)
})
