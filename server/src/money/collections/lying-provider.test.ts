// Tests that the merchant's money stays correct even if a provider contradicts or repeats an answer, sends no answer or fails.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import { NO_PAYOUTS } from '../../../test/no-payouts.ts'
import type { Answer, PaymentRequest, Provider } from '../../adapters/providers/port.ts'
import { verify } from '../../apps/admin/verify.ts'

const PUSH = '/v1/collections/wallet-push'
const A = 100_000n

type Script = {
  push: (request: PaymentRequest) => Answer
  status: (request: PaymentRequest) => Answer
  calls: string[]
}

const accepted: Answer = { kind: 'accepted', provider_status: 'PENDING' }
const unknown: Answer = { kind: 'unknown', why: 'timeout', provider_status: null }
const notFound: Answer = { kind: 'not_found', provider_status: 'NOT_FOUND' }
const declined: Answer = { kind: 'declined', reason: 'user_cancelled', provider_status: 'FAILED' }
const paid = (amount_minor = A, currency = 'TZS'): Answer => ({
  kind: 'succeeded',
  amount_minor,
  currency,
  provider_status: 'COMPLETED',
})
const reversed: Answer = { kind: 'reversed', amount_minor: A, currency: 'TZS', provider_status: 'REVERSED' }

/** Runs a test with one payment, in a world whose live provider follows a script. */
async function withScriptedPayment(
  given: Partial<Script>,
  work: (of: {
    world: World
    script: Script
    id: string
    hint(): Promise<void>
    refresh(): Promise<void>
    now(): Promise<Now>
  }) => Promise<void>,
  options: { env?: Record<string, string>; point?: (name: string) => void; consistent?: boolean } = {},
): Promise<void> {
  const script: Script = { push: () => accepted, status: () => accepted, calls: [], ...given }
  const provider: Provider = {
    name: 'mock',
    capabilities: { methods: ['wallet_push', 'provider_pesa', 'qr'], whole_shillings: false, payout_methods: [] },
    push: async (request) => {
      script.calls.push('push')
      return script.push(request)
    },
    qr: async () => ({ ...accepted, payment_token: '1', qr_payload: '1' }),
    status: async (requests) => {
      script.calls.push('status')
      return requests.map((request) => script.status(request))
    },
    ...NO_PAYOUTS,
    verifyCallback: (_headers, body) => ({ verified: true, reference: body.toString('utf8') }),
  }
  const world = await createWorld({
    compose: { providers: [provider] },
    env: { COLLECTION_DEADLINE_H: '0.02', ...options.env },
    ...(options.point ? { point: options.point } : {}),
  })
  try {
    await world.call({
      method: 'PATCH',
      url: '/v1/merchant/webhook-config',
      payload: { webhook_url: 'http://127.0.0.1:9/hook' },
      key: world.live_key,
    })
    const reply = await world.post(PUSH, { amount: '1000', phone: '0754123456' }, { key: world.live_key })
    assert.equal(reply.status, 202)
    const id = reply.body.data.collection_id
    await world.system.driver.task.idle()
    await work({
      world,
      script,
      id,
      async hint() {
        const [row] = await world.rows<{ provider_reference: string }>(
          'select provider_reference from collection_attempts where collection_id = $1',
          [id],
        )
        await world.system.receive('mock', {}, Buffer.from(row?.provider_reference ?? ''))
      },
      async refresh() {
        assert.equal(
          (await world.call({ method: 'POST', url: `/v1/collections/${id}/refresh-status`, key: world.live_key }))
            .status,
          200,
        )
      },
      now: () => look(world, id),
    })
    const verification = await verify(world.url)
    assert.deepEqual(
      verification.checks.filter((invariant) => !invariant.ok),
      [],
      'the books hold',
    )
  } finally {
    await world.close()
  }
}

type Now = { status: string; reason: string | null; available: bigint; held: bigint; moves: string[]; events: string[] }

/** Returns the outcomes in the history: moves, and answers without a move, each with its reason. */
async function recordedOutcomes(world: World, id: string): Promise<string[]> {
  const rows = await world.rows<{ from_status: string; to_status: string; reason: string; event: string | null }>(
    'select from_status, to_status, reason, event from collection_history where collection_id = $1 order by seq',
    [id],
  )
  return rows.map(({ from_status, to_status, reason, event }) => {
    if (from_status !== to_status) return `${to_status}: ${reason}`
    assert.equal(event, null)
    return `still ${to_status}: ${reason}`
  })
}

