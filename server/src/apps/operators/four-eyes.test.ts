// Tests that two different operators must approve a withdrawal of FOUR_EYES_AMOUNT or more.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { codeOf, createWorld, type Reply, type World } from '../../../test/harness.ts'
import { createTestOperator, type ShopWithKeys, type TestOperator, UNTOUCHED } from '../../../test/operator.ts'
import { newOperator, type Operator } from '../../../test/operator-sessions.ts'
import {
  booksHold,
  forgetSums,
  newPayoutScript,
  type PayoutScript,
  payoutAnswers,
  scriptedProvider,
} from '../../../test/payouts.ts'
import { unchanged } from '../../../test/withdrawals.ts'

/** A withdrawal of 10000.00 takes 10800.00 from the balance with the prices of this test. */
const EYES = '10800'
const LARGE = '10000.00'
const SMALL = '9999.00'

let world: World
/** Another process of the same installation. */
let other: World
let operator: TestOperator
let script: PayoutScript
let asha: Operator
let juma: Operator
let died_at: string | null = null
before(async () => {
  script = newPayoutScript()
  const options = {
    env: { FOUR_EYES_AMOUNT: EYES },
    compose: { providers: [scriptedProvider(script)] },
    point(name: string) {
      if (name === died_at) throw new Error('the process dies here')
    },
  }
  world = await createWorld(options)
  other = await createWorld({ ...options, url: world.url })
  operator = await createTestOperator(world)
  asha = await newOperator(world)
  juma = await newOperator(world)
})
after(async () => {
  await booksHold(world)
  await other.close()
  await world.close()
})
beforeEach(async () => {
  await forgetSums(world)
  script.payout = ({ amount_minor }) => payoutAnswers.paid(amount_minor)
  script.sent.length = 0
  died_at = null
})
// The workers settle each approved withdrawal before the next test starts.
afterEach(() => settle())

type Way = { at?: World; idempotency_key?: string | null }

async function approve(
  operator: Operator,
  id: string,
  { at = world, idempotency_key = null }: Way = {},
): Promise<Reply> {
  return at.post(`/v1/operator/withdrawals/${id}/approve`, {}, { key: await operator.token(), idempotency_key })
}
const newShop = () => operator.shop('100000.00')
const newLarge = async (shop?: ShopWithKeys) => operator.submit(shop ?? (await newShop()), { amount: LARGE })
const operatorsOf = ({ approvals }: { approvals: { operator: string }[] }) => approvals.map(({ operator }) => operator)
const SECOND: [number, string] = [409, 'second_operator_required']

/** Returns the audit entries for the approvals of a withdrawal, oldest first. */
const auditedApprovals = (id: string) =>
  world.rows<{ action: string; actor_name: string; before: object; after: Record<string, unknown> }>(
    `select action, actor_name, before, after from audit_log
     where target_id = $1 and action like 'withdrawal.%approve' order by seq`,
    [id],
  )

async function settle(): Promise<void> {
  await Promise.all([world.work(), other.work()])
}

