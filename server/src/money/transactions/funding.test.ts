// Tests the credits that funded a withdrawal. A withdrawal uses the oldest credits first, and withdrawals use each cent once.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'
import { approve, type FactOf, payoutAnswer, postFacts, submitWithdrawal } from '../../../test/ledger-facts.ts'
import type { Merchant } from '../../access/merchants/index.ts'
import { MERCHANT_ROLES } from '../../kernel/http/index.ts'
import { newId, settableClock } from '../../kernel/lib/index.ts'
import type { FundingView } from './schema.ts'

let world: World
let operator: string
before(async () => {
  world = await createWorld()
  operator = (await world.newSession('SUPER_ADMIN')).token
})
after(() => world.close())

const cents = (text: string) => BigInt(text.replace('.', ''))

async function funding(id: string): Promise<FundingView> {
  const reply = await world.get(`/v1/operator/withdrawals/${id}/funding`, operator)
  assert.equal(reply.status, 200, reply.text)
  return reply.body.data
}

/** Submits and approves a withdrawal. Returns its id. */
async function withdraw(merchant: Merchant, amount_minor: bigint, fee_minor = 0n): Promise<string> {
  const id = await submitWithdrawal(world, { merchant, amount_minor, fee_minor })
  await approve(world.deps, merchant, [id])
  world.deps.clock.advance(1)
  return id
}

/** Posts facts one after another, each with a later time. Returns the ids of their sources. */
async function post(merchant: Merchant, ...facts: FactOf[]): Promise<string[]> {
  const sources: string[] = []
  for (const fact of facts) {
    sources.push(...(await postFacts(world.deps, merchant, [fact])))
    world.deps.clock.advance(1)
  }
  return sources
}

const credit = (amount_minor: bigint, fee_minor = 0n): FactOf => ({
  fact: 'collection_settled',
  amount_minor,
  fee_minor,
})
const used = ({ items }: FundingView) =>
  items.map(({ type, collection_id, amount, amount_used }) => [type, collection_id, amount, amount_used])

describe('credits that funded a withdrawal', () => {
  test('a withdrawal uses the oldest payments first, without their fees, and the next withdrawal uses the rest', async () => {
    const merchant = await world.newMerchant()
    const [a, b, c] = await post(merchant, credit(10_000n), credit(20_000n, 500n), credit(30_000n))
    const first = await funding(await withdraw(merchant, 24_000n, 1_000n))
    assert.deepEqual(used(first), [
      ['COLLECTION', a, '100.00', '100.00'],
      ['COLLECTION', b, '195.00', '150.00'],
    ])
    assert.deepEqual([first.total_reserved_amount, first.amount_found, first.complete], ['250.00', '250.00', true])
    const second = await funding(await withdraw(merchant, 20_000n))
    assert.deepEqual(used(second), [
      ['COLLECTION', b, '195.00', '45.00'],
      ['COLLECTION', c, '300.00', '155.00'],
    ])
    const [d] = await post(merchant, credit(1_000n))
    assert.deepEqual(used(await funding(await withdraw(merchant, 15_500n))), [
      ['COLLECTION', c, '300.00', '145.00'],
      ['COLLECTION', d, '10.00', '10.00'],
    ])
  })

  test('the funding of a withdrawal has the same transaction references as the list, even for adjustments and reversals', async () => {
    const merchant = await world.newMerchant()
    const key = await world.newKey({ merchant })
    await post(merchant, { fact: 'adjustment_credited_float', amount_minor: 500n })
    const failed = await withdraw(merchant, 400n)
    await payoutAnswer(world.deps, merchant, failed, { kind: 'declined' })
    world.deps.clock.advance(1)
    const id = await withdraw(merchant, 500n)
    const answer = await funding(id)
    assert.deepEqual(
      answer.items.map(({ type, amount_used }) => [type, amount_used]),
      [
        ['ADJUSTMENT', '1.00'],
        ['WITHDRAWAL_REVERSAL', '4.00'],
      ],
    )
    const list = (await world.get(`/v1/merchants/${merchant.id}/transactions`, key)).body.data.items
    const references = list.map((item: { reference: string }) => item.reference)
    assert.equal(answer.transaction_reference, references[0])
    assert.deepEqual(
      answer.items.map((item) => item.transaction_reference),
      [references[3], references[1]],
    )
  })

  test('the funding of a withdrawal has no credits before the approval', async () => {
    const merchant = await world.newMerchant()
    await post(merchant, credit(1_000n))
    const answer = await funding(await submitWithdrawal(world, { merchant, amount_minor: 500n, fee_minor: 5n }))
    const { total_reserved_amount, amount_found, complete, items, transaction_reference } = answer
    assert.deepEqual(
      { total_reserved_amount, amount_found, complete, items, transaction_reference },
      { total_reserved_amount: '5.05', amount_found: '0.00', complete: false, items: [], transaction_reference: null },
    )
  })

  test('a withdrawal uses only the part of a credit above the debt when the balance was negative', async () => {
    const merchant = await world.newMerchant()
    const [a, b] = await post(
      merchant,
      { fact: 'collection_reversed', amount_minor: 300n },
      credit(200n),
      credit(500n),
    ).then((sources) => sources.slice(1))
    assert.ok(a)
    assert.deepEqual(used(await funding(await withdraw(merchant, 350n))), [['COLLECTION', b, '5.00', '3.50']])
  })

  test('the funding of a withdrawal is incomplete and has the found amount when some credits are too old', async () => {
    const merchant = await world.newMerchant()
    for (let batch = 0; batch < 11; batch++) {
      await postFacts(
        world.deps,
        merchant,
        Array.from({ length: 1_000 }, () => credit(1n)),
      )
      world.deps.clock.advance(1)
    }
    const all = await funding(await withdraw(merchant, 10_500n))
    assert.deepEqual([all.complete, all.amount_found, all.items.length], [false, '95.00', 9_500])
    await post(merchant, credit(50_000n))
    const old = await funding(await withdraw(merchant, 600n))
    assert.deepEqual([old.complete, old.amount_found], [true, '6.00'], 'the credits are recent enough')
  })
})

