// Tests operators' decisions about withdrawals: the messages, the audit entries, the required texts and the idempotency keys.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'
import {
  BODIES,
  createTestOperator,
  MONEY,
  type OperatorVerb,
  PAID,
  type ShopWithKeys,
  type TestOperator,
  UNTOUCHED,
} from '../../../test/operator.ts'
import { booksHold } from '../../../test/payouts.ts'
import { unchanged } from '../../../test/withdrawals.ts'

let world: World
let operator: TestOperator
before(async () => {
  world = await createWorld()
  operator = await createTestOperator(world)
})
after(async () => {
  await booksHold(world)
  await world.close()
})

describe('rejections and questions', () => {
  const mails = (shop: ShopWithKeys) =>
    world.rows<{ kind: string; recipient: string }>(
      'select kind, recipient from outbox_messages where merchant_id = $1 order by id',
      [shop.merchant.id],
    )

  test('a rejection moves no money, shows the merchant its reason, and queues an e-mail to a FINANCE member', async () => {
    const shop = await operator.shop(MONEY)
    const { email } = await world.newSession([{ role: 'FINANCE', merchant: shop.merchant }])
    const id = await operator.submit(shop)
    const { status, body } = await operator.act(id, 'reject', { reason: 'The name does not fit the number' })
    assert.equal(status, 200)
    assert.deepEqual([body.data.status, body.data.status_reason], ['REJECTED', 'The name does not fit the number'])
    assert.deepEqual(await operator.book(shop), UNTOUCHED)
    const merchants = await world.get(`/v1/disbursements/${id}`, shop.live)
    assert.equal(merchants.body.data.status_reason, 'The name does not fit the number')
    assert.deepEqual(await mails(shop), [{ kind: 'withdrawal.rejected', recipient: email }])
  })

  test("after a question a withdrawal waits for the merchant's answer, and an operator can approve after the answer", async () => {
    const shop = await operator.shop(MONEY)
    const { token, email } = await world.newSession([{ role: 'MERCHANT_ADMIN', merchant: shop.merchant }])
    const id = await operator.submit(shop)
    const questioned = await operator.act(id, 'request-info', { message: 'Who is that?\nAnd why?' })
    assert.deepEqual([questioned.status, questioned.body.data.status], [200, 'INFO_REQUESTED'])
    assert.equal(questioned.body.data.status_reason, 'Who is that?\nAnd why?')
    assert.deepEqual(await mails(shop), [{ kind: 'withdrawal.info_requested', recipient: email }])
    const answer = await world.post(`/v1/merchant/withdrawals/${id}/respond`, { message: 'A supplier' }, { key: token })
    assert.equal(answer.body.data.status, 'PENDING_ADMIN_APPROVAL', answer.text)
    await operator.approve(id)
    assert.deepEqual(await operator.wayOf(id), [
      'INFO_REQUESTED by the operator',
      `PENDING_ADMIN_APPROVAL by ${email}`,
      'PROCESSING by the operator',
      'SUCCESS by mock',
    ])
    const { history } = await operator.show(id)
    assert.deepEqual([history[0].reason, history[1].reason], ['Who is that?\nAnd why?', 'A supplier'])
  })

  for (const verb of ['approve', 'reject'] as const) {
    test(`an operator may ${verb} a withdrawal before the merchant answers the question`, async () => {
      const shop = await operator.shop(MONEY)
      const id = await operator.submit(shop)
      await operator.act(id, 'request-info')
      assert.equal((await operator.act(id, verb)).status, 200)
    })
  }
})

