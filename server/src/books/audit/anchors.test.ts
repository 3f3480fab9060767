// Tests the anchors of the audit log. The check with the file must find changes by a superuser, even one with SECRET_KEY. The
// check must also find changes of the file.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { runtimeUrlOf } from '../../../test/database.ts'
import { createWorld, type World } from '../../../test/harness.ts'
import { startReceiver } from '../../../test/receiver.ts'
import { checkCopyOffline, exportAnchors } from '../../apps/admin/anchors.ts'
import { grantRuntime, inTransaction, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import { createOutgoing } from '../../kernel/http/index.ts'
import { createVault } from '../../kernel/lib/index.ts'
import type { Task } from '../../kernel/work/index.ts'
import { type AnchoredHead, anchorKey, anchorLine, lineHash, parseAnchor } from './anchor.ts'
import { checkAnchors } from './anchor-check.ts'
import { appendAnchors } from './anchor-file.ts'
import { leaseAnchors, lineOfAnchor, linesAfterAnchor, readAnchorState, releaseAnchors } from './anchor-store.ts'
import { anchorTask } from './anchor-task.ts'
import { CHAIN_COLUMNS, type ChainRow, checkChains, entryHash, GENESIS, sealOf } from './chain.ts'
import { PLATFORM } from './list.ts'
import { recordAudits } from './record.ts'

const HOUR_MS = 3_600_000
const outgoing = createOutgoing({ allow_private: true })

let folder: string
let path: string
let world: World
/** The anchor tasks of two processes that write to the same file. */
let tasks: [Task, Task]
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'anchors-'))
  path = join(folder, 'new', 'anchors.jsonl')
  world = await createWorld({ env: { AUDIT_ANCHOR_FILE: path } })
  const { deps } = world
  tasks = [anchorTask(deps, outgoing), anchorTask({ ...deps, process_id: randomUUID() }, outgoing)]
  await query('grant insert, update, delete on all tables in schema public to current_user')
})
after(async () => {
  await outgoing.close()
  await world.close()
  await rm(folder, { recursive: true })
})

const query = (text: string, values: unknown[] = []) =>
  world.deps.db.query<Record<string, unknown>>(sql('', text), values)
const lines = async () => (await readFile(path, 'utf8')).split('\n').slice(0, -1)
const check = (reader: Reader = world.deps.db, vault: Parameters<typeof checkAnchors>[3] = world.deps.vault) =>
  checkAnchors(reader, world.deps.clock.now(), { path, is_copy: false }, vault)
const stored = {
  lineOf: (number: number) => lineOfAnchor(world.deps.db, number),
  linesAfter: (number: number) => linesAfterAnchor(world.deps.db, number),
}

/** Appends entries to the chain of the platform. */
async function act(entries: number): Promise<void> {
  const { deps } = world
  const entry = {
    merchant_id: PLATFORM,
    actor: { kind: 'operator', id: 'operator-1', name: 'operator-1@example.com' } as const,
    action: 'user.enable' as const,
    target_type: 'user',
    target_id: 'user-1',
  }
  await inTransaction(deps.db, (tx) => recordAudits(deps, tx, Array(entries).fill(entry)))
}

async function nextHour(): Promise<void> {
  world.deps.clock.advance(HOUR_MS)
  for (const task of tasks) await task.runOnce()
}

/** Changes the database in a transaction, runs `found`, and rolls the transaction back. */
async function attack(change: (tx: Tx) => Promise<void>, found: (tx: Tx) => Promise<void>): Promise<void> {
  const undo = new Error('undo')
  const attacked = inTransaction(world.deps.db, async (tx) => {
    await change(tx)
    await found(tx)
    throw undo
  })
  await assert.rejects(attacked, (error) => {
    if (error !== undo) throw error
    return true
  })
}

/**
 * Changes entries of the platform, and computes their hashes, their seals and the head of the chain again. An attacker with
 * SECRET_KEY can do the same.
 */