/** Returns the logged contradictions. */
function warnings(world: World): { level: string; collection_id: string; booked: string; reported: string }[] {
  return world.deps.logged.map((line) => JSON.parse(line)).filter((line) => line.msg.includes('contradicts'))
}

async function look(world: World, id: string): Promise<Now> {
  const [row] = await world.rows<{ status: string; failure_reason_code: string | null }>(
    'select status, failure_reason_code from collections where id = $1',
    [id],
  )
  const accounts = await world.rows<{ code: string; balance_minor: bigint }>(
    "select code, balance_minor from ledger_accounts where environment = 'live' and merchant_id = $1",
    [world.merchant.id],
  )
  const balance = (code: string) => accounts.find((account) => account.code === code)?.balance_minor ?? 0n
  const moves = await world.rows<{ to_status: string }>(
    'select to_status from collection_history where collection_id = $1 and from_status <> to_status order by seq',
    [id],
  )
  const events = await world.rows<{ event: string }>(
    'select event from webhook_deliveries where source_id = $1 order by source_seq',
    [id],
  )
  return {
    status: row?.status ?? '',
    reason: row?.failure_reason_code ?? null,
    available: balance('available'),
    held: balance('held'),
    moves: moves.map((move) => move.to_status),
    events: events.map((entry) => entry.event),
  }
}

test('the server does not query a payment again after each lease when the counter of queries has its highest value', () =>
  withScriptedPayment(
    {},
    async ({ world, script, id }) => {
      const attempt = () =>
        world.rows('select asks, lease_owner from collection_attempts where collection_id = $1', [id])
      await world.rows('update collection_attempts set asks = 32000 where collection_id = $1', [id])
      script.calls.length = 0
      await world.pass(6_000)
      assert.deepEqual(script.calls, ['status'], 'the attempt fell due once')
      assert.deepEqual(await attempt(), [{ asks: 32_000, lease_owner: null }])
      await world.pass(30_000)
      assert.deepEqual(script.calls, ['status'], 'the next query comes after an hour, not after each lease')
    },
    { env: { COLLECTION_DEADLINE_H: '100' } },
  ))

describe('money that differs from the requested amount', () => {
  for (const [name, answer, held] of [
    ['a higher amount', paid(A + 1n), A + 1n],
    ['a lower amount', paid(1n), 1n],
    ['money in another currency', paid(A, 'USD'), 0n],
  ] as const) {
    test(`a payment with ${name} than requested waits for an operator, and the server credits no money`, () =>
      withScriptedPayment({ status: () => answer }, async ({ hint, now, script }) => {
        await hint()
        const expected = {
          status: 'pending_clearance',
          reason: null,
          available: 0n,
          held,
          moves: ['pending_clearance'],
          events: ['collection.pending_review'],
        }
        assert.deepEqual(await now(), expected)
        script.status = () => paid()
        await hint()
        assert.deepEqual(await now(), expected, 'a later answer does not release held money')
      }))
  }

  for (const amount of [0n, -A, 2n ** 70n]) {
    test(`a payment stays open until its deadline if the provider reports the impossible amount ${amount}`, () =>
      withScriptedPayment({ status: () => paid(amount) }, async ({ world, hint, now }) => {
        await hint()
        assert.equal((await now()).status, 'processing')
        await world.pass(90_000)
        assert.deepEqual(await now(), {
          status: 'failed',
          reason: 'timeout',
          available: 0n,
          held: 0n,
          moves: ['failed'],
          events: ['collection.failed'],
        })
      }))
  }
})