describe('the required texts of a decision', () => {
  const BAD: [OperatorVerb, string, object[]][] = [
    [
      'reject',
      'reason',
      [{}, { reason: '' }, { reason: ' \u200b ' }, { reason: 5 }, { reason: 'x'.repeat(501) }, { reason: 'a\u0000b' }],
    ],
    [
      'request-info',
      'message',
      [{}, { message: '' }, { message: '\n\t ' }, { message: null }, { message: 'x'.repeat(501) }],
    ],
    [
      'resolve',
      'reason',
      [{ outcome: 'SUCCESS' }, { outcome: 'SUCCESS', reason: '  ' }, { outcome: 'SUCCESS', reason: 'x'.repeat(501) }],
    ],
    [
      'resolve',
      'outcome',
      [{ reason: 'Seen' }, { outcome: 'REVERSED', reason: 'Seen' }, { outcome: 'success', reason: 'Seen' }],
    ],
    [
      'resolve',
      'provider_reference',
      [
        { outcome: 'SUCCESS', reason: 'Seen', provider_reference: ' ' },
        { outcome: 'SUCCESS', reason: 'Seen', provider_reference: 'x'.repeat(65) },
      ],
    ],
  ]
  for (const [verb, field, bodies] of BAD) {
    test(`the server refuses ${verb} with an invalid ${field}, and names the field`, async () => {
      const shop = await operator.shop(MONEY)
      const id = await operator.submit(shop, { ending: '103' })
      if (verb === 'resolve') await operator.approve(id)
      for (const body of bodies) {
        const refused = await unchanged(world, () => operator.act(id, verb, body))
        assert.deepEqual(codeOf(refused), [400, 'validation_failed'], JSON.stringify(body))
        const named = refused.body.error.details.fields.map((problem: { field: string }) => problem.field)
        assert.deepEqual([...new Set(named)], [field])
      }
    })
  }

  test('the server stores a rejection reason of 500 characters unchanged', async () => {
    const shop = await operator.shop(MONEY)
    const reason = 'ñ'.repeat(500)
    const id = await operator.submit(shop)
    assert.equal((await operator.act(id, 'reject', { reason })).body.data.status_reason, reason)
  })

  test('the server answers 404 for a decision about an unknown withdrawal, whatever routing code its id contains', async () => {
    const shop = await operator.shop(MONEY)
    const id = await operator.submit(shop)
    const same_merchant = id.replace(/.{4}$/, (tail) => (tail === '0000' ? '0001' : '0000'))
    for (const unknown of [randomUUID(), same_merchant, shop.merchant.id, 'nothing', '%20']) {
      for (const verb of Object.keys(BODIES) as OperatorVerb[]) {
        for (const options of [{}, { idempotency_key: randomUUID() }]) {
          const refused = await operator.act(unknown, verb, BODIES[verb], options)
          assert.deepEqual(codeOf(refused), [404, 'not_found'], `${verb} ${unknown}`)
        }
      }
      assert.equal((await world.get(`/v1/operator/withdrawals/${unknown}`, await operator.session())).status, 404)
    }
    assert.equal((await operator.act(id.toUpperCase(), 'approve')).status, 200, 'the server accepts an id in capitals')
  })
})

describe('the operator of a decision', () => {
  test('in the audit log of the merchant, operators read who decided about a withdrawal, with the reason and the change of status', async () => {
    const shop = await operator.shop(MONEY)
    const acts: { id: string; verb: OperatorVerb; body?: object; from: string; to: string; reason: string | null }[] =
      []
    const doing = async (
      id: string,
      verb: OperatorVerb,
      from: string,
      to: string,
      body: Record<string, string> = {},
    ) => {
      const done = await operator.act(id, verb, body)
      assert.equal(done.status, 200, done.text)
      acts.push({ id, verb, from, to, reason: body.reason ?? body.message ?? null })
    }
    const [a, b, c] = [
      await operator.submit(shop),
      await operator.submit(shop, { ending: '104' }),
      await operator.submit(shop, { ending: '103' }),
    ]
    const PENDING = 'PENDING_ADMIN_APPROVAL'
    await doing(a, 'request-info', PENDING, 'INFO_REQUESTED', { message: 'Who?' })
    await doing(a, 'reject', 'INFO_REQUESTED', 'REJECTED', { reason: 'No answer' })
    await doing(b, 'approve', PENDING, 'PROCESSING')
    await doing(c, 'approve', PENDING, 'PROCESSING')
    await world.work()
    await doing(b, 'retry', 'BLOCKED_IP_WHITELIST', 'PROCESSING')
    await doing(c, 'resolve', 'NEEDS_RECONCILIATION', 'FAILED', { outcome: 'FAILED', reason: 'Not in their books' })

    const url = `/v1/operator/audit-log?merchant_id=${shop.merchant.id}&page_size=100`
    const entries = (await world.get(url, await operator.session())).body.data.items
      .filter(
        (entry: { target_type: string; actor: { kind: string } }) =>
          entry.target_type === 'withdrawal' && entry.actor.kind === 'operator',
      )
      .reverse()
    assert.equal(entries.length, acts.length)
    for (const [i, { id, verb, from, to, reason }] of acts.entries()) {
      const entry = entries[i]
      assert.equal(entry.action, `withdrawal.${verb.replace('-', '_')}`)
      assert.deepEqual(entry.actor, { kind: 'operator', id: operator.user_id, name: operator.email })
      assert.deepEqual([entry.target_id, entry.reason], [id, reason])
      assert.deepEqual([entry.before.status, entry.after.status], [from, to])
      assert.deepEqual([entry.after.amount, entry.after.environment], ['10000.00', 'live'])
      assert.ok(entry.request_id && entry.address)
    }
  })

  test('the merchant sees a rejection in the audit log, but neither the e-mail address nor the id of the operator', async () => {
    const shop = await operator.shop(MONEY)
    const { token } = await world.newSession([{ role: 'MERCHANT_ADMIN', merchant: shop.merchant }])
    const id = await operator.submit(shop)
    await operator.act(id, 'reject')
    const log = await world.get('/v1/merchant/audit-log', token)
    const record = await world.get(`/v1/merchant/withdrawals/${id}`, token)
    for (const answer of [log, record]) {
      assert.equal(answer.status, 200)
      assert.ok(!answer.text.includes(operator.email) && !answer.text.includes(operator.user_id))
    }
    assert.equal(log.body.data.items[0].action, 'withdrawal.reject')
  })
})

