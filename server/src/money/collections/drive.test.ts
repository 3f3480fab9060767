// Tests that the server never sends a payment twice, loses no payment, and does not delay a payment because of another provider.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { codeOf, createWorld, START, type World } from '../../../test/harness.ts'
import { NO_PAYOUTS } from '../../../test/no-payouts.ts'
import {
  type Answer,
  CALL_MS_MAX,
  type PaymentRequest,
  type Provider,
  type PushAnswer,
} from '../../adapters/providers/port.ts'
import type { Statement } from '../../kernel/db/index.ts'
import { ATTEMPT_LEASE_MS } from './store.ts'

const PUSH = '/v1/collections/wallet-push'
const accepted: Answer = { kind: 'accepted', provider_status: 'PENDING' }
const notFound: Answer = { kind: 'not_found', provider_status: 'NOT_FOUND' }

type ScriptedAnswer = Answer | Promise<Answer>
type Pushed = PushAnswer | Promise<PushAnswer>
type StoredAttempt = { state: string; asks: number; due_at: Date; lease_owner: string | null; sent_at: Date | null }
type Stage = {
  world: World
  provider: Provider
  script: { push(request: PaymentRequest): Pushed; status(request: PaymentRequest): ScriptedAnswer }
  pushes: () => number
  pay(key?: string, phone?: string): Promise<string>
  refresh(id: string, key?: string): Promise<void>
  row(id: string): Promise<StoredAttempt>
}

/** Runs a test in a world whose live provider follows a script. The script may delay an answer. */
async function stage(
  work: (stage: Stage) => Promise<void>,
  {
    concurrency_limits,
    ...options
  }: {
    env?: Record<string, string>
    point?: (name: string) => void
    concurrency_limits?: { payments: number; payouts: number }
  } = {},
): Promise<void> {
  let pushes = 0
  const script: Stage['script'] = { push: () => accepted, status: () => accepted }
  const provider: Provider = {
    name: 'mock',
    capabilities: {
      methods: ['wallet_push', 'provider_pesa', 'qr'],
      whole_shillings: false,
      payout_methods: [],
      ...(concurrency_limits ? { concurrency_limits } : {}),
    },
    push: async (request) => {
      pushes++
      return script.push(request)
    },
    qr: async () => accepted,
    status: (requests) => Promise.all(requests.map((request) => script.status(request))),
    ...NO_PAYOUTS,
    verifyCallback: () => ({ verified: false }),
  }
  const world = await createWorld({ compose: { providers: [provider] }, ...options })
  try {
    await work({
      world,
      provider,
      script,
      pushes: () => pushes,
      async pay(key = world.live_key, phone = '0754123456') {
        const reply = await world.post(PUSH, { amount: '10', phone }, { key })
        assert.equal(reply.status, 202)
        return reply.body.data.collection_id
      },
      async refresh(id, key = world.live_key) {
        assert.equal(
          (await world.call({ method: 'POST', url: `/v1/collections/${id}/refresh-status`, key })).status,
          200,
        )
      },
      async row(id) {
        const [row] = await world.rows<StoredAttempt>(
          'select state, asks, due_at, lease_owner, sent_at from collection_attempts where collection_id = $1',
          [id],
        )
        return row as StoredAttempt
      },
    })
  } finally {
    // If a test fails, these answers end the calls that still wait.
    for (const open of gates.splice(0)) open(accepted)
    await world.close()
  }
}

const gates: ((answer: Answer) => void)[] = []

/** Returns an answer of a provider, and the function with which the test releases the answer. */
function gate() {
  const { promise: answer, resolve: open } = Promise.withResolvers<Answer>()
  gates.push(open)
  return { answer, open }
}

