// Tests that the check finds random edits of the audit log by a superuser without SECRET_KEY, even if the superuser also
// computes the hashes again.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import { inTransaction, sql } from '../../kernel/db/index.ts'
import { seededRandom } from '../../kernel/lib/index.ts'
import { addressRetention } from './addresses.ts'
import {
  CHAIN_COLUMNS,
  type ChainRow,
  checkChains,
  endFault,
  entryHash,
  FIRST_LINK,
  GENESIS,
  nextLink,
  type SealCheck,
  sealCheck,
} from './chain.ts'
import { checkAuditStep } from './check-step.ts'
import { listAudit, PLATFORM } from './list.ts'
import { recordAudit, recordAudits } from './record.ts'

const DAY_MS = 86_400_000
const EDITS = 1_000
const ENTRIES = 30

let world: World
let rows: ChainRow[]
let check: SealCheck
before(async () => {
  world = await createWorld()
  const { deps } = world
  const entries = Array.from({ length: ENTRIES }, (_, i) => ({
    merchant_id: PLATFORM,
    actor: { kind: 'operator', id: 'operator-1', name: 'operator-1@example.com' } as const,
    action: 'user.enable' as const,
    target_type: 'user',
    target_id: String(i),
    after: { i },
  }))
  await inTransaction(deps.db, (tx) => recordAudits(deps, tx, entries))
  const read = sql('', `select ${CHAIN_COLUMNS} from audit_log l where l.merchant_id = $1 order by l.seq`)
  rows = await deps.db.query<ChainRow>(read, [PLATFORM])
  // The start time of the seals is 1970, so that every entry needs a seal.
  check = { ...(await sealCheck(deps.db, deps.vault, null)), since: new Date(0) }
})
after(() => world.close())

/** Returns the first fault of a chain in memory. Null means that the check finds no fault. */
function faultOf(chain: readonly ChainRow[], seals = check): string | null {
  let link = FIRST_LINK
  for (const row of chain) {
    const next = nextLink(PLATFORM, link, row, seals)
    if (typeof next === 'string') return next
    link = next
  }
  const head = chain.at(-1)
  return head === undefined ? null : endFault(PLATFORM, link, head)
}

/**
 * Computes the numbers and hashes of the entries again from index `from` on. An attacker who knows this code can do the same.
 */
function hashAgain(chain: ChainRow[], from: number): void {
  let hash = from === 0 ? GENESIS : (chain[from - 1] as ChainRow).hash
  for (const [i, row] of chain.entries()) {
    if (i < from) continue
    row.seq = String(i + 1)
    const actor = { kind: row.actor_kind, id: row.actor_id, name: row.actor_name }
    hash = entryHash(hash, { ...row, merchant_id: PLATFORM, seq: i + 1, at: row.at.toISOString(), actor })
    row.hash = hash
  }
}

const KINDS = ['change', 'delete', 'swap', 'insert'] as const
const SEALS = ['keep', 'remove', 'forge'] as const

test(`the check finds ${EDITS} random edits of the log, with and without new hashes, and names the first changed entry`, () => {
  const random = seededRandom('rewriting')
  const pick = (below: number) => Number(Buffer.from(random.bytes(4)).readUInt32BE() % below)
  assert.equal(faultOf(rows), null, 'the log before the edits')
  const missed: string[] = []
  for (let n = 0; n < EDITS; n++) {
    const chain = rows.map((row) => ({ ...row }))
    // No edit begins at one of the last two entries, because only a copy outside of the database shows missing newest entries.
    const at = pick(chain.length - 2)
    const kind = KINDS[pick(KINDS.length)] as (typeof KINDS)[number]
    const again = pick(3) > 0
    const seal = SEALS[pick(SEALS.length)] as (typeof SEALS)[number]
    const row = chain[at] as ChainRow
    const other = chain[at + 1 + pick(chain.length - at - 1)] as ChainRow
    if (kind === 'change') row.target_id = `changed ${n}`
    if (kind === 'delete') chain.splice(at, 1)
    if (kind === 'swap') [row.target_id, other.target_id] = [other.target_id, row.target_id]
    if (kind === 'insert') chain.splice(at, 0, { ...row, target_id: `inserted ${n}` })
    if (again) {
      hashAgain(chain, at)
      for (const later of chain.slice(at)) {
        if (seal === 'remove') later.seal = null
        if (seal === 'forge') later.seal = Buffer.from(random.bytes(32))
      }
    }
    const fault = faultOf(chain)
    if (!fault?.includes(`: entry ${at + 1} `)) missed.push(`${kind} ${at + 1} ${again ? seal : 'no hashes'}: ${fault}`)
  }
  assert.deepEqual(missed, [])
})