async function writeAgain(tx: Tx, change: (rows: ChainRow[]) => ChainRow[]): Promise<void> {
  const read = sql('', `select ${CHAIN_COLUMNS} from audit_log l where l.merchant_id = $1 order by l.seq`)
  const rows = change(await tx.query<ChainRow>(read, [PLATFORM]))
  let hash: Buffer = GENESIS
  for (const [i, row] of rows.entries()) {
    const seq = i + 1
    const actor = { kind: row.actor_kind, id: row.actor_id, name: row.actor_name }
    hash = entryHash(hash, { ...row, merchant_id: PLATFORM, seq, at: row.at.toISOString(), actor })
    const seal = sealOf(world.deps.vault, PLATFORM, seq, hash)
    const update = 'update audit_log set target_id = $3, hash = $4, seal = $5 where merchant_id = $1 and seq = $2'
    await tx.query(sql('', update), [PLATFORM, seq, row.target_id, hash, seal])
  }
  await tx.query(sql('', 'delete from audit_log where merchant_id = $1 and seq > $2'), [PLATFORM, rows.length])
  await tx.query(sql('', 'update audit_chains set seq = $2, hash = $3 where merchant_id = $1'), [
    PLATFORM,
    rows.length,
    hash,
  ])
}

test('only one of two processes makes an anchor each hour, and writes the anchor to the file on disk', async () => {
  await act(3)
  assert.deepEqual((await check()).notes, [`no process has written the file ${path} yet`])
  await Promise.all(tasks.map((task) => task.runOnce()))
  for (const task of tasks) assert.equal(await task.runOnce(), 0)
  const [first, ...more] = await lines()
  assert.equal(more.length, 0)
  const anchor = parseAnchor(first ?? '')
  assert.equal(anchor?.heads.find(({ merchant_id }) => merchant_id === PLATFORM)?.seq, 3)
  assert.equal(
    anchor?.entries,
    Number((await query('select count(*) from audit_log'))[0]?.count),
    'the anchor counts the entries of all chains',
  )
  await act(2)
  await nextHour()
  await act(1)
  await nextHour()
  const heads = (await lines()).map((line) => parseAnchor(line)?.heads.map(({ seq }) => seq))
  assert.deepEqual(heads.slice(1), [[5], [6]], 'later anchors have only the chains that grew')
  assert.deepEqual(await check(), { anchors: 3, faults: [], notes: [] })
})

describe('changes of the log', () => {
  test('the database role of the server may change neither entries nor anchors', async () => {
    const url = runtimeUrlOf({ url: world.url })
    await grantRuntime(world.url, url)
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      for (const text of ['update audit_log set hash = hash', 'delete from audit_log', 'delete from audit_anchors'])
        await assert.rejects(client.query(text), { code: '42501' }, text)
      await assert.rejects(client.query("update audit_anchors set line = ''"), { code: '42501' })
    } finally {
      await client.end()
    }
  })

  test('the check finds a change by a superuser with SECRET_KEY who rewrites all hashes and seals, and names the entry or its range', async () => {
    for (const [target, where] of [
      [6, 'entry 6'],
      [4, 'an entry from 4 to 5'],
      [1, 'an entry from 1 to 3'],
    ] as const) {
      await attack(
        (tx) =>
          writeAgain(tx, (rows) => rows.map((row, i) => (i + 1 === target ? { ...row, target_id: 'user-2' } : row))),
        async (tx) => {
          assert.deepEqual(await checkChains(tx, world.deps.vault), [], 'hashes and seals alone do not show the change')
          const [fault = '', ...more] = (await check(tx)).faults
          assert.equal(more.length, 0)
          assert.ok(fault.startsWith(`${PLATFORM}: ${where} is not what the log had at anchor`), fault)
        },
      )
    }
  })

  test('the check finds that a superuser removed the newest entries, and names the first missing entry', async () => {
    await attack(
      (tx) => writeAgain(tx, (rows) => rows.slice(0, 4)),
      async (tx) => {
        assert.deepEqual(await checkChains(tx, world.deps.vault), [], 'the chain alone does not show its missing end')
        assert.deepEqual((await check(tx)).faults, [
          `${PLATFORM}: entry 5 is missing: anchor 2 of ${parseAnchor((await lines())[1] ?? '')?.at} has 5 entries`,
        ])
      },
    )
  })

  test('the check of the file finds changes by a superuser with SECRET_KEY who also signs the anchors of the database again', async () => {
    const { deps } = world
    await attack(
      async (tx) => {
        await writeAgain(tx, (rows) => rows.slice(0, 5))
        const line = (await lines())[2] ?? ''
        const anchor = parseAnchor(line)
        assert.ok(anchor !== null)
        const forged = anchorLine(
          { ...anchor, heads: [] as AnchoredHead[], entries: anchor.entries - 1 },
          anchorKey(deps.vault),
        )
        await tx.query(sql('', 'update audit_anchors set line = $1 where number = 3'), [forged])
      },
      async (tx) => {
        assert.equal((await checkAnchors(tx, deps.clock.now(), null, deps.vault)).faults.length, 0)
        assert.match(
          String((await check(tx)).faults[0]),
          /anchor 3 of \S+ in the database differs from the anchor in the file/,
        )
      },
    )
    await attack(
      async (tx) => void (await tx.query(sql('', 'delete from audit_anchors where number = 3'))),
      async (tx) => assert.match(String((await check(tx)).faults[0]), /anchor 3 of \S+ is missing in the database/),
    )
  })

  test('the check finds an old entry that an attacker kept out of all anchors', async () => {
    await attack(
      async (tx) => {
        const copy = `insert into audit_log select $2, 1, at, actor_kind, actor_id, actor_name, action, target_type, target_id, reason,
            before, after, request_id, address, hash, seal from audit_log where merchant_id = $1 and seq = 1`
        await tx.query(sql('', copy), [PLATFORM, world.deps.process_id])
        const chain = 'insert into audit_chains (merchant_id, seq, hash, at) select $1, 1, $2, now()'
        await tx.query(sql('', chain), [world.deps.process_id, GENESIS])
      },
      async (tx) => assert.match(String((await check(tx)).faults), /: entry 1 of \S+ is in no anchor, but anchor 3/),
    )
  })
})