/** Advances the clock between a claim and the next step of the process, as if the process stalled. */
function delayAfterClaim({ deps }: World, ms: number): void {
  const { query } = deps.db
  deps.db.query = async <Row>(statement: Statement, values?: readonly unknown[]) => {
    const rows = await query<Row>(statement, values)
    if (statement.name === 'claim_collection_attempts' && rows.length > 0) deps.clock.advance(ms)
    return rows
  }
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 5_000
  while (!(await holds())) {
    assert.ok(Date.now() < end, 'the condition did not become true within 5 seconds')
    await new Promise((done) => setTimeout(done, 2))
  }
}

describe('a provider that cannot report an unknown payment', () => {
  const unknown_status: Answer = { kind: 'unknown', why: 'unseen_status', provider_status: null }

  test('the worker sends a queued payment once to a provider that cannot report its status, even after a refresh queried the provider', () =>
    stage(
      async ({ world, script, pushes, pay, refresh, row }) => {
        script.status = () => unknown_status
        const id = await pay()
        await refresh(id)
        assert.deepEqual([pushes(), (await row(id)).lease_owner], [0, null])
        await world.work()
        assert.equal(pushes(), 1)
        assert.equal((await row(id)).state, 'asked')
        await world.pass(60_000)
        assert.equal(pushes(), 1)
      },
      { env: { PROCESS: 'api' } },
    ))

  for (const [name, env] of [
    ['the accepting process', {}],
    ['a worker', { PROCESS: 'api' }],
  ] as const) {
    test(`the server queries the provider and sends no second prompt after ${name} died during the push`, () =>
      stage(
        async ({ world, provider, script, pushes, pay, row }) => {
          let queries = 0
          script.push = () => gate().answer
          script.status = () => {
            queries++
            return unknown_status
          }
          const id = await pay()
          await world.system.driver.task.runOnce()
          await until(() => pushes() === 1)
          assert.equal((await row(id)).lease_owner, world.deps.process_id)
          // The other process starts after the lease of the dead process has ended.
          const other = await createWorld({ url: world.url, compose: { providers: [provider] } })
          other.deps.clock.advance(ATTEMPT_LEASE_MS)
          try {
            const task = other.system.driver.task
            await task.runOnce()
            await until(() => pushes() + queries > 1)
            assert.deepEqual([pushes(), queries, (await row(id)).state], [1, 1, 'to_send'])
          } finally {
            for (const open of gates.splice(0)) open(accepted)
            await other.close()
          }
        },
        { env },
      ))
  }
})