describe('idempotency keys of decisions about withdrawals', () => {
  test('a repeated Idempotency-Key applies a decision once and returns the first response', async () => {
    const shop = await operator.shop(MONEY)
    const id = {
      approve: await operator.submit(shop),
      reject: await operator.submit(shop),
      'request-info': await operator.submit(shop),
    }
    const blocked = await operator.submit(shop, { ending: '104' })
    const doubtful = await operator.submit(shop, { ending: '103' })
    for (const one of [blocked, doubtful]) await operator.act(one, 'approve')
    await world.work()
    const targets: Record<Exclude<OperatorVerb, 'recall'>, string> = { ...id, retry: blocked, resolve: doubtful }
    for (const [verb, target] of Object.entries(targets) as [OperatorVerb, string][]) {
      const idempotency_key = randomUUID()
      const first = await operator.act(target, verb, BODIES[verb], { idempotency_key })
      assert.equal(first.status, 200, first.text)
      await world.work()
      const again = await unchanged(world, () => operator.act(target, verb, BODIES[verb], { idempotency_key }), verb)
      assert.deepEqual([again.text, again.headers['idempotency-replayed']], [first.text, 'true'], verb)
      const other = await unchanged(world, () =>
        operator.act(target, verb, { ...BODIES[verb], more: 1 }, { idempotency_key }),
      )
      assert.deepEqual(codeOf(other), [422, 'idempotency_key_reused'])
    }
    await world.work()
    await world.pass(5_000)
    assert.equal(
      (await operator.show(id.approve)).status,
      'SUCCESS',
      'the server sends a withdrawal that was approved with a key',
    )
  })

  test('a repeated Idempotency-Key returns the first refusal, even after the withdrawal has changed', async () => {
    const shop = await operator.shop(MONEY)
    const id = await operator.submit(shop, { ending: '104' })
    const idempotency_key = randomUUID()
    const early = await operator.act(id, 'retry', {}, { idempotency_key })
    assert.deepEqual(codeOf(early), [409, 'invalid_state'])
    await operator.act(id, 'approve')
    await world.work()
    assert.equal((await operator.show(id)).status, 'BLOCKED_IP_WHITELIST')
    const again = await unchanged(world, () => operator.act(id, 'retry', {}, { idempotency_key }))
    assert.deepEqual([again.status, again.text], [409, early.text])
    assert.equal((await operator.act(id, 'retry')).status, 200)
  })

  test('the same Idempotency-Key of two operators makes two independent requests', async () => {
    const shop = await operator.shop(MONEY)
    const idempotency_key = randomUUID()
    const [first, second] = [await operator.submit(shop), await operator.submit(shop)]
    const { token } = await world.newSession('SUPER_ADMIN')
    assert.equal((await operator.act(first, 'approve', {}, { idempotency_key })).status, 200)
    const other = await world.post(`/v1/operator/withdrawals/${second}/approve`, {}, { key: token, idempotency_key })
    assert.deepEqual([other.status, other.body.data.id], [200, second])
  })

  test('ten simultaneous requests with one Idempotency-Key approve once and send one payout', async () => {
    const shop = await operator.shop(MONEY)
    const id = await operator.submit(shop)
    const idempotency_key = randomUUID()
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => operator.act(id, 'approve', {}, { idempotency_key })),
    )
    const texts = new Set(answers.filter(({ status }) => status === 200).map(({ text }) => text))
    assert.equal(texts.size, 1)
    for (const answer of answers)
      if (answer.status !== 200) assert.deepEqual(codeOf(answer), [409, 'idempotency_in_progress'])
    await world.work()
    await world.pass(5_000)
    assert.deepEqual(await operator.book(shop), PAID)
  })

  test('the server refuses a malformed Idempotency-Key', async () => {
    const shop = await operator.shop(MONEY)
    const id = await operator.submit(shop)
    for (const verb of Object.keys(BODIES) as OperatorVerb[]) {
      const refused = await unchanged(world, () => operator.act(id, verb, BODIES[verb], { idempotency_key: 'é' }))
      assert.deepEqual(codeOf(refused), [400, 'idempotency_key_required'])
    }
  })
})
