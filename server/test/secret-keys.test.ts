// Tests several secret keys: values after a rotation and after the removal of the old key, and balances after the loss of a key.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { setSecondStep, useCode } from '../src/access/identity/totp.ts'
import { queueEmail } from '../src/adapters/messages/index.ts'
import { abandonKey, rotateSecrets, secretsStatus } from '../src/apps/admin/secrets.ts'
import { verify } from '../src/apps/admin/verify.ts'
import {
  type Deps,
  inTransaction,
  openReporting,
  openVault,
  readCanary,
  SEALED_COLUMNS,
  uncheckedVault,
} from '../src/kernel/db/index.ts'
import { readOldSealed, reseal } from '../src/kernel/db/sealed.ts'
import { ConfigError, createVault, keyIdOf, keyIdOfSealed, Refusal } from '../src/kernel/lib/index.ts'
import { createTestDatabase } from './database.ts'
import { createWorld, testDeps, type World } from './harness.ts'

const [K1, K2, K3] = [7, 8, 9].map((byte) => Buffer.alloc(32, byte)) as [Buffer, Buffer, Buffer]
const [ID1, ID2, ID3] = [K1, K2, K3].map(keyIdOf) as [string, string, string]
const TOTP_SECRET = 'JBSWY3DPEHPK3PXP'
const closing: (() => Promise<void>)[] = []
after(async () => {
  for (const close of closing.reverse()) await close()
})

async function newUrl(): Promise<string> {
  const database = await createTestDatabase()
  closing.push(database.drop)
  return database.url
}

async function withWorld<T>(
  url: string,
  secret_keys: readonly Buffer[],
  work: (world: World) => Promise<T>,
): Promise<T> {
  const world = await createWorld({ url, secret_keys })
  try {
    return await work(world)
  } finally {
    await world.close()
  }
}

/** Runs `work` with the dependencies of a command, as `npm run admin` builds them without a check of the keys. */
async function withCommand<T>(url: string, keys: readonly Buffer[], work: (deps: Deps) => Promise<T>): Promise<T> {
  const deps = testDeps(url)
  deps.clock.advance(60_000)
  deps.vault = createVault(keys, deps.random, { writes_ids: true })
  try {
    return await work(deps)
  } finally {
    await deps.close()
  }
}

const refusedWith = (message: RegExp) => (error: unknown) => error instanceof ConfigError && message.test(error.message)

/** The facts about the planted values with which `assertReadable` checks that a process decrypts them. */
type Planted = {
  merchant_id: string
  token: string
  user_id: string
  webhook_secret: string
  recovery: string[]
  mark: string
}

/** Writes a value into each column with encrypted values. */
async function plant(world: World): Promise<Planted> {
  const { deps } = world
  const { token, user_id } = await world.newSession([{ role: 'MERCHANT_ADMIN' }])
  const change = { method: 'PATCH' as const, url: '/v1/merchant/webhook-config', key: token }
  await world.call({ ...change, payload: { webhook_url: 'http://127.0.0.1:9/hook' } })
  const saved = await world.call({ ...change, payload: { rotate_secret: true } })
  const recovery = await inTransaction(deps.db, (tx) => setSecondStep(deps, tx, user_id, TOTP_SECRET, 1))
  const email = { to: 'asha@example.com', subject: 'Habari', text: 'the text', kind: 'password.reset' }
  await inTransaction(deps.db, (tx) => queueEmail(deps, tx, email))
  await world.rows(
    `insert into identity_records (model, id_hash, payload, expires_at) values ('Session', $1, $2, '2036-01-05')`,
    [Buffer.from([0, 255, 92]), deps.vault.seal('{"a":1}')],
  )
  const merchant_id = world.merchant.id
  return { merchant_id, token, user_id, webhook_secret: saved.body.data.secret, recovery, mark: markOf(deps) }
}

const markOf = ({ vault }: Deps) => vault.mark('payer_tries phone 255754123456').toString('hex')

/** Asserts that the world reads every planted value, and that a token from before the rotation still works. */
async function assertReadable(world: World, planted: Planted): Promise<void> {
  const { vault } = world.deps
  for (const { table, column } of SEALED_COLUMNS) {
    const rows = await world.rows<{ sealed: string }>(
      `select ${column} as sealed from ${table} where ${column} is not null`,
    )
    for (const { sealed } of rows) assert.ok(vault.open(sealed), `${table}.${column}`)
  }
  const [config] = await world.rows<{ secret: string }>('select secret from webhook_configs where merchant_id = $1', [
    planted.merchant_id,
  ])
  assert.equal(vault.open(config?.secret ?? ''), planted.webhook_secret)
  assert.equal((await world.get('/v1/me', planted.token)).status, 200)
  assert.equal(markOf(world.deps), planted.mark, 'the counters of payers continue')
}