describe('a provider with a low concurrency limit', () => {
  const unknown_status: Answer = { kind: 'unknown', why: 'unseen_status', provider_status: null }
  const busy = { kind: 'not_sent', busy: true, provider_status: null } as const
  const concurrency_limits = { payments: 8, payouts: 8 }

  test('payments beyond the concurrency limit of a provider wait in the database, and the provider gets each payment once', () =>
    stage(
      async ({ world, script, provider, pushes, pay, row }) => {
        const open: ((answer: Answer) => void)[] = []
        let most = 0
        const references: string[] = []
        provider.push = async ({ reference }) => {
          references.push(reference)
          const pushing = gate()
          open.push(pushing.open)
          most = Math.max(most, open.length)
          return pushing.answer
        }
        script.status = () => unknown_status
        const ids = await Promise.all(Array.from({ length: 60 }, () => pay()))
        const owned = () =>
          world.rows("select 1 from collection_attempts where lease_owner is not null and state = 'to_send'")
        assert.equal((await owned()).length, 8, 'an attempt without a connection is unsent and has no lease')
        for (let sent = 0; sent < ids.length; ) {
          await until(async () => {
            await world.system.driver.task.runOnce()
            return open.length > 0
          })
          assert.ok((await owned()).length <= 8)
          sent += open.length
          for (const answer of open.splice(0)) answer(accepted)
          await world.system.driver.task.idle()
        }
        assert.equal(most, 8)
        assert.deepEqual([references.length, new Set(references).size, pushes()], [60, 60, 0])
        for (const id of ids) assert.equal((await row(id)).state, 'asked')
        for (const id of ids)
          assert.equal((await world.get(`/v1/collections/${id}`, world.live_key)).body.data.status, 'processing')
      },
      { concurrency_limits },
    ))

  test('the server sends a payment again when no connection was free, even if the provider cannot report unknown payments', () =>
    stage(async ({ world, script, pushes, pay, row }) => {
      script.push = () => busy
      script.status = () => unknown_status
      const id = await pay()
      await world.system.driver.task.idle()
      const { state, asks, lease_owner, sent_at, due_at } = await row(id)
      assert.deepEqual(
        { state, asks, lease_owner, sent_at },
        { state: 'to_send', asks: 0, lease_owner: null, sent_at: null },
      )
      assert.equal(Number(due_at) - Number(world.deps.clock.now()), 1_000)
      for (let sends = 2; sends < 20; sends++) {
        await world.pass(1_000)
        assert.equal(pushes(), sends)
      }
      assert.equal(
        (
          await world.get('/v1/operator/providers', (await world.newSession('SUPER_ADMIN')).token)
        ).body.data.providers.find(({ name }: { name: string }) => name === 'mock').circuits[0].state,
        'closed',
      )
      script.push = () => accepted
      await world.pass(1_000)
      assert.deepEqual([pushes(), (await row(id)).state], [20, 'asked'])
    }))

  test('the server sends a payment again when no connection was free, even if the server could not store this failure', () =>
    stage(async ({ world, script, pushes, pay, row }) => {
      script.push = () => busy
      script.status = () => unknown_status
      const { db } = world.deps
      const { query } = db
      let fails = true
      db.query = (statement, values) => {
        if (!fails || statement.name !== 'attempts_note_open') return query(statement, values)
        fails = false
        return Promise.reject(new Error('the connection is gone'))
      }
      const id = await pay()
      await world.system.driver.task.idle()
      assert.equal((await row(id)).lease_owner, world.deps.process_id)
      script.push = () => accepted
      world.deps.clock.advance(ATTEMPT_LEASE_MS)
      await world.work()
      assert.deepEqual([pushes(), (await row(id)).state], [2, 'asked'])
    }))
})

test('a payment of an unconfigured provider waits unsent until a process with this provider sends the payment', () =>
  stage(
    async ({ world, provider, script, pushes, pay, row }) => {
      script.status = () => ({ kind: 'unknown', why: 'unseen_status', provider_status: null })
      const id = await pay()
      await world.rows("update collection_attempts set provider = 'later'")
      await world.pass(1_000)
      const { state, asks, lease_owner } = await row(id)
      assert.deepEqual({ state, asks, lease_owner }, { state: 'to_send', asks: 0, lease_owner: null })
      const other = await createWorld({ url: world.url, compose: { providers: [{ ...provider, name: 'later' }] } })
      try {
        await other.pass(62_000)
        assert.deepEqual([pushes(), (await row(id)).state], [1, 'asked'])
      } finally {
        await other.close()
      }
    },
    { env: { PROCESS: 'api' } },
  ))

test('the server queries the provider about an unanswered prompt 70 to 99 times in three days, and sends no second prompt', () =>
  stage(async ({ world, script, pushes, pay, row }) => {
    let queries = 0
    const doubt: Answer = { kind: 'unknown', why: 'timeout', provider_status: null }
    script.push = () => doubt
    script.status = () => {
      queries++
      return doubt
    }
    const id = await pay()
    await world.system.driver.task.idle()
    for (const end = START.getTime() + 71 * 3_600_000; world.deps.clock.now().getTime() < end; ) {
      world.deps.clock.advance(Math.max(1_000, Number((await row(id)).due_at) - world.deps.clock.now().getTime()))
      await world.system.driver.task.runOnce()
      await world.system.driver.task.idle()
    }
    assert.ok(queries >= 70 && queries < 100, `${queries} queries`)
    assert.equal(pushes(), 1)
    world.deps.clock.advance(3_600_000)
    await world.work()
    assert.equal((await world.get(`/v1/collections/${id}`, world.live_key)).body.data.failure_reason_code, 'timeout')
  }))

