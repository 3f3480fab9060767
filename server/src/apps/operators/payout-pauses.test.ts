// Tests pauses of payouts. While a pause is in force, the server sends no payout in its scope, and each refusal names the
// pause.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { codeOf, createWorld, type Reply, type World } from '../../../test/harness.ts'
import { createTestOperator, type ShopWithKeys, type TestOperator } from '../../../test/operator.ts'
import { consoleToken } from '../../../test/operator-sessions.ts'
import { booksHold, newPayoutScript, payoutAnswers, scriptedProvider } from '../../../test/payouts.ts'
import { inTransaction, sql } from '../../kernel/db/index.ts'

const PATH = '/v1/operator/payout-pauses'
const FREE = { rules: [{ flow: 'withdrawal' }] }
const WHY = 'The bank reports wrong names'

const script = newPayoutScript()
/** The process of the tests, and another process of the same installation. */
let world: World
let other: World
let operator: TestOperator
before(async () => {
  const compose = { providers: [scriptedProvider(script)] }
  const env = { STEP_UP_S: '300' }
  world = await createWorld({ compose, env })
  other = await createWorld({ compose, env, url: world.url, clock: world.deps.clock })
  operator = await createTestOperator(world)
})
after(async () => {
  await booksHold(world)
  await other.close()
  await world.close()
})
beforeEach(() => {
  script.payout = () => payoutAnswers.accepted
  script.status = ({ amount_minor }) => payoutAnswers.paid(amount_minor)
  script.sent.length = 0
})

type PauseCall = { from?: World; key?: string; idempotency_key?: string }

async function post(
  path: string,
  body: object,
  { from = world, key, idempotency_key }: PauseCall = {},
): Promise<Reply> {
  return from.post(`${PATH}${path}`, body, {
    key: key ?? (await operator.session()),
    idempotency_key: idempotency_key ?? null,
  })
}
const start = (body: object, options?: PauseCall) => post('', { reason: WHY, ...body }, options)
const end = (id: string, options?: PauseCall) => post(`/${id}/end`, { reason: 'The bank corrected it' }, options)
const newShop = () => operator.shop('100000.00', FREE)

async function paused(body: object): Promise<string> {
  const reply = await start(body)
  assert.equal(reply.status, 201, reply.text)
  return reply.body.data.id
}
async function ended(id: string): Promise<void> {
  const reply = await end(id)
  assert.equal(reply.status, 200, reply.text)
}

/** Submits and approves a withdrawal. Returns its id after the process has tried to send the payout. */
async function approved(shop: ShopWithKeys, environment: 'live' | 'sandbox' = 'live'): Promise<string> {
  const id = await operator.submit(shop, { environment, amount: '1000.00' })
  assert.equal((await operator.act(id, 'approve')).status, 200)
  await world.system.payouts.task.idle()
  return id
}

/** Moves the clock by half a minute and runs the due work in both processes. */
async function halfMinute(): Promise<void> {
  world.deps.clock.advance(30_000)
  for (const { system } of [world, other]) {
    await system.payouts.task.runOnce()
    await system.payouts.task.idle()
  }
}

const payoutStates = (ids: readonly string[]) =>
  world.rows<{ id: string; state: string; reference: string }>(
    `select withdrawal_id as id, state, provider_reference as reference from payouts
     where withdrawal_id = any($1::uuid[]) order by withdrawal_id`,
    [ids],
  )

test('a pause stops only the payouts of its scope, and the server sends these payouts after the end of the pause', async () => {
  const [one, two] = [await newShop(), await newShop()]
  for (const [body, text, holds_two] of [
    [{ scope: 'platform' }, 'All payouts', true],
    [{ scope: 'merchant', target: one.merchant.id }, `The payouts of the merchant ${one.merchant.name}`, false],
    [{ scope: 'provider', target: 'mock' }, 'The payouts over the provider mock', true],
    [{ scope: 'destination', target: 'Vodacom' }, 'The payouts to M-Pesa (Vodacom)', true],
    [{ scope: 'destination', target: 'AIRTEL' }, null, false],
  ] as const) {
    script.sent.length = 0
    const pause_id = await paused(body)
    const ids = [await approved(one), await approved(two)]
    await halfMinute()
    const holds = [text !== null, holds_two]
    const states = await Promise.all(ids.map(async (id) => (await operator.show(id)).payout.state))
    assert.deepEqual(
      states.map((state) => state === 'to_send'),
      holds,
      JSON.stringify(body),
    )
    assert.equal(script.sent.length, holds.filter((held) => !held).length)
    if (text !== null) {
      const { payout, history } = await operator.show(ids[0] as string)
      assert.equal(payout.waits_for.what, 'payout_pause')
      assert.equal(payout.waits_for.pause_id, pause_id)
      assert.ok(payout.waits_for.text.startsWith(`The payout waits. ${text} are paused since `), payout.waits_for.text)
      assert.ok(payout.waits_for.text.endsWith(`by ${operator.email}: "${WHY}".`), payout.waits_for.text)
      const notes = history.filter(({ actor }: { actor: { kind: string } }) => actor.kind === 'system')
      assert.deepEqual(
        notes.map(({ reason }: { reason: string }) => reason),
        [payout.waits_for.text],
      )
    }
    await ended(pause_id)
    await halfMinute()
    assert.equal(new Set(script.sent).size, 2)
    assert.equal(script.sent.length, 2, 'each payout leaves once')
    await halfMinute()
    for (const id of ids) assert.equal((await operator.show(id)).status, 'SUCCESS')
  }
})