describe('answers that contradict each other', () => {
  test('a decline after a success does not change the credit', () =>
    withScriptedPayment({ status: () => paid() }, async ({ hint, refresh, now, script }) => {
      await hint()
      script.status = () => declined
      await hint()
      await refresh()
      assert.deepEqual(await now(), {
        status: 'successful',
        reason: null,
        available: A,
        held: 0n,
        moves: ['successful'],
        events: ['collection.success'],
      })
    }))

  test('the history and the log record each contradiction of a success once', () =>
    withScriptedPayment({ status: () => paid() }, async ({ world, id, hint, refresh, now, script }) => {
      await hint()
      for (const answer of [declined, paid(50_000n), paid(A, 'USD'), declined]) {
        script.status = () => answer
        await Promise.all([hint(), refresh(), hint()])
        await refresh()
      }
      const expected = [
        'successful: succeeded 1000.00 TZS',
        'still successful: declined user_cancelled',
        'still successful: succeeded 500.00 TZS',
        'still successful: succeeded 1000.00 USD',
      ]
      assert.deepEqual(await recordedOutcomes(world, id), expected)
      const { merchant } = world
      const lines = warnings(world).map(({ level, collection_id, booked, reported }) => ({
        level,
        collection_id,
        booked,
        reported,
      }))
      assert.deepEqual(
        lines,
        expected.slice(1).map((line) => ({
          level: 'warn',
          collection_id: id,
          booked: '1000.00',
          reported: line.slice('still successful: '.length),
        })),
      )
      assert.ok(warnings(world).every((line) => (line as { merchant_id?: string }).merchant_id === merchant.id))
      assert.equal((await now()).available, A)
      assert.deepEqual((await now()).events, ['collection.success'])
      script.status = () => ({ ...reversed, amount_minor: 700n }) as Answer
      await hint()
      await hint()
      assert.deepEqual((await recordedOutcomes(world, id)).slice(4), [
        'reversed: reversed 7.00 TZS',
        'still reversed: reversed 7.00 TZS',
      ])
      assert.equal((await now()).available, 0n)
      assert.deepEqual((await now()).events, ['collection.success', 'collection.reversed'])
    }))

  test('the booking of held money stays unchanged, and the history records every other later outcome once', () =>
    withScriptedPayment({ status: () => paid(50_000n) }, async ({ world, id, hint, now, script }) => {
      await hint()
      await hint()
      for (const answer of [paid(), paid(50_000n, 'USD'), paid(50_000n), declined]) {
        script.status = () => answer
        await hint()
        await hint()
      }
      assert.deepEqual(await recordedOutcomes(world, id), [
        'pending_clearance: succeeded 500.00 TZS',
        'still pending_clearance: succeeded 1000.00 TZS',
        'still pending_clearance: succeeded 500.00 USD',
        'still pending_clearance: declined user_cancelled',
      ])
      assert.equal((await now()).held, 50_000n)
      const shown = (await world.get(`/v1/collections/${id}`, world.live_key)).body.data
      assert.equal(shown.amount_received, 500)
    }))

  test('the history records the currency of held money in another currency', () =>
    withScriptedPayment({ status: () => paid(A, 'USD') }, async ({ world, id, hint }) => {
      await hint()
      await hint()
      assert.deepEqual(await recordedOutcomes(world, id), ['pending_clearance: succeeded 1000.00 USD'])
    }))

  test('if the first final answer is a reversal, only the reversal has the answer as its reason, not the arrival before it', () =>
    withScriptedPayment({ status: () => reversed }, async ({ world, id, hint }) => {
      await hint()
      await hint()
      assert.deepEqual(await recordedOutcomes(world, id), ['successful: null', 'reversed: reversed 1000.00 TZS'])
      assert.deepEqual(warnings(world), [])
    }))

  test('the server records no contradiction after a repeated or late answer', () =>
    withScriptedPayment({ status: () => paid() }, async ({ world, id, hint, script }) => {
      for (const answer of [paid(), accepted, notFound, unknown, reversed, paid(), reversed]) {
        script.status = () => answer
        await hint()
      }
      assert.deepEqual(await recordedOutcomes(world, id), [
        'successful: succeeded 1000.00 TZS',
        'reversed: reversed 1000.00 TZS',
      ])
      assert.deepEqual(warnings(world), [])
    }))

  test('the server queues the events failed, success and reversed in this order when a reversal follows a decline', () =>
    withScriptedPayment({ status: () => declined }, async ({ hint, now, script }) => {
      await hint()
      script.status = () => reversed
      await hint()
      assert.deepEqual((await now()).moves, ['failed', 'successful', 'reversed'])
      assert.deepEqual((await now()).events, ['collection.failed', 'collection.success', 'collection.reversed'])
    }))

  test('the server credits the money and queues the event of the success when a success follows a decline', () =>
    withScriptedPayment({ status: () => declined }, async ({ hint, now, script }) => {
      await hint()
      assert.deepEqual(await now(), {
        status: 'failed',
        reason: 'user_cancelled',
        available: 0n,
        held: 0n,
        moves: ['failed'],
        events: ['collection.failed'],
      })
      script.status = () => paid()
      await hint()
      assert.deepEqual(await now(), {
        status: 'successful',
        reason: null,
        available: A,
        held: 0n,
        moves: ['failed', 'successful'],
        events: ['collection.failed', 'collection.success'],
      })
    }))

  test('a hundred reports of one success by callback, query and refresh credit the payment once', () =>
    withScriptedPayment({ status: () => paid() }, async ({ world, hint, refresh, now }) => {
      await Promise.all(Array.from({ length: 50 }, (_, i) => (i % 2 === 0 ? hint() : refresh())))
      await world.work()
      for (let i = 0; i < 50; i++) await hint()
      assert.deepEqual(await now(), {
        status: 'successful',
        reason: null,
        available: A,
        held: 0n,
        moves: ['successful'],
        events: ['collection.success'],
      })
    }))

  test('a reversal without an earlier success books the arrival and the reversal, and a later success moves no money', () =>
    withScriptedPayment({ status: () => reversed }, async ({ hint, now, script }) => {
      await hint()
      const expected = {
        status: 'reversed',
        reason: null,
        available: 0n,
        held: 0n,
        moves: ['successful', 'reversed'],
        events: ['collection.success', 'collection.reversed'],
      }
      assert.deepEqual(await now(), expected)
      script.status = () => paid()
      await hint()
      script.status = () => reversed
      await hint()
      assert.deepEqual(await now(), expected)
    }))

  test('the server queries a payment again, without a callback, if the provider announced a change of its answer', () =>
    withScriptedPayment(
      { status: () => ({ ...declined, ask_again_ms: 3_000 }) },
      async ({ world, hint, now, script }) => {
        await hint()
        assert.equal((await now()).status, 'failed')
        script.status = () => ({ ...paid(), ask_again_ms: 4_000 })
        await world.pass(3_000)
        assert.equal((await now()).status, 'successful')
        script.status = () => reversed
        await world.pass(4_000)
        assert.deepEqual((await now()).moves, ['failed', 'successful', 'reversed'])
        const calls = script.calls.length
        await world.pass(80_000)
        assert.equal(script.calls.length, calls, 'the server does not query a final answer again')
      },
    ))

  test('a paid payment stays paid when the provider then answers "not found", "pending" and "unknown"', () =>
    withScriptedPayment({ status: () => paid() }, async ({ world, hint, now, script }) => {
      await hint()
      for (const answer of [notFound, accepted, unknown]) {
        script.status = () => answer
        await hint()
        await world.pass(6_000)
      }
      assert.equal((await now()).status, 'successful')
      assert.equal((await now()).available, A)
    }))

  test('the server applies contradicting answers of one batch in their order, once each', () =>
    withScriptedPayment({ status: () => accepted }, async ({ world, id, now }) => {
      const { merchant } = world
      const settle = (answer: Answer) =>
        world.system.driver.settle({ merchant_id: merchant.id, collection_id: id, number: 1, answer })
      await Promise.all([
        settle(declined),
        settle(paid()),
        settle(declined),
        settle(paid()),
        settle(reversed),
        settle(reversed),
        settle(paid()),
      ])
      assert.deepEqual(await now(), {
        status: 'reversed',
        reason: null,
        available: 0n,
        held: 0n,
        moves: ['failed', 'successful', 'reversed'],
        events: ['collection.failed', 'collection.success', 'collection.reversed'],
      })
    }))
})