describe('one push of a payment at a time', () => {
  test('a refresh during a push does not take the lease of the attempt, and the server starts no second push during the call', () =>
    stage(async ({ world, script, pushes, pay, refresh, row }) => {
      const pushing = gate()
      script.push = () => pushing.answer
      script.status = () => notFound
      const id = await pay()
      await until(() => pushes() === 1)
      const before = await row(id)
      await refresh(id)
      assert.deepEqual(await row(id), before)
      assert.equal(before.lease_owner, world.deps.process_id)
      for (let ms = 0; ms < CALL_MS_MAX; ms += 100) {
        world.deps.clock.advance(100)
        await world.system.driver.task.runOnce()
        await new Promise((done) => setImmediate(done))
      }
      assert.equal(pushes(), 1)
      pushing.open(accepted)
      await world.system.driver.task.idle()
      assert.equal((await row(id)).state, 'asked')
      assert.equal((await row(id)).lease_owner, null)
    }))

  test('the server ends a call that gets no response, makes the later queries, and sends no second prompt', () =>
    stage(async ({ world, provider, script, pushes, pay, row }) => {
      const { task } = world.system.driver
      const hangs = () => gate().answer
      script.push = hangs
      const ids = [await pay(), await pay()]
      await until(() => pushes() === 2)
      const given_up = async () => {
        world.deps.clock.advance(CALL_MS_MAX + 1_000)
        for (const id of ids) await until(async () => (await row(id)).lease_owner === null)
      }
      await given_up()
      for (const id of ids) assert.deepEqual([(await row(id)).state, (await row(id)).asks], ['to_send', 1])

      // In each round no query gets a response. The queries of the next round start nevertheless.
      let questions = 0
      script.status = () => {
        questions++
        return hangs()
      }
      for (let round = 1; round <= 6; round++) {
        world.deps.clock.advance(60_000)
        await task.runOnce()
        await until(() => questions === 2 * round)
        await given_up()
      }

      let codes = 0
      provider.qr = () => {
        codes++
        return hangs()
      }
      const code = world.post('/v1/collections/qr', { amount: '10' }, { key: world.live_key })
      await until(() => codes === 1)
      world.deps.clock.advance(CALL_MS_MAX + 1_000)
      assert.deepEqual(codeOf(await code), [503, 'provider_unavailable'])

      script.status = ({ amount_minor, currency }) => ({
        kind: 'succeeded',
        amount_minor,
        currency,
        provider_status: 'COMPLETED',
      })
      world.deps.clock.advance(120_000)
      await world.work()
      for (const id of ids) {
        assert.equal((await world.get(`/v1/collections/${id}`, world.live_key)).body.data.status, 'successful')
      }
      assert.equal(pushes(), 2, 'the server pushes no payment again that the provider may have')
      // The success is the first answer of the provider, so the server does not know the time of the acceptance.
      assert.doesNotMatch(await world.deps.metrics.text(), /malipo_payment_confirm_seconds_count/)
    }))

  test('the server keeps the acceptance of a payment when the provider reports an outdated status to a refresh', () =>
    stage(async ({ world, script, pushes, pay, refresh, row }) => {
      script.status = () => notFound
      const id = await pay()
      await until(() => pushes() === 1)
      await refresh(id)
      await refresh(id)
      await world.system.driver.task.idle()
      const { state, sent_at, lease_owner } = await row(id)
      assert.deepEqual({ state, lease_owner }, { state: 'asked', lease_owner: null })
      assert.notEqual(sent_at, null)
      await world.pass(40_000)
      assert.equal(pushes(), 1)
    }))

  test('the server sends no second push when it could not store the acceptance of the first push', () =>
    stage(async ({ world, script, pushes, pay, row }) => {
      script.status = () => notFound
      const { db } = world.deps
      const { query } = db
      let fails = true
      db.query = (statement, values) => {
        if (!fails || statement.name !== 'attempts_note_open') return query(statement, values)
        fails = false
        return Promise.reject(new Error('the connection is gone'))
      }
      const id = await pay()
      await world.system.driver.task.idle()
      assert.equal((await row(id)).state, 'to_send')
      await world.pass(40_000)
      assert.equal(pushes(), 1)
      assert.equal((await row(id)).state, 'asked')
    }))

  test('a process that loses its lease during a query sends no push and does not end the lease of the next process', () => {
    let dies = true
    return stage(
      async ({ world, script, pushes, pay, row }) => {
        const asking = gate()
        let queries = 0
        script.status = () => {
          queries++
          return asking.answer
        }
        const id = await pay()
        await world.system.driver.task.idle()
        world.deps.clock.advance(20_000)
        delayAfterClaim(world, 5_000)
        assert.equal(await world.system.driver.task.runOnce(), 1)
        await until(() => queries === 1)
        world.deps.clock.advance(CALL_MS_MAX)
        const other = randomUUID()
        const until_then = new Date(world.deps.clock.now().getTime() + 9_000)
        await world.rows('update collection_attempts set lease_owner = $1, due_at = $2', [other, until_then])
        asking.open(notFound)
        await world.system.driver.task.idle()
        assert.equal(pushes(), 0)
        const { lease_owner, due_at } = await row(id)
        assert.deepEqual({ lease_owner, due_at }, { lease_owner: other, due_at: until_then })
      },
      {
        point: (name) => {
          if (name !== 'send.before_push' || !dies) return
          dies = false
          throw new Error('the process dies here')
        },
      },
    )
  })

  test('the process renews its lease after a slow query and before the push', () => {
    let dies = true
    return stage(
      async ({ world, script, pushes, pay, row }) => {
        const asking = gate()
        const pushing = gate()
        let queries = 0
        script.status = () => {
          queries++
          return asking.answer
        }
        script.push = () => pushing.answer
        const id = await pay()
        await world.system.driver.task.idle()
        world.deps.clock.advance(20_000)
        delayAfterClaim(world, 5_000)
        await world.system.driver.task.runOnce()
        await until(() => queries === 1)
        world.deps.clock.advance(CALL_MS_MAX)
        asking.open(notFound)
        await until(() => pushes() === 1)
        assert.equal(Number((await row(id)).due_at) - Number(world.deps.clock.now()), 15_000)
        pushing.open(accepted)
        await world.system.driver.task.idle()
      },
      {
        point: (name) => {
          if (name !== 'send.before_push' || !dies) return
          dies = false
          throw new Error('the process dies here')
        },
      },
    )
  })
})