describe('withdrawals that need two operators', () => {
  test("the server reserves nothing after the first approval, and sends the payout after the second operator's approval", async () => {
    const shop = await newShop()
    const id = await newLarge(shop)
    const waiting = await operator.show(id)
    assert.deepEqual([waiting.approvals_required, waiting.approvals], [2, []])

    const first = await approve(asha, id)
    assert.equal(first.status, 200, first.text)
    const { status, approvals_required, approvals } = first.body.data
    const at = world.deps.clock.now().toISOString()
    assert.deepEqual(
      [status, approvals_required, approvals],
      ['PENDING_ADMIN_APPROVAL', 2, [{ operator: asha.email, reason: null, at }]],
    )
    await settle()
    assert.deepEqual([await operator.book(shop), script.sent], [UNTOUCHED, []])
    const merchants = await world.get(`/v1/disbursements/${id}`, shop.live)
    assert.equal(merchants.body.data.status, 'PENDING_ADMIN_APPROVAL')
    assert.doesNotMatch(
      merchants.text,
      new RegExp(`approvals|${asha.email}`),
      'the merchant does not see the operators',
    )

    world.deps.clock.advance(1_000)
    const second = await approve(juma, id)
    assert.deepEqual([second.status, second.body.data.status], [200, 'PROCESSING'])
    assert.deepEqual(operatorsOf(second.body.data), [asha.email, juma.email])
    await settle()
    assert.equal(script.sent.length, 1)
    const paid = await operator.show(id)
    assert.deepEqual(
      [paid.status, paid.approvals_required, operatorsOf(paid)],
      ['SUCCESS', 2, [asha.email, juma.email]],
    )
    const list = await world.get(`/v1/operator/withdrawals?merchant_id=${shop.merchant.id}`, await asha.token())
    assert.deepEqual(operatorsOf(list.body.data.items[0]), [asha.email, juma.email])
    assert.deepEqual(
      paid.history.map((move: { to_status: string }) => move.to_status),
      ['PROCESSING', 'SUCCESS'],
    )
  })

  test('a withdrawal below FOUR_EYES_AMOUNT needs one approval, and the record shows the operator', async () => {
    const id = await operator.submit(await newShop(), { amount: SMALL })
    const { status, approvals_required, approvals } = (await approve(asha, id)).body.data
    assert.deepEqual([status, approvals_required, approvals.length], ['PROCESSING', 1, 1])
    assert.equal(approvals[0].operator, asha.email)
  })

  test('the server refuses a second approval by the same operator, also on another process, and changes nothing', async () => {
    const id = await newLarge()
    await approve(asha, id)
    await unchanged(world, async () => {
      for (const way of [{}, { at: other }, { idempotency_key: randomUUID() }]) {
        assert.deepEqual(codeOf(await approve(asha, id, way)), SECOND)
      }
    })
    assert.deepEqual(operatorsOf(await operator.show(id)), [asha.email])
  })

  test('the server counts a first approval with a repeated Idempotency-Key once', async () => {
    const id = await newLarge()
    const idempotency_key = randomUUID()
    const first = await approve(asha, id, { idempotency_key })
    const again = await approve(asha, id, { idempotency_key })
    assert.deepEqual([again.status, again.text], [200, first.text])
    assert.deepEqual(operatorsOf(await operator.show(id)), [asha.email])
  })

  test('the server refuses an approval by the submitter of the withdrawal, as the first and as the second approval', async () => {
    const shop = await newShop()
    const fatuma = await newOperator(world, [{ role: 'FINANCE', merchant: shop.merchant }])
    const submit = async (amount: string) => {
      const token = (await world.newSession([{ role: 'FINANCE', merchant: shop.merchant }])).token
      const to = { destination_code: 'MPESA', destination_phone: '0754123001', destination_name: 'Asha' }
      const body = { amount, method: 'MOBILE_MONEY', ...to }
      const made = await world.post('/v1/merchant/withdrawals', body, { key: token })
      assert.equal(made.status, 202, made.text)
      const id: string = made.body.data.id
      await world.rows('update withdrawals set requested_by_id = $2 where id = $1', [id, fatuma.user_id])
      return id
    }
    const id = await submit(LARGE)
    for (let i = 0; i < 2; i++) {
      await unchanged(world, async () => assert.deepEqual(codeOf(await approve(fatuma, id)), [403, 'forbidden']))
      await approve(asha, id)
    }
    assert.equal((await approve(juma, id)).body.data.status, 'PROCESSING')
    await settle()
    const small = await submit(SMALL)
    await unchanged(world, async () => assert.deepEqual(codeOf(await approve(fatuma, small)), [403, 'forbidden']))
    assert.equal((await approve(asha, small)).status, 200)
  })

  test('the server refuses the first of two approvals for a suspended merchant or above the balance, and stores no approval', async () => {
    const shop = await newShop()
    const id = await newLarge(shop)
    const refused = async (code: string) => {
      await unchanged(world, async () => assert.deepEqual(codeOf(await approve(asha, id)), [409, code]))
      assert.deepEqual((await operator.show(id)).approvals, [])
    }
    await world.rows("update merchants set status = 'SUSPENDED' where id = $1", [shop.merchant.id])
    await refused('withdrawal_restricted')
    await world.rows("update merchants set status = 'ACTIVE' where id = $1", [shop.merchant.id])
    const debit = {
      environment: 'live',
      direction: 'debit',
      against: 'provider_float',
      amount: '95000.00',
      reason: 'Out',
    }
    await operator.adjust(shop, debit)
    await refused('insufficient_balance')
  })

  test('the audit log has an entry for each of two approvals, with all operators who have approved so far', async () => {
    const id = await newLarge()
    await approve(asha, id)
    await approve(juma, id)
    const entries = (await auditedApprovals(id)).map(({ action, actor_name, before, after }) => ({
      action,
      actor_name,
      before,
      ...{ status: after.status, required: after.approvals_required, approvals: after.approvals },
    }))
    const before = { status: 'PENDING_ADMIN_APPROVAL' }
    const both = [asha.email, juma.email]
    assert.deepEqual(entries, [
      {
        action: 'withdrawal.first_approve',
        actor_name: asha.email,
        before,
        ...before,
        required: 2,
        approvals: [asha.email],
      },
      {
        action: 'withdrawal.approve',
        actor_name: juma.email,
        before,
        status: 'PROCESSING',
        required: 2,
        approvals: both,
      },
    ])
  })

  test('a large sandbox withdrawal needs two operators, but a merchant can simulate their approvals', async () => {
    const shop = await newShop()
    const [real, played] = [
      await operator.submit(shop, { amount: LARGE, environment: 'sandbox' }),
      await operator.submit(shop, { amount: LARGE, environment: 'sandbox' }),
    ]
    assert.equal((await approve(asha, real)).body.data.status, 'PENDING_ADMIN_APPROVAL')
    for (const id of [real, played]) {
      const path = `/v1/sandbox/disbursements/${id}/simulate`
      const simulated = await world.post(path, { outcome: 'SUCCESS' }, { key: shop.sandbox })
      assert.equal(simulated.body.data?.status, 'SUCCESS', simulated.text)
    }
  })
})

