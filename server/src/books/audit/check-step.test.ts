// Tests that steps of any size together find every change of the audit log, and that no step exceeds its limits.

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import pg from 'pg'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'
import { inTransaction } from '../../kernel/db/index.ts'
import { checkChains } from './chain.ts'
import { checkAuditStep, parseChainPosition } from './check-step.ts'
import type { AuditEntry } from './list.ts'
import { recordAudits } from './record.ts'

let base: TestDatabase
let operator: string
before(async () => {
  base = await createTestDatabase()
  const world = await createWorld({ url: base.url })
  for (let i = 0; i < 4; i++) await write(world, (await world.newMerchant()).id, [3, 0, 9, 6][i] as number)
  await world.close()
})
after(() => base.drop())

let copy: TestDatabase
let world: World
beforeEach(async () => {
  if (world !== undefined) await world.close()
  if (copy !== undefined) await copy.drop()
  copy = await createTestDatabase(new URL(base.url).pathname.slice(1))
  world = await createWorld({ url: copy.url })
  operator = (await world.newSession('SUPER_ADMIN')).token
})
after(async () => {
  await world.close()
  await copy.drop()
})

async function write(where: World, merchant_id: string, many: number): Promise<void> {
  const entry = (i: number): AuditEntry => ({
    merchant_id,
    actor: { kind: 'operator', id: 'operator-1', name: 'operator-1@example.com' },
    action: 'merchant.verify',
    target_type: 'thing',
    target_id: String(i),
    after: { i },
  })
  const entries = Array.from({ length: many }, (_, i) => entry(i))
  await inTransaction(where.deps.db, (tx) => recordAudits(where.deps, tx, entries))
}

/** Checks the whole log in steps of at most the given number of entries. */
async function inSteps(entries: number) {
  const found: string[] = []
  const read = { chains: 0, entries: 0, steps: 0 }
  for (let next: string | null | undefined; next !== null; read.steps++) {
    const place = next === undefined ? undefined : parseChainPosition(next)
    assert.notEqual(place, null, `${next} is a position`)
    const step = await checkAuditStep(world.deps, world.deps.db, place ?? undefined, { entries, ms: 60_000 })
    assert.ok(step.entries <= entries)
    found.push(...step.problems)
    read.chains += step.chains
    read.entries += step.entries
    next = step.next
    assert.ok(read.steps < 1_000, 'the steps end')
  }
  return { ...read, found }
}

/** Changes protected rows. The owner of the tables first grants the privilege to itself. */
async function tamper(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: copy.url })
  await client.connect()
  await client.query('grant update, delete on audit_log, audit_chains to current_user')
  const { rowCount } = await client.query(text)
  await client.end()
  assert.ok((rowCount ?? 0) > 0, 'the statement changed a row')
}

const SIZES = [1, 2, 3, 7, 10_000]
const longest = `(select merchant_id from audit_chains order by seq desc limit 1)`

test('the check reads every entry of a valid log and finds no fault, with each of five step sizes', async () => {
  const [all] = await world.rows<{ entries: number; chains: number }>(
    'select count(*)::int as entries, count(distinct merchant_id)::int as chains from audit_log',
  )
  for (const size of SIZES) {
    const { found, entries, chains } = await inSteps(size)
    assert.deepEqual([found, entries, chains], [[], all?.entries, all?.chains], `steps of ${size}`)
  }
})

describe('faults of the audit log', () => {
  const ways: Record<string, string> = {
    'a changed entry': `update audit_log set target_id = 'x' where merchant_id = ${longest} and seq = 4`,
    'a deleted entry': `delete from audit_log where merchant_id = ${longest} and seq = 4`,
    'a log with a deleted end': `delete from audit_log where merchant_id = ${longest} and seq > 4`,
    'a deleted log': `delete from audit_log where merchant_id = ${longest}`,
    'a log without its head': `delete from audit_chains where merchant_id = ${longest}`,
    'a changed head': `update audit_chains set hash = '\\x00' where merchant_id = ${longest}`,
  }
  for (const [what, way] of Object.entries(ways)) {
    test(`the check finds ${what} and no other fault, with each of five step sizes`, async () => {
      const [victim] = await world.rows<{ id: string }>(`select ${longest} as id`)
      await tamper(way)
      for (const size of SIZES) {
        const { found } = await inSteps(size)
        assert.equal(found.length, 1, `steps of ${size}: ${found}`)
        assert.ok(found[0]?.startsWith(String(victim?.id)), found[0])
      }
      assert.equal((await checkChains(world.deps.db)).length, 1, 'the admin command finds the same fault')
    })
  }
})

test('the check finds no fault when the server appends entries between two steps', async () => {
  const rows = await world.rows<{ merchant_id: string }>('select merchant_id from audit_chains order by merchant_id')
  let next: string | null | undefined
  const found: string[] = []
  for (let i = 0; next !== null; i++) {
    const place = next === undefined ? undefined : (parseChainPosition(next) ?? undefined)
    const step = await checkAuditStep(world.deps, world.deps.db, place, { entries: 2, ms: 60_000 })
    found.push(...step.problems)
    next = step.next
    if (i < 20) for (const { merchant_id } of rows) await write(world, merchant_id, 1)
  }
  assert.deepEqual(found, [])
})

test('a step ends at its time limit and returns the position of the next step', async () => {
  const now = () => {
    world.deps.clock.advance(600)
    return world.deps.clock.now()
  }
  const ticking = { ...world.deps, clock: { ...world.deps.clock, now } }
  const { id } = await world.newMerchant()
  await write(world, id, 3_000)
  const step = await checkAuditStep(ticking, world.deps.db, undefined, { entries: 1_000_000, ms: 1_000 })
  assert.deepEqual([step.entries, step.next === null], [2_000, false])
})

test('an operator checks the whole audit log or the log after a position, and sees the faults', async () => {
  const get = (query = '') => world.get(`/v1/operator/audit-log/verify${query}`, operator)
  const sound = (await get()).body.data
  assert.deepEqual([sound.ok, sound.complete, sound.next, sound.problems], [true, true, null, []])
  const { merchant_id } = (await world.rows<{ merchant_id: string }>(`select ${longest} as merchant_id`))[0] as never
  const rest = (await get(`?after=${merchant_id}.5`)).body.data
  assert.ok(rest.ok && rest.entries < sound.entries)
  await tamper(`update audit_log set actor_name = 'changed' where merchant_id = ${longest} and seq = 2`)
  const broken = (await get()).body.data
  assert.deepEqual([broken.ok, broken.complete, broken.problems.length], [false, true, 1])
  for (const after of ['x', `${merchant_id}`, `${merchant_id}.-1`, '']) {
    assert.deepEqual(codeOf(await get(`?after=${after}`)), [400, 'validation_failed'], after)
  }
})