describe('refreshes of a payment', () => {
  test('repeated refreshes of a payment do not delay the next query of the worker', () =>
    stage(async ({ world, pay, refresh, row }) => {
      const id = await pay()
      await world.system.driver.task.idle()
      const before = await row(id)
      for (let i = 0; i < 12; i++) {
        world.deps.clock.advance(2_000)
        await refresh(id)
      }
      const { asks, due_at } = await row(id)
      assert.deepEqual({ asks, due_at }, { asks: before.asks, due_at: before.due_at })
      await Promise.all(Array.from({ length: 12 }, () => refresh(id)))
      assert.deepEqual((await row(id)).due_at, before.due_at)
    }))

  test('a refresh brings the next query of the worker forward when the provider announces a change of the outcome', () =>
    stage(async ({ world, script, pay, refresh, row }) => {
      const id = await pay()
      await world.system.driver.task.idle()
      script.status = () => ({ ...accepted, ask_again_ms: 1_000 })
      await refresh(id)
      assert.equal(Number((await row(id)).due_at) - Number(world.deps.clock.now()), 1_000)
      script.status = () => ({ ...accepted, ask_again_ms: 60_000 })
      await refresh(id)
      assert.equal(
        Number((await row(id)).due_at) - Number(world.deps.clock.now()),
        1_000,
        'a later hint does not move the query back',
      )
    }))
})