test('without seals, the check misses an edit after which a superuser computes all hashes again', () => {
  const chain = rows.map((row) => ({ ...row, seal: null }))
  ;(chain[3] as ChainRow).target_id = 'changed'
  hashAgain(chain, 0)
  assert.equal(faultOf(chain, { ...check, since: null }), null)
  assert.match(String(faultOf(chain, { ...check, since: new Date(0) })), /entry 1 has no seal/)
})

test('the first sealed entry seals the entries of an earlier version, and a later entry without a seal is a fault', () => {
  const upgraded = rows.map((row, i) => ({ ...row, seal: i < 5 ? null : row.seal }))
  const { at } = rows[4] as ChainRow
  const after_upgrade = { ...check, since: at }
  assert.equal(faultOf(upgraded, after_upgrade), null, 'entries from before the upgrade have no seal')
  const edited = upgraded.map((row) => ({ ...row }))
  ;(edited[2] as ChainRow).target_id = 'changed'
  hashAgain(edited, 2)
  assert.match(String(faultOf(edited, after_upgrade)), /: entry 6 has a wrong seal/)
  const older = rows.map((row, i) => ({ ...row, seal: i === 9 ? null : row.seal }))
  assert.match(
    String(faultOf(older, after_upgrade)),
    /: entry 10 has no seal: a program of an earlier version wrote it/,
  )
})

test('the check accepts unreadable seals only of entries from before an operator gave up a lost key', () => {
  const foreign = rows.map((row) => ({ ...row, seal: Buffer.alloc(32, 1) }))
  const [first] = rows as [ChainRow]
  assert.match(String(faultOf(foreign)), /: entry 1 has a wrong seal/)
  assert.equal(faultOf(foreign, { ...check, abandoned_at: first.at }), null)
  const earlier = new Date(first.at.getTime() - 1)
  assert.match(String(faultOf(foreign, { ...check, abandoned_at: earlier })), /: entry 1 has a wrong seal/)
})

test('the check of the database accepts the sealed log with its key, and reports another key', async () => {
  assert.deepEqual(await checkChains(world.deps.db, world.deps.vault), [])
  const faults = await checkChains(world.deps.db, { mark: () => Buffer.alloc(32) })
  assert.ok(faults.length > 0 && faults.every((fault) => /entry 1 has a wrong seal/.test(fault)), faults.join())
})

test('the worker deletes addresses after RETENTION_AUDIT_ADDRESSES_DAYS, and the check reports only changed addresses and addresses that are missing too early', async () => {
  const { deps } = world
  const act = (target_id: string, address: string | null) =>
    inTransaction(deps.db, (tx) =>
      recordAudit(deps, tx, {
        merchant_id: PLATFORM,
        actor: { kind: 'operator', id: 'operator-1', name: 'operator-1@example.com' },
        action: 'user.enable',
        target_type: 'user',
        target_id,
        address,
      }),
    )
  const shown = async () => {
    const { items } = await listAudit(deps.db, PLATFORM, { page_size: 3 })
    return items.map(({ target_id, address }) => [target_id, address])
  }
  const faults = async () => [
    ...(await checkChains(deps.db, deps.vault, deps.clock.now())),
    ...(await checkAuditStep(deps, deps.db)).problems,
  ]
  const dump = async () => (await world.rows('select l::text from audit_log l')).map(({ l }) => l).join()
  await act('old', '198.51.100.7')
  deps.clock.advance(729 * DAY_MS)
  await act('new', '203.0.113.9')
  await act('command', null)
  const all = [
    ['command', null],
    ['new', '203.0.113.9'],
    ['old', '198.51.100.7'],
  ]
  assert.equal(await addressRetention(deps).runOnce(), 0)
  assert.deepEqual(await shown(), all)
  assert.doesNotMatch(await dump(), /198\.51\.100|203\.0\.113/, 'no entry holds an address')
  deps.clock.advance(DAY_MS + 1)
  assert.equal(await addressRetention(deps).runOnce(), 1)
  assert.equal(await addressRetention(deps).runOnce(), 0)
  assert.deepEqual(await shown(), [...all.slice(0, 2), ['old', null]])
  assert.deepEqual(await faults(), [])
  await assert.rejects(world.rows("update audit_addresses set address = '192.0.2.1'"), /permission denied/)
  await world.rows('grant update on audit_addresses to current_user')
  await world.rows("update audit_addresses set address = '192.0.2.1'")
  for (const fault of await faults()) assert.match(fault, /: entry 32 has another address than the server wrote$/)
  assert.equal((await faults()).length, 2)
  await world.rows('delete from audit_addresses')
  for (const fault of await faults()) assert.match(fault, /: entry 32 has lost its address/)
  assert.equal((await faults()).length, 2)
  deps.clock.advance(29 * DAY_MS)
  assert.deepEqual(await faults(), [], 'after 29 days, the worker may have deleted it')
})