/** Returns the ids of the keys of all values. */
async function idsOfValues(world: World): Promise<string[]> {
  const { tables } = await secretsStatus(world.deps)
  return [...new Set(tables.map(({ key_id }) => key_id))].sort()
}

describe('a rotation of the secret keys', () => {
  let url: string
  let planted: Planted
  before(async () => {
    url = await newUrl()
    planted = await withWorld(url, [K1], plant)
  })

  test('with one key, stored values have the form that the previous version reads, and the server refuses a rotation', async () => {
    await withWorld(url, [K1], async (world) => {
      const [canary] = await world.rows<{ sealed: string; key_id: string }>(
        'select sealed, key_id from vault_canary where id = 1',
      )
      assert.match(canary?.sealed ?? '', /^v1:/)
      assert.equal(canary?.key_id, ID1)
      const values = await world.rows<{ sealed: string }>('select body as sealed from outbox_messages')
      assert.ok(values.every(({ sealed }) => keyIdOfSealed(sealed) === null))
      await assert.rejects(
        rotateSecrets(world.deps, () => {}),
        (error) => error instanceof Refusal && /one key/.test(error.message),
      )
      assert.deepEqual(
        (await secretsStatus(world.deps)).keys.map(({ key_id, state }) => [key_id, state]),
        [[ID1, 'current']],
      )
    })
  })

  test('a process with a new key before the old key reads every value, and encrypts with the new key', async () => {
    await withWorld(url, [K2, K1], async (world) => {
      await assertReadable(world, planted)
      assert.equal(keyIdOfSealed(world.deps.vault.seal('x')), ID2)
      const { ok, keys } = await secretsStatus(world.deps)
      assert.ok(ok)
      assert.deepEqual(
        keys.map(({ key_id, state }) => [key_id, state]),
        [
          [ID2, 'current'],
          [ID1, 'in use'],
        ],
      )
      // The previous version reads only the row with the id 1, and refuses a text that begins with v2.
      const [first] = await world.rows<{ sealed: string }>('select sealed from vault_canary where id = 1')
      assert.match(first?.sealed ?? '', /^v2:/)
    })
  })

  test('a process that lacks a key in use does not start, and the message names the id of the key', async () => {
    const lacks_old = /SECRET_KEY lacks the key [0-9a-f]{8}, which \d+ values[\s\S]*secrets rotate/
    await assert.rejects(createWorld({ url, secret_keys: [K2] }), refusedWith(lacks_old))
    await assert.rejects(createWorld({ url, secret_keys: [K3, K2] }), refusedWith(lacks_old))
    await assert.rejects(createWorld({ url, secret_keys: [K3] }), refusedWith(/is not the key of this database/))
    const deps = testDeps(url)
    assert.equal(
      await readCanary({ db: deps.db, vault: createVault(K1, deps.random) }),
      false,
      'not ready without the new key',
    )
    await deps.close()
  })

  test('a stopped rotation continues, changes no value of concurrent writers, and names the key that the administrator can remove', async () => {
    await withWorld(url, [K2, K1], async (world) => {
      const { deps } = world
      const column = SEALED_COLUMNS.find(({ table }) => table === 'outbox_messages')
      assert.ok(column)
      const reporting = openReporting(deps.db)
      for await (const values of readOldSealed(reporting, column, ID2)) {
        await world.rows('update outbox_messages set body = $1', [deps.vault.seal('newer')])
        assert.deepEqual(await reseal(deps.db, deps.vault, column, values), { resealed: 0, unreadable: 0 })
      }
      await reporting.close()
      const bodies = await world.rows<{ body: string }>(
        "select body from outbox_messages where kind = 'password.reset'",
      )
      assert.deepEqual(
        bodies.map(({ body }) => deps.vault.open(body)),
        ['newer'],
      )

      let sets = 0
      const stopped = rotateSecrets(deps, () => {
        sets += 1
        if (sets === 2) throw new Error('the command stopped')
      })
      await assert.rejects(stopped, /the command stopped/)
      assert.deepEqual(await idsOfValues(world), [ID1, ID2].sort(), 'some values have the new key')

      const done = await rotateSecrets(deps, () => {})
      assert.deepEqual(
        { ...done, resealed: done.resealed > 0 },
        {
          ok: true,
          current: ID2,
          resealed: true,
          unreadable: 0,
          can_be_removed: [ID1],
          needed: [],
        },
      )
      assert.deepEqual(await idsOfValues(world), [ID2])
      await assertReadable(world, planted)
      assert.equal((await rotateSecrets(deps, () => {})).resealed, 0, 'a second rotation changes nothing')
      const acts = await world.rows("select action, target_id from audit_log where action = 'secrets.rotate'")
      assert.deepEqual(acts, [{ action: 'secrets.rotate', target_id: ID2 }])
    })
  })

  test('a process with only the new key reads every value after the rotation, and the server refuses the old key', async () => {
    await withWorld(url, [K2], async (world) => {
      await assertReadable(world, planted)
      assert.equal(await readCanary(world.deps), true)
      const old = createVault([K1, K2], world.deps.random)
      assert.equal(
        await readCanary({ db: world.deps.db, vault: old }),
        false,
        'a process that still encrypts with the old key',
      )
      assert.equal(keyIdOfSealed(world.deps.vault.seal('x')), ID2, 'a single later key also writes its id')
    })
    await assert.rejects(createWorld({ url, secret_keys: [K1] }), refusedWith(/SECRET_KEY lacks the key/))
    await assert.rejects(
      createWorld({ url, secret_keys: [K1, K2] }),
      refusedWith(new RegExp(`begins with the key ${ID1}`)),
    )
    await withWorld(url, [K3, K2], (world) => assertReadable(world, planted))
  })

  test('a process whose SECRET_KEY does not begin with the newest key logs a warning with the ids of both keys', async () => {
    const deps = testDeps(url)
    await openVault(deps, [K2, K3])
    await deps.close()
    const line = deps.logged.find((text) => text.includes('does not begin with the newest key'))
    assert.ok(line?.includes(ID2) && line.includes(ID3), deps.logged.join('\n'))
  })
})

