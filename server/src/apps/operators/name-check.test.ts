// Tests the name check. If an operator requests a check, the server asks the provider for the name on the receiving account.

import assert from 'node:assert/strict'
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { codeOf, createWorld, START, type World } from '../../../test/harness.ts'
import { createTestOperator, type ShopWithKeys, type TestOperator } from '../../../test/operator.ts'
import { newPayoutScript, scriptedProvider } from '../../../test/payouts.ts'
import { unchanged } from '../../../test/withdrawals.ts'
import { SAMPLE_ACCOUNT, type Simulator, startSimulator } from '../../../twins/selcom/index.ts'
import type { ProviderExtras } from '../../adapters/providers/extras.ts'
import { CALL_MS_MAX, type Provider } from '../../adapters/providers/port.ts'
import { erasePayer } from '../admin/erase.ts'

/**
 * The clock of the platform is fixed, but the clock of the gateway runs. So the gateway must accept a difference of this many
 * seconds.
 */
const ANY_TIME = 1e9

let selcom: Simulator
let world: World
let operator: TestOperator
let shop: ShopWithKeys
const script = newPayoutScript()
const { circuit_breaker: _, ...capabilities } = scriptedProvider(script).capabilities
const hung: Provider & ProviderExtras = { ...scriptedProvider(script, 'vodacom'), capabilities }
before(async () => {
  selcom = await startSimulator({ settings: { timestamp_window_s: ANY_TIME } })
  world = await createWorld({
    env: {
      PROVIDER: 'selcom',
      PROVIDER_ROUTES: 'MOBILE_MONEY/HALOPESA=vodacom',
      // The process validates these settings but never calls this provider, because the test replaces the provider.
      VODACOM_URL: 'https://gateway.example/openapi/ipg/v2/vodacomTZN',
      VODACOM_API_KEY: 'unused',
      VODACOM_PUBLIC_KEY: generateKeyPairSync('rsa', { modulusLength: 2_048 })
        .publicKey.export({ type: 'spki', format: 'der' })
        .toString('base64'),
      VODACOM_SERVICE_PROVIDER_CODE: '000000',
      SELCOM_URL: selcom.url,
      SELCOM_API_KEY: SAMPLE_ACCOUNT.api_key,
      SELCOM_API_SECRET: SAMPLE_ACCOUNT.api_secret,
      SELCOM_VENDOR: SAMPLE_ACCOUNT.vendor,
      SELCOM_FLOAT_VENDOR: SAMPLE_ACCOUNT.float_vendor,
      SELCOM_PIN: SAMPLE_ACCOUNT.pin,
      SELCOM_BUYER_EMAIL: 'payments@example.com',
      SELCOM_BUYER_PHONE: '0754000000',
      SELCOM_SENDER_ACCOUNT: 'M0001',
      SELCOM_SENDER_NAME: 'DUKA LTD',
      SELCOM_SENDER_PHONE: '0754000001',
    },
    compose: { providers: [hung] },
  })
  operator = await createTestOperator(world)
  shop = await operator.shop('1000000')
})
after(async () => {
  await world?.close()
  await selcom?.close()
})

type To = { code?: string; phone?: string; name?: string; environment?: 'live' | 'sandbox' }

async function submit({ code = 'AIRTEL', phone = '255680000101', name = 'Asha Mwinyi', environment = 'live' }: To) {
  const to = { destination_code: code, destination_identifier: phone, destination_name: name }
  const made = await world.post('/v1/disbursements/mobile-money', { amount: '2000', ...to }, { key: shop[environment] })
  assert.equal(made.status, 202, made.text)
  return made.body.data.id as string
}

const check = async (id: string, idempotency_key: string | null = null) =>
  world.post(`/v1/operator/withdrawals/${id}/name-check`, {}, { key: await operator.session(), idempotency_key })

/** Returns the name check of each withdrawal in the dry run of a batch. */
async function checksInReview(...withdrawal_ids: string[]) {
  const body = { withdrawal_ids, dry_run: true }
  const reply = await world.post('/v1/operator/withdrawals/approve-batch', body, { key: await operator.session() })
  assert.equal(reply.status, 200, reply.text)
  return reply.body.data.items.map(({ name_check }: { name_check: unknown }) => name_check)
}