describe('withdrawals between the first and the second approval', () => {
  test('a question to the merchant cancels the first approval, so two operators must approve again', async () => {
    const shop = await newShop()
    const { token } = await world.newSession([{ role: 'FINANCE', merchant: shop.merchant }])
    const id = await newLarge(shop)
    await approve(asha, id)
    const questioned = await operator.act(id, 'request-info')
    assert.deepEqual([questioned.body.data.status, questioned.body.data.approvals], ['INFO_REQUESTED', []])
    await world.post(`/v1/merchant/withdrawals/${id}/respond`, { message: 'A supplier' }, { key: token })
    const first = (await approve(juma, id)).body.data
    assert.deepEqual([first.status, operatorsOf(first)], ['PENDING_ADMIN_APPROVAL', [juma.email]])
    const second = (await approve(asha, id)).body.data
    assert.deepEqual([second.status, operatorsOf(second)], ['PROCESSING', [juma.email, asha.email]])
  })

  test("a withdrawal in INFO_REQUESTED needs two approvals, and the merchant's answer keeps an approval", async () => {
    const shop = await newShop()
    const { token } = await world.newSession([{ role: 'FINANCE', merchant: shop.merchant }])
    const id = await newLarge(shop)
    await operator.act(id, 'request-info')
    assert.equal((await approve(asha, id)).body.data.status, 'INFO_REQUESTED')
    assert.deepEqual(codeOf(await approve(asha, id)), SECOND)
    await world.post(`/v1/merchant/withdrawals/${id}/respond`, { message: 'A supplier' }, { key: token })
    assert.deepEqual(codeOf(await approve(asha, id)), SECOND)
    assert.equal((await approve(juma, id)).body.data.status, 'PROCESSING')
    const directly = await newLarge()
    await operator.act(directly, 'request-info')
    await approve(asha, directly)
    assert.equal((await approve(juma, directly)).body.data.status, 'PROCESSING')
  })

  test('a rejected withdrawal has no approvals', async () => {
    const id = await newLarge()
    await approve(asha, id)
    const rejected = await operator.act(id, 'reject')
    assert.deepEqual([rejected.body.data.status, rejected.body.data.approvals], ['REJECTED', []])
    await unchanged(world, async () => {
      for (const who of [asha, juma]) assert.deepEqual(codeOf(await approve(who, id)), [409, 'invalid_state'])
    })
  })

  test('a cancelled withdrawal has no approvals, and the server refuses its second approval', async () => {
    const shop = await newShop()
    const id = await newLarge(shop)
    await approve(asha, id)
    const cancelled = await world.post(`/v1/disbursements/${id}/cancel`, {}, { key: shop.live })
    assert.deepEqual([cancelled.status, cancelled.body.data?.status], [200, 'CANCELLED'], cancelled.text)
    assert.deepEqual((await operator.show(id)).approvals, [])
    await unchanged(world, async () => {
      for (const who of [asha, juma]) assert.deepEqual(codeOf(await approve(who, id)), [409, 'invalid_state'])
    })
  })

  test('while the balance is too low, the server refuses the second approval and keeps the first approval', async () => {
    const shop = await newShop()
    const id = await newLarge(shop)
    await approve(asha, id)
    const debit = {
      environment: 'live',
      direction: 'debit',
      against: 'provider_float',
      amount: '95000.00',
      reason: 'Out',
    }
    await operator.adjust(shop, debit)
    await unchanged(world, async () => assert.deepEqual(codeOf(await approve(juma, id)), [409, 'insufficient_balance']))
    await operator.adjust(shop, { ...debit, direction: 'credit' })
    assert.equal((await approve(juma, id)).body.data.status, 'PROCESSING')
  })

  test('an approval by a user whose role may not approve any more does not count as one of two', async () => {
    const id = await newLarge()
    const gone = await newOperator(world)
    await approve(gone, id)
    const setRole = (role: string | null) =>
      world.rows('update users set super_admin = false, operator_role = $2 where id = $1', [gone.user_id, role])
    await setRole('FINANCE_OPERATOR')
    assert.deepEqual(operatorsOf(await operator.show(id)), [gone.email])
    for (const role of ['SUPPORT', 'COMPLIANCE', null]) {
      await setRole(role)
      assert.deepEqual((await operator.show(id)).approvals, [], String(role))
    }
    assert.deepEqual(operatorsOf((await approve(asha, id)).body.data), [asha.email])
    await world.rows('update users set super_admin = true where id = $1', [gone.user_id])
    const second = (await approve(gone, id)).body.data
    assert.deepEqual([second.status, operatorsOf(second).sort()], ['PROCESSING', [asha.email, gone.email].sort()])
  })

  test('an approval does not count as one of two if its operator became a member of the merchant afterwards', async () => {
    const shop = await newShop()
    const id = await newLarge(shop)
    const gone = await newOperator(world)
    await approve(gone, id)
    const { token } = await world.newSession([{ role: 'MERCHANT_ADMIN', merchant: shop.merchant }])
    const invited = await world.post('/v1/merchant/members', { email: gone.email, role: 'VIEWER' }, { key: token })
    assert.equal(invited.status, 201, invited.text)
    assert.deepEqual((await operator.show(id)).approvals, [])
    const alone = (await approve(asha, id)).body.data
    assert.deepEqual([alone.status, operatorsOf(alone)], ['PENDING_ADMIN_APPROVAL', [asha.email]])
    assert.equal((await approve(juma, id)).body.data.status, 'PROCESSING')
  })

  test('a change of FOUR_EYES_AMOUNT does not apply to withdrawals that have a first approval', async () => {
    const [begun, fresh] = [await newLarge(), await newLarge()]
    await approve(asha, begun)
    const off = await createWorld({ url: world.url, compose: { providers: [scriptedProvider(script)] } })
    try {
      assert.deepEqual(codeOf(await approve(asha, begun, { at: off })), SECOND)
      assert.equal((await approve(asha, fresh, { at: off })).body.data.status, 'PROCESSING')
      assert.equal((await operator.show(fresh)).approvals_required, 1)
      assert.equal((await approve(juma, begun, { at: off })).body.data.approvals_required, 2)
    } finally {
      await off.close()
    }
  })
})