test('writers with both orders of the keys lose no message that they write during a rotation', async () => {
  const url = await newUrl()
  const texts = new Map<number, string>()
  await withWorld(url, [K1], async ({ deps, rows }) => {
    const messages = Array.from({ length: 1_200 }, (_, number) => ({
      number,
      body: deps.vault.seal(`first ${number}`),
    }))
    for (const { number } of messages) texts.set(number, `first ${number}`)
    await rows(
      `insert into outbox_messages (merchant_id, id, kind, recipient, subject, body, created_at)
       select '00000000-0000-0000-0000-000000000000', lpad(number::text, 32, '0')::uuid, 'x', 'a@b.tz', number::text, body, '2026-01-05'
       from json_to_recordset($1::json) as m(number int, body text)`,
      [JSON.stringify(messages)],
    )
  })
  await withWorld(url, [K2, K1], async (world) => {
    const old_order = await openVault(world.deps, [K1, K2])
    let rotating = true
    const write = async (vault: typeof old_order, first: number) => {
      for (let number = first; rotating; number = (number + 14) % 1_200) {
        const text = `${keyIdOfSealed(vault.seal(''))} ${number}`
        texts.set(number, text)
        await world.rows('update outbox_messages set body = $1 where subject = $2', [vault.seal(text), String(number)])
      }
    }
    const writers = [write(old_order, 0), write(world.deps.vault, 1)]
    const rotated = await rotateSecrets(world.deps, () => {})
    rotating = false
    await Promise.all(writers)
    assert.ok(rotated.resealed > 0)
    const { ok, needed } = await rotateSecrets(world.deps, () => {})
    assert.deepEqual([ok, needed], [true, []], 'the next rotation finds the last values of the old key')
    const stored = await world.rows<{ subject: string; body: string }>(
      "select subject, body from outbox_messages where kind = 'x'",
    )
    assert.equal(stored.length, texts.size)
    for (const { subject, body } of stored) {
      assert.equal(world.deps.vault.open(body), texts.get(Number(subject)))
      assert.equal(keyIdOfSealed(body), ID2)
    }
  })
})