describe('a provider without a usable answer', () => {
  for (const [name, answer] of [
    ['unknown', unknown],
    ['pending', accepted],
    ['not found', notFound],
  ] as const) {
    test(`the answer "${name}" until the deadline fails the payment with timeout, and a late success credits the money`, () =>
      withScriptedPayment({ push: () => answer, status: () => answer }, async ({ world, hint, now, script }) => {
        await world.pass(70_000)
        assert.equal((await now()).status, 'processing', 'not before the deadline')
        await world.pass(5_000)
        assert.deepEqual(await now(), {
          status: 'failed',
          reason: 'timeout',
          available: 0n,
          held: 0n,
          moves: ['failed'],
          events: ['collection.failed'],
        })
        const calls = script.calls.length
        await world.pass(60_000)
        assert.equal(script.calls.length, calls, 'the server does not query the payment for ever')
        script.status = () => paid()
        await hint()
        assert.deepEqual(await now(), {
          status: 'successful',
          reason: null,
          available: A,
          held: 0n,
          moves: ['failed', 'successful'],
          events: ['collection.failed', 'collection.success'],
        })
      }))
  }

  test('the server queries the provider about an unanswered payment at growing intervals', () =>
    withScriptedPayment(
      {},
      async ({ world, script }) => {
        await world.pass(60_000)
        const first = script.calls.length
        assert.ok(first >= 4 && first <= 8, `${first} calls in the first minute`)
        await world.pass(240_000)
        assert.ok(script.calls.length - first <= 6, `${script.calls.length - first} in the next four`)
      },
      { env: { COLLECTION_DEADLINE_H: '72' } },
    ))

  test('the server queries a payment again after the adapter throws, and credits the money once', () =>
    withScriptedPayment(
      {
        push: () => {
          throw new Error('bug in push')
        },
        status: () => {
          throw new Error('bug in status')
        },
      },
      async ({ world, script, now }) => {
        await world.pass(30_000)
        assert.equal((await now()).status, 'processing')
        script.status = () => paid()
        await world.pass(35_000)
        assert.deepEqual(await now(), {
          status: 'successful',
          reason: null,
          available: A,
          held: 0n,
          moves: ['successful'],
          events: ['collection.success'],
        })
      },
    ))

  test('a payment stays open while the adapter returns no answer for the payment', () =>
    withScriptedPayment({ status: () => undefined as unknown as Answer }, async ({ world, hint, now, script }) => {
      await hint()
      assert.equal((await now()).status, 'processing')
      await world.pass(10_000)
      script.status = () => paid()
      await hint()
      assert.equal((await now()).available, A)
    }))

  test('a payment ends at its deadline when the adapter always throws', () =>
    withScriptedPayment(
      {
        status: () => {
          throw new Error('bug in status')
        },
      },
      async ({ world, now }) => {
        await world.pass(90_000)
        assert.equal((await now()).reason, 'timeout')
      },
    ))

  test('the server settles a sandbox payment while a live payment waits for an unconfigured provider', () =>
    withScriptedPayment(
      {
        status: () => {
          throw new Error('bug in status')
        },
      },
      async ({ world }) => {
        const sandbox = (await world.post(PUSH, { amount: 10, phone: '0754123008' })).body.data.collection_id
        await world.rows("update collection_attempts set provider = 'gone' where environment = 'live'")
        await world.rows('update collection_attempts set due_at = $1', [world.deps.clock.now()])
        await world.work()
        assert.equal((await world.get(`/v1/collections/${sandbox}`)).body.data.status, 'successful')
        await world.rows("update collection_attempts set provider = 'mock' where environment = 'live'")
      },
    ))
})