test('during a pause, the server settles payouts that were sent before, and sends sandbox payouts', async () => {
  const shop = await newShop()
  script.status = () => payoutAnswers.accepted
  const sent = await approved(shop)
  const pause_id = await paused({ scope: 'platform' })
  const played = await approved(shop, 'sandbox')
  script.status = ({ amount_minor }) => payoutAnswers.paid(amount_minor)
  await halfMinute()
  assert.equal((await operator.show(sent)).status, 'SUCCESS')
  assert.notEqual((await operator.show(played)).payout.state, 'to_send')
  await ended(pause_id)
})

test('the server refuses to retry a payout during a pause, names the pause, and changes nothing', async () => {
  const shop = await newShop()
  script.payout = () => payoutAnswers.blocked
  const id = await approved(shop)
  const pause_id = await paused({ scope: 'merchant', target: shop.merchant.id })
  const refused = await operator.act(id, 'retry')
  assert.deepEqual(codeOf(refused), [409, 'payouts_paused'])
  const { since, ...details } = refused.body.error.details
  assert.deepEqual(details, { pause_id, scope: 'merchant', target: shop.merchant.id, reason: WHY })
  assert.ok(Date.parse(since) <= world.deps.clock.now().getTime())
  assert.match(refused.body.error.message, /^The payout waits\. The payouts of the merchant .* are paused since /)
  assert.deepEqual([(await operator.show(id)).status, script.sent.length], ['BLOCKED_IP_WHITELIST', 1])
  await ended(pause_id)
  script.payout = () => payoutAnswers.accepted
  assert.equal((await operator.act(id, 'retry')).status, 200)
  await halfMinute()
})

test('the server refuses a wrong scope, target or reason, names the value, and starts no pause', async () => {
  const count = async () => (await world.rows('select id from payout_pauses')).length
  const before = await count()
  for (const [body, field, message] of [
    [{ scope: 'planet' }, 'scope', /must be one of/],
    [{ scope: 'platform', target: 'mock' }, 'target', /must be left out/],
    [{ scope: 'provider' }, 'target', /is required for the scope provider/],
    [{ scope: 'provider', target: 'nobody' }, 'target', /"nobody" is not a provider: must be one of .*mock/],
    [{ scope: 'provider', target: 'sandbox' }, 'target', /"sandbox" is not a provider/],
    [{ scope: 'destination', target: 'MOON' }, 'target', /"MOON" is not a code/],
    [{ scope: 'platform', reason: ' ' }, 'reason', /./],
  ] as const) {
    const refused = await start(body)
    assert.deepEqual(codeOf(refused), [400, 'validation_failed'], refused.text)
    const [problem] = refused.body.error.details.fields
    assert.equal(problem.field, field)
    assert.match(problem.message, message)
  }
  for (const target of [randomUUID(), 'x']) {
    assert.deepEqual(codeOf(await start({ scope: 'merchant', target })), [404, 'not_found'])
  }
  assert.equal(await count(), before)
})

test('only operators read and start pauses, and the end of a pause needs a recent sign-in', async () => {
  const { token } = await world.newSession('MERCHANT_ADMIN')
  for (const key of [token, world.live_key]) {
    assert.equal((await world.get(PATH, key)).status, 403)
    assert.equal((await start({ scope: 'platform' }, { key })).status, 403)
  }
  const old = await consoleToken(world, operator.user_id, { age_s: 600 })
  const started = await start({ scope: 'destination', target: 'NMB' }, { key: old })
  assert.equal(started.status, 201, 'a pause is possible immediately')
  const { id } = started.body.data
  assert.deepEqual(codeOf(await end(id, { key: old })), [403, 'step_up_required'])
  await ended(id)
})