const entriesOf = (id: string) =>
  world.rows<{ after: string; actor_kind: string }>(
    "select after, actor_kind from audit_log where target_id = $1 and action = 'withdrawal.name_check' order by seq",
    [id],
  )

test('the name check shows the account name, compares it with the submitted name, and writes the audit log', async () => {
  const id = await submit({})
  const before_it = await operator.show(id)
  const { status, body, text } = await check(id)
  assert.equal(status, 200, text)
  const { name, matches, checked_at, checked_by, message } = body.data
  assert.match(name, /^[A-Z]+ [A-Z]+$/)
  assert.deepEqual(
    { matches, checked_at, checked_by, message },
    { matches: false, checked_at: START.toISOString(), checked_by: operator.email, message: null },
  )
  assert.deepEqual(await operator.show(id), before_it, 'the name check decides nothing')
  const [entry, ...more] = await entriesOf(id)
  assert.deepEqual(more, [])
  assert.deepEqual(
    [entry?.actor_kind, entry?.after],
    ['operator', { provider: 'selcom', name, matches: false, message: null }],
  )

  const [first, second] = name.split(' ')
  for (const [same, expected] of [
    [`${second.toLowerCase()},  ${first}`, true],
    [`${first[0]}\u0301${first.slice(1)} ${second}`, true],
    [first, false],
    [`${name} LTD`, false],
  ] as const) {
    assert.equal((await check(await submit({ name: same }))).body.data.matches, expected, same)
  }
  assert.equal(selcom.totals().payouts.count, 0, 'the provider paid no account')
})

test('if the provider answers without a name, the name and the comparison are null, and the message says that no name came', async () => {
  const { body } = await check(await submit({ phone: '255680000110' }))
  assert.deepEqual([body.data.name, body.data.matches], [null, null])
  assert.match(body.data.message, /returned no name/)
})

test('if the provider cannot look up names, the message of the name check names the provider', async () => {
  const id = await submit({ code: 'HALOPESA', phone: '255620000101' })
  const { status, body } = await check(id)
  assert.deepEqual([status, body.data.name, body.data.matches], [200, null, null])
  assert.match(body.data.message, /^vodacom does not support name lookups/)
  assert.equal((await entriesOf(id)).length, 1)
})

test('the case shows the name checks of a withdrawal to each operator without a call of the provider, newest first, and the dry run of a batch the newest', async () => {
  const id = await submit({ code: 'HALOPESA', phone: '255620000103' })
  const unasked = await submit({ code: 'HALOPESA', phone: '255620000103' })
  const other = (await world.newSession('SUPER_ADMIN')).token
  const checksOf = async () => (await world.get(`/v1/operator/withdrawals/${id}/case`, other)).body.data.name_checks
  assert.deepEqual(await checksOf(), [])
  assert.deepEqual(await checksInReview(id, unasked), [null, null])
  let calls = 0
  hung.lookupName = async () => {
    calls++
    return calls === 1 ? null : { name: 'JUMA ALI' }
  }
  const answers = []
  for (const _ of [1, 2]) {
    world.deps.clock.advance(1_000)
    answers.unshift((await check(id)).body.data)
  }
  assert.deepEqual(
    answers.map(({ name, matches, checked_by }) => ({ name, matches, checked_by })),
    [
      { name: 'JUMA ALI', matches: false, checked_by: operator.email },
      { name: null, matches: null, checked_by: operator.email },
    ],
  )
  assert.deepEqual([await checksOf(), calls], [answers, 2])
  assert.deepEqual([await checksInReview(unasked, id), calls], [[null, answers[0]], 2])
  hung.lookupName = async () => ({ name: 'ASHA MWINYI' })
  for (let i = 0; i < 5; i++) await check(id)
  assert.deepEqual(
    (await checksOf()).map(({ matches }: { matches: boolean }) => matches),
    [true, true, true, true, true],
  )
})