describe('two simultaneous approvals', () => {
  test('simultaneous approvals by two operators on one or two processes count as two, and the provider gets one payout', async () => {
    for (let round = 0; round < 6; round++) {
      script.sent.length = 0
      const id = await newLarge()
      const at = round % 2 === 0 ? world : other
      const key = round % 3 === 0 ? randomUUID() : null
      const answers = await Promise.all([approve(asha, id), approve(juma, id, { at, idempotency_key: key })])
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200],
      )
      const statuses = answers.map(({ body }) => body.data.status).sort()
      assert.deepEqual(statuses, ['PENDING_ADMIN_APPROVAL', 'PROCESSING'])
      await settle()
      assert.equal(script.sent.length, 1)
      assert.equal((await operator.show(id)).status, 'SUCCESS')
    }
  })

  test('many simultaneous approvals by one operator count as one, and the server sends no payout', async () => {
    for (let round = 0; round < 4; round++) {
      const id = await newLarge()
      const ways: Way[] = [{}, {}, { at: other }, { idempotency_key: randomUUID() }]
      const answers = await Promise.all(ways.map((way) => approve(asha, id, way)))
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409])
      for (const answer of answers.filter(({ status }) => status === 409)) assert.deepEqual(codeOf(answer), SECOND)
      const { status, approvals } = await operator.show(id)
      assert.deepEqual([status, approvals.length], ['PENDING_ADMIN_APPROVAL', 1])
    }
    await settle()
    assert.deepEqual(script.sent, [])
  })

  test('a question or rejection at the same time as the second approval either cancels the first approval or comes too late', async () => {
    for (let round = 0; round < 6; round++) {
      const id = await newLarge()
      await approve(asha, id)
      const [approved, questioned] = await Promise.all([
        approve(juma, id, { at: other }),
        operator.act(id, round % 2 === 0 ? 'request-info' : 'reject'),
      ])
      const { status, approvals } = await operator.show(id)
      if (questioned.status === 200) {
        // The request for information or the rejection cancelled the first approval. The second approval became a first
        // approval, or the server refused it.
        assert.ok(['INFO_REQUESTED', 'REJECTED'].includes(status), status)
        assert.ok(approvals.length <= 1)
      } else {
        assert.deepEqual([approved.status, approvals.length], [200, 2])
      }
    }
  })
})

describe('processes that die during a first approval', () => {
  for (const when of ['before', 'after'] as const) {
    test(`a process that dies ${when} the commit of the first approval records ${when === 'before' ? 'no' : 'the'} approval, and sends no payout`, async () => {
      const id = await newLarge()
      died_at = `approve.${when}_commit`
      assert.equal((await approve(asha, id)).status, 500)
      died_at = null
      const { status, approvals } = await operator.show(id)
      assert.deepEqual([status, approvals.length], ['PENDING_ADMIN_APPROVAL', when === 'before' ? 0 : 1])
      await settle()
      assert.deepEqual(script.sent, [])
      assert.equal((await approve(asha, id)).status, when === 'before' ? 200 : 409)
      assert.equal((await approve(juma, id)).body.data.status, 'PROCESSING')
      await settle()
      assert.equal(script.sent.length, 1)
    })
  }
})

test('the database refuses to change or delete an approval', async () => {
  await approve(asha, await newLarge())
  for (const statement of ['update withdrawal_approvals set operator_name = $1', 'delete from withdrawal_approvals']) {
    await assert.rejects(world.rows(statement, statement.includes('$1') ? ['Unknown'] : []), /permission denied/)
  }
})