test('each column whose meaning names an encryption is in the list of encrypted columns', async () => {
  const client = new pg.Client({ connectionString: await newUrl() })
  await client.connect()
  const { rows } = await client.query<{ name: string }>(
    `select c.relname || '.' || a.attname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
       and col_description(c.oid, a.attnum) ~* 'encrypted' and c.relname || '.' || a.attname <> 'vault_canary.sealed'`,
  )
  await client.end()
  const listed = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`)
  assert.deepEqual(rows.map(({ name }) => name).sort(), listed.sort(), 'add the column to SEALED_COLUMNS')
})

test('after abandon gives up a lost key, the server starts with the same balances, merchants renew secrets, and people sign in again', async () => {
  const url = await newUrl()
  const [planted, balance] = await withWorld(url, [K1], async (world) => {
    const values = await plant(world)
    await world.rows("update outbox_messages set status = 'waiting', due_at = '2036-01-05'")
    await world.post('/v1/collections/wallet-push', { amount: '25000', phone: '0754123001' })
    await world.pass(3_000)
    return [values, await balancesOf(world)] as const
  })
  assert.ok(balance.length > 0)
  await assert.rejects(createWorld({ url, secret_keys: [K2] }), refusedWith(/is not the key of this database/))

  await withCommand(url, [K2], async (deps) => {
    const { ok, keys } = await secretsStatus(deps)
    assert.deepEqual([ok, keys.find(({ key_id }) => key_id === ID1)?.state], [false, 'missing'])
    const refused = (error: unknown) => error instanceof Refusal && error.code === 'invalid_state'
    await assert.rejects(
      abandonKey(deps, ID3, () => {}),
      refused,
    )
    await assert.rejects(
      abandonKey(deps, ID2, () => {}),
      refused,
    )
    const { abandoned } = await abandonKey(deps, ID1, () => {})
    assert.ok(abandoned.every(({ table, values }) => values > 0 || table === 'vault_canary'))
    await assert.rejects(
      abandonKey(deps, ID1, () => {}),
      refused,
      'the key is abandoned already',
    )
  })
  await withWorld(url, [K2], async (world) => {
    const { deps } = world
    assert.deepEqual(await balancesOf(world), balance)
    assert.equal((await verify(url)).ok, true)
    assert.equal((await world.get('/v1/me', planted.token)).status, 200, 'a retired key still verifies its tokens')
    assert.deepEqual(await world.rows("select 1 from identity_records where model = 'Session'"), [])
    const [message] = await world.rows(
      "select status, due_at, error from outbox_messages where kind = 'password.reset'",
    )
    assert.deepEqual(message, {
      status: 'failed',
      due_at: null,
      error: 'text_lost: the SECRET_KEY of the text is lost',
    })

    const codeOf = (code: string) => inTransaction(deps.db, (tx) => useCode(deps, tx, planted.user_id, code))
    assert.equal(await codeOf('123456'), null)
    assert.equal(await codeOf(planted.recovery[0] ?? ''), 'recovery')

    const session = (await world.newSession('VIEWER')).token
    assert.equal((await world.get('/v1/me', session)).status, 200, 'a new key signs tokens')

    const key = planted.token
    const sent = await world.call({ method: 'POST', url: '/v1/merchant/webhook-config/test', key, payload: {} })
    assert.equal(sent.status, 202)
    await world.work()
    const tried = await world.rows('select error from webhook_attempts where delivery_id = $1', [sent.body.data.id])
    assert.deepEqual(tried, [{ error: 'secret_unreadable' }])
    const url_of_config = '/v1/merchant/webhook-config'
    const renewed = await world.call({ method: 'PATCH', url: url_of_config, key, payload: { rotate_secret: true } })
    const [config] = await world.rows<{ secret: string }>('select secret from webhook_configs where merchant_id = $1', [
      planted.merchant_id,
    ])
    assert.equal(deps.vault.open(config?.secret ?? ''), renewed.body.data.secret)
  })
})

function balancesOf(world: World) {
  return world.rows(
    'select code, balance_minor from ledger_accounts where balance_minor <> 0 order by merchant_id, code',
  )
}

test('if only the newest key is lost, verify accepts every seal of the audit log after abandon', async () => {
  const url = await newUrl()
  await withWorld(url, [K1], async () => {})
  await withWorld(url, [K2, K1], async () => {})
  await withCommand(url, [K3, K1], async (deps) => {
    deps.vault = await uncheckedVault(deps.db, deps.random, [K3, K1])
    await abandonKey(deps, ID2, () => {})
  })
  await withWorld(url, [K3, K1], async ({ deps }) => {
    const { ok, checks } = await verify(url, { vault: deps.vault })
    assert.ok(ok, JSON.stringify(checks.filter((check) => !check.ok)))
  })
})

test('a process that lacks the key of the keyed hashes does not start, and its message names the missing key', async () => {
  const url = await newUrl()
  await withWorld(url, [K1], async () => {})
  await withWorld(url, [K2, K1], async (world) => {
    await world.rows('update vault_canary set retired_at = now() where key_id = $1', [ID2])
  })
  await assert.rejects(createWorld({ url, secret_keys: [K1] }), refusedWith(new RegExp(`lacks the key ${ID2}`)))
})