test('after the erasure of the recipient, the case of a withdrawal and the stored answers show the name checks without the names', async () => {
  const phone = '255620000104'
  const id = await submit({ code: 'HALOPESA', phone })
  const other = await submit({ code: 'HALOPESA', phone: '255620000105' })
  hung.lookupName = async () => ({ name: 'JUMA "JJ" ALI' })
  await check(other)
  hung.lookupName = async () => ({ name: 'ASHA "MAMA" MWINYI' })
  const [check_key, batch_key] = [randomUUID(), randomUUID()]
  await check(id, check_key)
  const approveTwice = async () => {
    const options = { key: await operator.session(), idempotency_key: batch_key }
    const body = { withdrawal_ids: [other, id], dry_run: true }
    const { items } = (await world.post('/v1/operator/withdrawals/approve-batch', body, options)).body.data
    return items.map(({ name_check }: { name_check: { name: string | null } }) => name_check.name)
  }
  assert.deepEqual(await approveTwice(), ['JUMA "JJ" ALI', 'ASHA "MAMA" MWINYI'])
  assert.equal((await operator.act(id, 'reject')).status, 200)
  assert.equal((await checksInReview(id))[0].name, 'ASHA "MAMA" MWINYI')
  const { changed } = await erasePayer(world.deps, world.url, phone)
  // The answers to the submission, the rejection, the name check and the review named the recipient.
  assert.ok((changed.idempotency_keys ?? 0) >= 2, JSON.stringify(changed))
  assert.deepEqual(await approveTwice(), ['JUMA "JJ" ALI', null])
  assert.equal((await check(id, check_key)).body.data.name, null)
  const { body } = await world.get(`/v1/operator/withdrawals/${id}/case`, await operator.session())
  const [{ name, matches }] = body.data.name_checks
  assert.deepEqual({ name, matches }, { name: null, matches: false })
  assert.deepEqual(await checksInReview(id), [body.data.name_checks[0]])
})

test('in the sandbox, a destination with a magic ending has a name, and another destination has no name', async () => {
  const answers = [
    ['255680000201', 'ASHA  JUMA', 'Asha Juma', true],
    ['255680000201', 'Neema Mushi', 'Asha Juma', false],
    ['255680000202', 'Duka la Mfano', 'Duka la Mfano', true],
    ['255680000101', 'Asha Juma', null, null],
  ] as const
  for (const [phone, name, found, matches] of answers) {
    const { body } = await check(await submit({ environment: 'sandbox', phone, name }))
    assert.deepEqual([body.data.name, body.data.matches], [found, matches], `${phone} ${name}`)
  }
})

test('after five name checks without an answer, the server stops calling the provider for a while', async () => {
  const id = await submit({ code: 'HALOPESA', phone: '255620000101' })
  const lookUpInVain = async () => {
    let calls = 0
    hung.lookupName = () => {
      calls++
      return new Promise(() => {})
    }
    const answer = check(id)
    const end = performance.now() + 3_000
    let done = false
    void answer.then(() => {
      done = true
    })
    while (calls === 0 && !done && performance.now() < end) await new Promise((go) => setImmediate(go))
    if (calls > 0) world.deps.clock.advance(CALL_MS_MAX + 1_000)
    const { status, body } = await answer
    assert.deepEqual([status, body.data.name, body.data.matches], [200, null, null])
    return body.data.message
  }
  for (let i = 0; i < 5; i++) assert.match(await lookUpInVain(), /did not answer/)
  assert.match(await lookUpInVain(), /does not answer at the moment/)
  hung.lookupName = async () => ({ name: '  ASHA\0 MWINYI ' })
  world.deps.clock.advance(60_000)
  const { body } = await check(id)
  assert.deepEqual([body.data.name, body.data.message], ['ASHA\u{fffd} MWINYI', null])
})

test('the server asks the provider once for a repeated Idempotency-Key, and answers 404 for an unknown withdrawal', async () => {
  const id = await submit({ code: 'HALOPESA', phone: '255620000102' })
  hung.lookupName = async () => ({ name: 'ASHA MWINYI' })
  const key = randomUUID()
  const first = await check(id, key)
  hung.lookupName = async () => ({ name: 'JUMA ALI' })
  const again = await check(id, key)
  assert.deepEqual([first.text, again.headers['idempotency-replayed']], [again.text, 'true'])
  assert.equal(first.body.data.matches, true)
  assert.equal((await entriesOf(id)).length, 1)
  for (const unknown of [randomUUID(), 'x']) {
    assert.deepEqual(codeOf(await unchanged(world, () => check(unknown))), [404, 'not_found'])
  }
  const finance = (await world.newSession('FINANCE')).token
  const reply = await unchanged(world, () =>
    world.post(`/v1/operator/withdrawals/${id}/name-check`, {}, { key: finance }),
  )
  assert.equal(reply.status, 403)
})
