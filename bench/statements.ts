/**
 * How fast a statement is reconciled. Not part of `npm test`:
 *   LINES=200000 node scripts/run.mjs server/test/run.ts bench/statements.ts
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { COMMAND_ACT } from '../server/src/admin/act.ts'
import { importWhole } from '../server/src/reconciliation/index.ts'
import { createWorld } from '../server/test/harness.ts'
import { csvOf, lineOf, type Plant, plant } from '../server/test/statements.ts'

const LINES = Number(process.env.LINES ?? 200_000)
const MERCHANTS = 100
const CHUNK = 50_000

test(`${LINES} lines`, async () => {
  const world = await createWorld()
  const merchants = await Promise.all(Array.from({ length: MERCHANTS }, () => world.newMerchant()))
  const from = new Date('2026-01-04T21:00:00Z')
  const to = new Date('2026-01-05T09:00:00Z')
  const span = to.getTime() - from.getTime()
  const chunks: Buffer[] = []
  for (let begun = 0; begun < LINES; begun += CHUNK) {
    const wishes = Array.from(
      { length: Math.min(CHUNK, LINES - begun) },
      (_, i): Plant => ({
        flow: i % 10 === 0 ? 'payout' : 'payment',
        state: 'paid',
        amount_minor: BigInt(100_000 + i),
        at: new Date(from.getTime() + Math.floor(((begun + i) / LINES) * span)),
        merchant: merchants[i % MERCHANTS] as (typeof merchants)[0],
      }),
    )
    const text = csvOf((await plant(world, wishes)).map((one) => lineOf(one)))
    chunks.push(Buffer.from(begun === 0 ? text : text.slice(text.indexOf('\n') + 1)))
  }
  await world.rows('vacuum analyze')
  const sha256 = createHash('sha256').update(String(Math.random())).digest()
  const open = async function* () {
    for (const chunk of chunks) for (let i = 0; i < chunk.length; i += 262_144) yield chunk.subarray(i, i + 262_144)
  }
  const before = process.memoryUsage().rss
  let most = before
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss)
  }, 100)
  const file = { name: null, sha256, open }
  const run = async (what: string, given: Buffer) => {
    const begun = performance.now()
    const act = COMMAND_ACT
    const input = { provider: 'mock', file: { ...file, sha256: given }, columns: new Map(), period: { from, to } }
    const done = await importWhole(world.deps, act, input)
    const seconds = (performance.now() - begun) / 1_000
    console.log(`${what}: ${LINES} lines in ${seconds.toFixed(1)} s, ${Math.round(LINES / seconds)} a second`)
    assert.deepEqual([done.lines, done.matched, done.opened], [LINES, LINES, 0])
  }
  await run('first', sha256)
  await run('again', createHash('sha256').update('again').digest())
  clearInterval(watch)
  console.log(`memory: ${Math.round((most - before) / 1e6)} MB more at most`)
  await world.close()
})