test('a member of each role can read the funding of a withdrawal in its environment, and another merchant gets not_found', async () => {
  const merchant = await world.newMerchant()
  await post(merchant, credit(1_000n))
  const id = await withdraw(merchant, 500n)
  const path = `/v1/merchant/withdrawals/${id}/funding`
  for (const role of MERCHANT_ROLES) {
    const { token } = await world.newSession([{ role, merchant }])
    assert.deepEqual((await world.get(`${path}?environment=sandbox`, token)).body.data, await funding(id), role)
    assert.deepEqual(codeOf(await world.get(path, token)), [404, 'not_found'], 'the default environment is live')
  }
  const { token } = await world.newSession('FINANCE')
  assert.deepEqual(codeOf(await world.get(`${path}?environment=sandbox`, token)), [404, 'not_found'])
  assert.deepEqual(codeOf(await world.get(path, await world.newKey({ merchant }))), [403, 'insufficient_role'])
  for (const unknown of [randomUUID(), newId(world.deps, merchant.routing_code), 'x', `${id}0`]) {
    for (const [at, reader] of [
      ['merchant', token],
      ['operator', operator],
    ] as const) {
      assert.deepEqual(codeOf(await world.get(`/v1/${at}/withdrawals/${unknown}/funding`, reader)), [404, 'not_found'])
    }
  }
  assert.equal((await world.get(`/v1/operator/withdrawals/${id.toUpperCase()}/funding`, operator)).status, 200)
})

type RandomMove = {
  what: 'credit' | 'reversal' | 'debit' | 'withdrawal'
  amount: number
  fee: number
  skew_ms: number
  share: number
}

const moves: fc.Arbitrary<RandomMove[]> = fc.array(
  fc.record({
    what: fc.constantFrom('credit', 'credit', 'credit', 'reversal', 'debit', 'withdrawal', 'withdrawal'),
    amount: fc.integer({ min: 100, max: 9_999 }),
    fee: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 99 })),
    // A process makes an id before it locks the account, and the clocks of two processes may differ by up to 20 seconds.
    skew_ms: fc.integer({ min: -20_000, max: 20_000 }),
    // `share` is the percentage of the balance that a withdrawal takes. The random choice often takes the value 100.
    share: fc.oneof(fc.constant(100), fc.integer({ min: 1, max: 100 })),
  }),
  { minLength: 5, maxLength: 50 },
)

/** Creates a queue of credits from which debits take the oldest credits first. */
function createQueue() {
  const credits: { source: string; left: bigint }[] = []
  let debt = 0n
  return {
    balance: () => credits.reduce((sum, { left }) => sum + left, 0n) - debt,
    put(source: string, net: bigint) {
      const paid = net < debt ? net : debt
      debt -= paid
      if (net > paid) credits.push({ source, left: net - paid })
    },
    take(amount: bigint): [source: string, used: bigint][] {
      const taken: [string, bigint][] = []
      for (let need = amount; need > 0n; ) {
        const [first] = credits
        if (!first) {
          debt += need
          break
        }
        const part = first.left < need ? first.left : need
        taken.push([first.source, part])
        first.left -= part
        need -= part
        if (first.left === 0n) credits.shift()
      }
      return taken
    },
  }
}

test('the funding equals the result of a first-in first-out queue for random orders of credits and debits', async () => {
  await fc.assert(
    fc.asyncProperty(moves, async (history) => {
      const merchant = await world.newMerchant()
      // The earlier runs advanced the clock, so the operator's session may have expired.
      operator = (await world.newSession('SUPER_ADMIN')).token
      const queue = createQueue()
      const expected = new Map<string, [string, bigint][]>()
      const { deps } = world
      for (const { what, amount, fee, skew_ms, share } of history) {
        const at = settableClock(new Date(deps.clock.now().getTime() + skew_ms))
        const transfer_id = newId({ ...deps, clock: at }, merchant.routing_code)
        const [amount_minor, fee_minor] = [BigInt(amount), BigInt(fee)]
        const put = async (fact: FactOf): Promise<string> =>
          (await postFacts(deps, merchant, [{ ...fact, transfer_id }]))[0] as string
        const all = queue.balance()
        if (what === 'credit') {
          queue.put(await put({ fact: 'collection_settled', amount_minor, fee_minor }), amount_minor - fee_minor)
        } else if (what === 'reversal') {
          await put({ fact: 'collection_reversed', amount_minor, fee_minor })
          queue.take(amount_minor - fee_minor)
        } else if (what === 'debit' && all >= amount_minor) {
          await put({ fact: 'adjustment_debited_float', amount_minor })
          queue.take(amount_minor)
        } else if (what === 'withdrawal' && all > 0n) {
          const part = (all * BigInt(share) + 99n) / 100n
          const id = await submitWithdrawal(world, { merchant, amount_minor: part })
          await approve(deps, merchant, [id])
          expected.set(id, queue.take(part))
        }
        deps.clock.advance(3_000)
      }
      for (const [id, taken] of expected) {
        const answer = await funding(id)
        const names = answer.items.map((item): [string, bigint] => [
          item.collection_id as string,
          cents(item.amount_used),
        ])
        assert.deepEqual(names, taken)
        assert.ok(answer.complete)
        assert.equal(answer.amount_found, answer.total_reserved_amount)
      }
    }),
    { numRuns: 40 },
  )
})