describe('a process that dies', () => {
  for (const [crash_point, arrived, calls] of [
    ['send.before_push', false, ['status', 'push', 'status']],
    ['send.after_push', true, ['push', 'status']],
  ] as const) {
    test(`the payer sees one prompt after a process died at ${crash_point}, because the server queries the provider first`, () => {
      let dies = true
      let received = false
      return withScriptedPayment(
        {
          push: () => {
            received = true
            return accepted
          },
          status: () => (received ? paid() : notFound),
        },
        async ({ world, script, now }) => {
          assert.deepEqual(script.calls, arrived ? ['push'] : [])
          await world.pass(9_000)
          assert.deepEqual(script.calls, arrived ? ['push'] : [], 'no process takes the attempt during the lease')
          await world.pass(20_000)
          assert.deepEqual(script.calls, calls)
          assert.deepEqual(await now(), {
            status: 'successful',
            reason: null,
            available: A,
            held: 0n,
            moves: ['successful'],
            events: ['collection.success'],
          })
        },
        {
          point: (name) => {
            if (name !== crash_point || !dies) return
            dies = false
            throw new Error('the process dies here')
          },
        },
      )
    })
  }

  test('no money moves if a process dies before the commit of an outcome, and the next query credits the money once', () => {
    let dies = true
    return withScriptedPayment(
      { status: () => paid() },
      async ({ world, now }) => {
        await world.pass(6_000)
        assert.deepEqual((await now()).moves, [])
        assert.equal((await now()).available, 0n)
        await world.pass(20_000)
        assert.deepEqual(await now(), {
          status: 'successful',
          reason: null,
          available: A,
          held: 0n,
          moves: ['successful'],
          events: ['collection.success'],
        })
      },
      {
        point: (name) => {
          if (name !== 'settle.before_commit' || !dies) return
          dies = false
          throw new Error('the process dies here')
        },
      },
    )
  })

  test('the server sends and queries an attempt with the same provider reference after each retry', () => {
    const references = new Set<string>()
    return withScriptedPayment(
      {
        push: (request) => {
          references.add(request.reference)
          return unknown
        },
        status: (request) => {
          references.add(request.reference)
          return notFound
        },
      },
      async ({ world, script }) => {
        await world.pass(40_000)
        assert.ok(script.calls.filter((call) => call === 'push').length > 1, 'the server sent the attempt again')
        assert.equal(references.size, 1)
      },
    )
  })
})