describe('several providers', () => {
  test('the server settles sandbox payments while no call to a live provider gets a response', () =>
    stage(async ({ world, script, pushes, pay, refresh, row }) => {
      const hanging = gate()
      script.push = () => hanging.answer
      script.status = () => hanging.answer
      for (let i = 0; i < 11; i++) await Promise.all(Array.from({ length: 100 }, () => pay()))
      assert.equal(pushes(), 1_000)
      const statusOf = async (id: string) => (await world.get(`/v1/collections/${id}`)).body.data.status

      // The server sends a sandbox payment immediately, without the worker. A payment of the phone that ends with 008 settles
      // only after a query of the worker.
      const at_once = await pay(world.sandbox_key, '0754123001')
      await until(async () => {
        world.deps.clock.advance(0)
        return (await statusOf(at_once)) === 'successful'
      })
      const found = await pay(world.sandbox_key, '0754123008')
      const openOf = async (id: string) => (await row(id)).state === 'asked' && (await row(id)).lease_owner === null
      await until(async () => {
        world.deps.clock.advance(10)
        return openOf(found)
      })
      world.deps.clock.advance(Number((await row(found)).due_at) - Number(world.deps.clock.now()))
      await until(async () => {
        await world.system.driver.task.runOnce()
        return (await statusOf(found)) === 'successful'
      })
      const [live] = await world.rows<{ id: string }>("select id from collections where environment = 'live' limit 1")
      const stuck = refresh(live?.id ?? '')
      await refresh(found, world.sandbox_key)
      const waiting = await world.rows(
        "select 1 from collection_attempts where environment = 'live' and lease_owner is null",
      )
      assert.equal(waiting.length, 100, 'payments without capacity wait for a process that has some')
      assert.equal(pushes(), 1_000)
      hanging.open(accepted)
      await stuck
      await world.system.driver.task.idle()
    }))

  test('a payment of a provider that is no longer configured fails with timeout at its deadline', () =>
    stage(
      async ({ world, pay }) => {
        const id = await pay()
        await world.system.driver.task.idle()
        await world.rows("update collection_attempts set provider = 'gone'")
        await world.pass(60_000)
        assert.equal((await world.get(`/v1/collections/${id}`, world.live_key)).body.data.status, 'processing')
        await world.pass(20_000)
        const { status, failure_reason_code } = (await world.get(`/v1/collections/${id}`, world.live_key)).body.data
        assert.deepEqual({ status, failure_reason_code }, { status: 'failed', failure_reason_code: 'timeout' })
      },
      { env: { COLLECTION_DEADLINE_H: '0.02' } },
    ))
})

test('the merchant of a payment gets its status and another merchant gets 404 when both merchants request the payment at the same time', () =>
  stage(async ({ world, pay }) => {
    const id = await pay(world.sandbox_key, '0754123001')
    const stranger = await world.newKey({ merchant: await world.newMerchant() })
    const status = (key: string) => world.get(`/v1/collections/${id}`, key)
    const refresh = (key: string) => world.call({ method: 'POST', url: `/v1/collections/${id}/refresh-status`, key })
    for (const ask of [status, refresh]) {
      for (const owner_first of [true, false]) {
        const pairs = Array.from({ length: 40 }, () => {
          if (owner_first) return [ask(world.sandbox_key), ask(stranger)] as const
          const other = ask(stranger)
          return [ask(world.sandbox_key), other] as const
        })
        for (const [own, other] of pairs) {
          assert.equal((await own).status, 200)
          assert.equal((await own).body.data.collection_id, id)
          assert.equal((await other).status, 404)
        }
      }
    }
  }))