test('two processes start and end a pause only once, the list shows the operators and the reasons, and the audit log shows the reasons', async () => {
  world.deps.clock.advance(1_000) // The server orders the list by time.
  const [one, two] = await Promise.all([
    start({ scope: 'destination', target: 'CRDB' }),
    start({ scope: 'destination', target: 'CRDB' }, { from: other }),
  ])
  const [first, second] = one.status === 201 ? [one, two] : [two, one]
  assert.deepEqual([first.status, codeOf(second)], [201, [409, 'invalid_state']], second.text)
  const { id, sending } = first.body.data
  assert.equal(sending, 0)
  assert.equal(second.body.error.details.pause_id, id)
  assert.match(second.body.error.message, /^The payouts to CRDB Bank are paused already, since .* by /)
  const active = (await world.get(`${PATH}?state=active`, await operator.session())).body.data
  assert.deepEqual(
    active.items.map((row: { id: string; target_name: string; started_by: string; reason: string }) => [
      row.id,
      row.target_name,
      row.started_by,
      row.reason,
    ]),
    [[id, 'CRDB Bank', operator.email, WHY]],
  )
  const ends = await Promise.all([end(id), end(id, { from: other })])
  assert.deepEqual(ends.map(({ status }) => status).sort(), [200, 409])
  assert.deepEqual(codeOf(await end(id)), [409, 'invalid_state'])
  for (const unknown of [randomUUID(), 'x']) assert.deepEqual(codeOf(await end(unknown)), [404, 'not_found'])
  const listed = (await world.get(`${PATH}?state=ended&page_size=1`, await operator.session())).body.data
  assert.deepEqual(
    [listed.items[0].id, listed.items[0].ended_by, listed.items[0].ended_reason],
    [id, operator.email, 'The bank corrected it'],
  )
  const entries = await world.rows<{ action: string; reason: string }>(
    'select action, reason from audit_log where target_id = $1 order by seq',
    [id],
  )
  assert.deepEqual(entries, [
    { action: 'payouts.pause', reason: WHY },
    { action: 'payouts.resume', reason: 'The bank corrected it' },
  ])
  const again = await start({ scope: 'destination', target: 'CRDB' }, { idempotency_key: 'pause-again' })
  const replayed = await start({ scope: 'destination', target: 'CRDB' }, { idempotency_key: 'pause-again' })
  assert.deepEqual([again.status, replayed.status, replayed.body.data.id], [201, 201, again.body.data.id])
  await ended(again.body.data.id)
})

test('after the server has confirmed a pause, two sending processes send only the payouts that they had already taken', async () => {
  for (let round = 0; round < 3; round++) {
    script.sent.length = 0
    const shop = await newShop()
    // The process that serves HTTP sends no payouts, so all payouts are due for both workers at the same time.
    const front = await createWorld({ url: world.url, env: { PROCESS: 'api' }, clock: world.deps.clock })
    const ids: string[] = []
    for (let i = 0; i < 16; i++) ids.push(await operator.submit(shop, { amount: '1000.00' }))
    await Promise.all(ids.map((id) => operator.act(id, 'approve', {}, { world: front })))
    const sending = Promise.all([world, other].map(({ system }) => system.payouts.task.runOnce()))
    await sleep(round * 3)
    const reply = await start({ scope: 'platform' }, { from: round % 2 === 0 ? world : other })
    const taken = (await payoutStates(ids)).filter(({ state }) => state !== 'to_send').map(({ reference }) => reference)
    await sending
    await halfMinute()
    assert.deepEqual(script.sent.toSorted(), taken.toSorted(), `round ${round}`)
    await ended(reply.body.data.id)
    await halfMinute()
    assert.equal(script.sent.length, ids.length)
    assert.equal(new Set(script.sent).size, ids.length)
    await halfMinute()
    await front.close()
  }
})

test('the server answers a pause and a suspension only after the running statements that take tokens have ended', async () => {
  const shop = await newShop()
  const suspend = async () =>
    world.post(`/v1/operator/merchants/${shop.merchant.id}/suspend`, {}, { key: await operator.session() })
  for (const act of [() => start({ scope: 'provider', target: 'mock' }), suspend]) {
    const entered = Promise.withResolvers<void>()
    const leave = Promise.withResolvers<void>()
    // The transaction holds the lock of a statement that takes a send token.
    const taking = inTransaction(other.deps.db, async (tx) => {
      await tx.query(sql('', 'select id from payout_pauses limit 0 for key share'))
      entered.resolve()
      await leave.promise
    })
    await entered.promise
    let answered = false
    const acting = act().then((reply) => {
      answered = true
      return reply
    })
    await sleep(150)
    assert.equal(answered, false)
    leave.resolve()
    await taking
    const reply = await acting
    assert.ok(reply.status < 300, reply.text)
    if (reply.status === 201) await ended(reply.body.data.id)
  }
})