describe('changes of the file', () => {
  const changes: [string, (all: string[]) => string[], RegExp][] = [
    [
      'an edited number',
      (all) => all.with(1, (all[1] ?? '').replace('",5,"', '",4,"')),
      /line 2 \(anchor 2 .*wrong signature/,
    ],
    ['a removed line', (all) => all.toSpliced(1, 1), /anchor 2 is missing before line 2 \(anchor 3 /],
    ['a missing first line', (all) => all.slice(1), /anchor 1 is missing before line 1 /],
    [
      'a missing last line',
      (all) => all.slice(0, 2),
      /ends with anchor 2, but the server had written 3: restore the file/,
    ],
    ['a line that is no anchor', (all) => all.toSpliced(1, 0, 'nonsense'), /line 2 is not an anchor/],
    ['a last line that is no anchor', (all) => [...all, '{}'], /line 4 is not an anchor/],
    ['an empty file', () => [], /ends with anchor 0, but the server had written 3/],
  ]
  for (const [name, change, fault] of changes) {
    test(`the check reports ${name}`, async () => {
      const all = await lines()
      await writeFile(
        path,
        change(all)
          .map((line) => `${line}\n`)
          .join(''),
      )
      assert.match(String((await check()).faults[0]), fault)
      await writeFile(path, all.map((line) => `${line}\n`).join(''))
      assert.deepEqual((await check()).faults, [])
    })
  }

  test('the check reports an anchor that another key signed, unless an operator later abandoned a lost SECRET_KEY', async () => {
    const { deps } = world
    const other = createVault(Buffer.alloc(32, 9), deps.random)
    const { faults } = await check(deps.db, other)
    assert.match(String(faults[0]), /line 1 \(anchor 1 .* is signed with another key: /)
    assert.deepEqual((await check(deps.db, null)).faults, [], 'without a key, the check trusts the key in the file')
    await attack(
      async (tx) => {
        await tx.query(sql('', 'update vault_canary set retired_at = $1'), [deps.clock.now()])
        const actor = { kind: 'system', id: null, name: 'admin' } as const
        const entry = {
          merchant_id: PLATFORM,
          actor,
          action: 'secrets.abandon',
          target_type: 'secret_key',
          target_id: 'x',
        } as const
        await recordAudits({ ...deps, vault: other }, tx, [entry])
      },
      async (tx) => assert.deepEqual((await check(tx, other)).faults, []),
    )
  })

  test('a person with a copy and the public key checks the file without a database', async () => {
    const { public_key } = anchorKey(world.deps.vault)
    const report = await checkCopyOffline(path, [public_key])
    assert.deepEqual([report.ok, report.anchors], [true, 3])
    const foreign = anchorKey(createVault(Buffer.alloc(32, 9), world.deps.random)).public_key
    assert.match(String((await checkCopyOffline(path, [foreign])).faults), /signed with another key/)
    assert.equal((await checkCopyOffline(join(folder, 'nothing'), [public_key])).ok, false)
  })

  test('the server reports a missing file, and makes no new file until an operator exports the anchors', async () => {
    const text = await readFile(path, 'utf8')
    await rm(path)
    await act(1)
    await nextHour()
    assert.match(String((await check()).faults), /is missing: restore the file from its copy/)
    assert.match((await readAnchorState(world.deps.db))?.file_error ?? '', /is missing, although it had 3 anchors/)
    assert.equal(world.deps.logged.filter((line) => line.includes('cannot write the anchors')).length, 1)
    await assert.rejects(readFile(path), { code: 'ENOENT' })
    assert.equal((await exportAnchors(world.deps, path)).anchors, 4)
    assert.ok((await readFile(path, 'utf8')).startsWith(text))
    await assert.rejects(exportAnchors(world.deps, path), /exists/)
    world.deps.clock.advance(60_000)
    for (const task of tasks) await task.runOnce()
    assert.equal((await readAnchorState(world.deps.db))?.file_error, null)
    assert.deepEqual(await check(), { anchors: 4, faults: [], notes: [] })
  })
})

describe('a process that dies', () => {
  test('the file has an anchor once when a process dies after it wrote the file and before it stored its progress', async () => {
    await act(1)
    world.deps.clock.advance(HOUR_MS)
    const [dead, other] = [
      anchorTask({ ...world.deps, config: { ...world.deps.config, audit_anchor_file: 'off' } }, outgoing),
      tasks[1],
    ]
    await dead.runOnce()
    assert.equal(await appendAnchors(path, 4, stored), 5)
    assert.equal((await readAnchorState(world.deps.db))?.written_number, 4)
    await other.runOnce()
    assert.equal((await lines()).length, 5)
    assert.equal((await readAnchorState(world.deps.db))?.written_number, 5)
  })

  for (const [name, part] of [
    ['part of a line', (line: string) => line.slice(0, 100)],
    ['a line without its end', (line: string) => line],
    ['part of a line and a line break', (line: string) => `${line.slice(0, 100)}\n`],
  ] as const) {
    test(`the check accepts ${name} that a dead process wrote, and the next process writes the anchor again`, async () => {
      await act(1)
      world.deps.clock.advance(HOUR_MS)
      await anchorTask(
        { ...world.deps, config: { ...world.deps.config, audit_anchor_file: 'off' } },
        outgoing,
      ).runOnce()
      const written = (await readAnchorState(world.deps.db))?.written_number ?? 0
      await appendFile(path, part((await lineOfAnchor(world.deps.db, written + 1)) ?? ''))
      assert.deepEqual((await check()).faults, [])
      for (const task of tasks) await task.runOnce()
      assert.deepEqual(await check(), { anchors: written + 1, faults: [], notes: [] })
    })
  }

  test('a process writes no anchor while another process holds the lease', async () => {
    await query('update audit_anchor_state set lease_owner = $1, lease_until = $2', [
      randomUUID(),
      new Date(world.deps.clock.now().getTime() + HOUR_MS + 30_000),
    ])
    const count = (await lines()).length
    await nextHour()
    assert.equal((await lines()).length, count)
    world.deps.clock.advance(60_000)
    for (const task of tasks) await task.runOnce()
    assert.equal((await lines()).length, count + 1)
  })

  test('a process whose clock is behind takes no lease of another process, but takes a lease that ends too late', async () => {
    const { deps } = world
    const other = { ...deps, process_id: randomUUID() }
    assert.ok(await leaseAnchors(other))
    for (const behind_ms of [1, 1_000]) {
      deps.clock.step(-behind_ms)
      assert.equal(await leaseAnchors(deps), null, `the clock is ${behind_ms} ms behind`)
      deps.clock.step(behind_ms)
    }
    deps.clock.step(-HOUR_MS)
    assert.ok(await leaseAnchors(deps))
    deps.clock.step(HOUR_MS)
    await releaseAnchors(deps)
  })

  test('with a database from an older backup, the server appends no anchor to the file, and names the reason', async () => {
    const [last] = (await lines()).slice(-1)
    const newer = parseAnchor(last ?? '')
    assert.ok(newer !== null && last !== undefined)
    const text = await readFile(path, 'utf8')
    const next = { ...newer, number: newer.number + 1, previous: lineHash(last), heads: [] }
    await appendFile(path, `${anchorLine(next, anchorKey(world.deps.vault))}\n`)
    await assert.rejects(appendAnchors(path, 1, stored), /ends with anchor \d+, which the database does not have/)
    assert.match(String((await check()).faults), /is missing in the database: an operator restored the database/)
    await writeFile(path, text)
  })
})

test('the worker sends each anchor in order, and retries after growing pauses', async (t) => {
  const receiver = await startReceiver()
  t.after(() => receiver.close())
  const { deps } = world
  const config = { ...deps.config, audit_anchor_url: `${receiver.url}/anchors?token=secret` }
  const task = anchorTask({ ...deps, config }, outgoing)
  receiver.reply = { kind: 'status', status: 500, body: '' }
  deps.clock.advance(HOUR_MS)
  await task.runOnce()
  await task.runOnce()
  assert.equal(receiver.received.length, 1, 'the second attempt waits')
  deps.clock.advance(60_000)
  await task.runOnce()
  deps.clock.advance(60_000)
  await task.runOnce()
  assert.equal(receiver.received.length, 2, 'the second pause is longer')
  const state = await readAnchorState(deps.db)
  assert.deepEqual([state?.sent_number, state?.send_failures, state?.send_error], [0, 2, 'status 500'])
  const logged = deps.logged.filter((line) => line.includes('AUDIT_ANCHOR_URL did not accept'))
  assert.equal(logged.length, 2)
  assert.ok(!logged.some((line) => line.includes('secret')))
  receiver.reply = { kind: 'status', status: 204, body: '' }
  receiver.received.length = 0
  deps.clock.advance(60_000)
  for (let run = 0; run < 5; run++) await task.runOnce()
  const all = await query("select string_agg(line || chr(10), '' order by number) as text from audit_anchors")
  assert.equal(receiver.received.map(({ body }) => body).join(''), all[0]?.text)
  assert.equal((await readAnchorState(deps.db))?.send_error, null)
})

test('a process whose clock is behind keeps the longest pause after the failed request of another process', async (t) => {
  const receiver = await startReceiver()
  t.after(() => receiver.close())
  const { deps } = world
  const task = anchorTask({ ...deps, config: { ...deps.config, audit_anchor_url: receiver.url } }, outgoing)
  const pauseUntil = (ms: number) =>
    query('update audit_anchor_state set send_due_at = $1', [new Date(deps.clock.now().getTime() + ms)])
  deps.clock.advance(HOUR_MS)
  await pauseUntil(HOUR_MS + 1_000)
  await task.runOnce()
  assert.equal(receiver.received.length, 0)
  await pauseUntil(2 * HOUR_MS)
  await task.runOnce()
  assert.ok(receiver.received.length > 0, 'no pause takes two hours')
})

test('the worker sends no anchor to a private address when the settings forbid private addresses', async (t) => {
  const receiver = await startReceiver()
  const guarded = createOutgoing({ allow_private: false })
  t.after(async () => {
    await guarded.close()
    await receiver.close()
  })
  const { deps } = world
  const config = { ...deps.config, audit_anchor_url: receiver.url }
  deps.clock.advance(HOUR_MS)
  await anchorTask({ ...deps, config }, guarded).runOnce()
  assert.equal(receiver.received.length, 0)
  assert.equal((await readAnchorState(deps.db))?.send_error, 'blocked_destination')
})

test('when one anchor cannot contain all chains, the next anchors contain the other chains without a pause', async () => {
  const { deps } = world
  await query(
    `insert into audit_chains (merchant_id, seq, hash, at)
     select gen_random_uuid(), 0, $1, $2 from generate_series(1, 1005)`,
    [GENESIS, deps.clock.now()],
  )
  const chains = await query('select merchant_id from audit_chains where seq = 0')
  const actor = { kind: 'system', id: null, name: 'test' } as const
  const entries = chains.map(({ merchant_id }) => ({
    merchant_id: String(merchant_id),
    actor,
    action: 'merchant.verify' as const,
    target_type: 'merchant',
    target_id: 'x',
  }))
  await inTransaction(deps.db, (tx) => recordAudits(deps, tx, entries))
  const count = (await lines()).length
  await nextHour()
  assert.equal((await lines()).length, count + 2)
  assert.deepEqual((await check()).faults, [])
})
