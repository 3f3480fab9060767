// Tests that a platform with two live providers sends each payment and payout to the provider of its route. The real adapters
// call the twins of their gateways.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'
import { SAMPLE_ACCOUNT, type Simulator, startSimulator } from '../../../twins/selcom/index.ts'
import { startVodacomTwin, type VodacomTwin } from '../../../twins/vodacom/index.ts'
import { ConfigError, DESTINATIONS } from '../../kernel/lib/index.ts'

const CALLBACK_SECRET = 'a-callback-secret-of-the-tests'
/**
 * The clock of the gateway runs while the clock of the platform stands still, so the gateway must accept a request of any time.
 */
const ANY_TIME = 1e9

let selcom: Simulator
let vodacom: VodacomTwin
let env: Record<string, string>
let world: World
let operator: string
before(async () => {
  selcom = await startSimulator({ settings: { pay_after_ms: 0, settle_after_ms: 0, timestamp_window_s: ANY_TIME } })
  vodacom = await startVodacomTwin({ key_bits: 1024 })
  env = {
    PROVIDER: 'selcom',
    PROVIDER_ROUTES: 'wallet_push=vodacom,MOBILE_MONEY/MPESA=vodacom',
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
    VODACOM_URL: vodacom.url,
    VODACOM_API_KEY: vodacom.account.api_key,
    VODACOM_PUBLIC_KEY: vodacom.public_key,
    VODACOM_SERVICE_PROVIDER_CODE: vodacom.account.service_provider_code,
    VODACOM_CALLBACK_SECRET: CALLBACK_SECRET,
  }
  world = await createWorld({ env })
  await world.system.warm()
  operator = (await world.newSession('SUPER_ADMIN')).token
})
after(async () => {
  await world?.close()
  await vodacom?.close()
  await selcom?.close()
})

const pay = (path: string, body: object, key = world.live_key) => world.post(`/v1/collections/${path}`, body, { key })

async function providerOf(collection_id: string): Promise<unknown> {
  const [row] = await world.rows('select provider from collection_attempts where collection_id = $1', [collection_id])
  return row?.provider
}

async function settled(collection_id: string): Promise<string> {
  for (let i = 0; ; i++) {
    const { data } = (await world.get(`/v1/collections/${collection_id}`, world.live_key)).body
    if (data.status !== 'processing' || i === 60) return data.status
    await world.pass(5_000)
  }
}

test("the platform sends a payment over the provider of its method and stores the provider's name", async () => {
  const pushed = (await pay('wallet-push', { amount: '50000', phone: '0754000001' })).body.data
  assert.equal(await settled(pushed.collection_id), 'successful')
  assert.equal(await providerOf(pushed.collection_id), 'vodacom')
  assert.deepEqual([vodacom.totals().prompts, selcom.totals().pushes.count], [1, 0])

  const prompted = (await pay('provider-pesa', { amount: '5000', phone: '0754000001' })).body.data
  assert.equal(await settled(prompted.collection_id), 'successful')
  const code = (await pay('qr', { amount: '5000' })).body.data
  assert.match(code.qr_payload, /^000201/)
  for (const { collection_id } of [prompted, code]) assert.equal(await providerOf(collection_id), 'selcom')
  assert.deepEqual([vodacom.totals().prompts, selcom.totals().pushes.prompts], [1, 1])

  const played = (await pay('wallet-push', { amount: '5000', phone: '0754000001' }, world.sandbox_key)).body.data
  assert.equal(await providerOf(played.collection_id), 'sandbox')
})

test("the platform sends a payout over the provider of its destination and stores the provider's name", async () => {
  const send = async (path: string, body: object) => {
    const reply = await world.post(`/v1/disbursements/${path}`, { amount: '2000', ...body }, { key: world.live_key })
    assert.equal(reply.status, 202, reply.text)
    const { id } = reply.body.data
    const approved = await world.post(`/v1/operator/withdrawals/${id}/approve`, {}, { key: operator })
    assert.equal(approved.status, 200, approved.text)
    await world.work()
    const [row] = await world.rows(
      `select p.provider, w.status from payouts p join withdrawals w on w.merchant_id = p.merchant_id and w.id = p.withdrawal_id
       where p.withdrawal_id = $1`,
      [id],
    )
    return row
  }
  const to = (destination_code: string, destination_identifier: string) => ({
    destination_code,
    destination_identifier,
    destination_name: 'Juma Ali',
  })
  assert.deepEqual(await send('mobile-money', to('MPESA', '0754000001')), { provider: 'vodacom', status: 'SUCCESS' })
  assert.deepEqual(await send('mobile-money', to('AIRTEL', '0684000101')), { provider: 'selcom', status: 'SUCCESS' })
  assert.deepEqual(await send('bank-account', { ...to('NMB', '0150000101'), bank_name: 'NMB' }), {
    provider: 'selcom',
    status: 'SUCCESS',
  })
  assert.deepEqual([vodacom.totals().executions, selcom.totals().payouts.by_truth.paid], [2, 2])
})

test('the server refuses a payout to an unreachable destination, stores no record and lists the reachable destinations', async () => {
  const body = { amount: '2000', destination_code: 'STANDARD_CHARTERED', destination_identifier: '0150000101' }
  const to = { ...body, destination_name: 'Juma Ali', bank_name: 'SCB' }
  const count = () => world.rows('select count(*) as n from withdrawals')
  const before_it = await count()
  const reply = await world.post('/v1/disbursements/bank-account', to, { key: world.live_key })
  assert.deepEqual(codeOf(reply), [422, 'unknown_destination'])
  assert.match(reply.body.error.message, /STANDARD_CHARTERED.*The server supports BANK_ACCOUNT payouts to .*NMB/)
  assert.ok(reply.body.error.details.destinations.includes('CRDB'))
  assert.ok(!reply.body.error.details.destinations.includes('STANDARD_CHARTERED'))
  const finance = (await world.newSession('FINANCE')).token
  const quote = { method: 'BANK_ACCOUNT', ...to }
  const quoted = await world.post('/v1/merchant/withdrawals/quote', quote, { key: finance })
  assert.deepEqual(codeOf(quoted), [422, 'unknown_destination'])
  assert.deepEqual(await count(), before_it)
  const played = await world.post('/v1/disbursements/bank-account', to, { key: world.sandbox_key })
  assert.notEqual(codeOf(played)[1], 'unknown_destination', 'the sandbox reaches every destination')
})

test('the server refuses a bank payout without the required name, in the price request and in the submission', async () => {
  const to = { destination_code: 'NMB', destination_identifier: '0150000101', bank_name: 'NMB' }
  const absent = [{ field: 'destination_name', message: 'is required for this destination' }]
  const reply = await world.post('/v1/disbursements/bank-account', { amount: '2000', ...to }, { key: world.live_key })
  assert.deepEqual(codeOf(reply), [400, 'validation_failed'])
  assert.deepEqual(reply.body.error.details.fields, absent)
  const finance = (await world.newSession('FINANCE')).token
  const quote = { method: 'BANK_ACCOUNT', amount: '2000', environment: 'live' }
  const quoted = await world.post('/v1/merchant/withdrawals/quote', { ...quote, ...to }, { key: finance })
  assert.deepEqual(quoted.body.error?.details.fields, absent)
  const priced = await world.post(
    '/v1/merchant/withdrawals/quote',
    { ...quote, destination_code: 'NMB' },
    { key: finance },
  )
  assert.deepEqual(codeOf(priced), [200, 'ok'], 'a price alone needs no name')
  const mobile = { amount: '2000', destination_code: 'AIRTEL', destination_identifier: '0684000101' }
  assert.equal((await world.post('/v1/disbursements/mobile-money', mobile, { key: world.live_key })).status, 202)
})

test('the server does not approve a payout without the required name that a merchant submitted before the provider required names', async () => {
  const mocked = await createWorld({ url: world.url, env: {} })
  const to = { destination_code: 'NMB', destination_identifier: '0150000101', bank_name: 'NMB' }
  const { body } = await mocked.post(
    '/v1/disbursements/bank-account',
    { amount: '2000', ...to },
    { key: world.live_key },
  )
  await mocked.close()
  const approved = await world.post(`/v1/operator/withdrawals/${body.data.id}/approve`, {}, { key: operator })
  assert.deepEqual(codeOf(approved), [503, 'provider_unavailable'])
  assert.match(approved.body.error.message, /selcom cannot pay out this withdrawal without its destination_name/)
})

test("operators read the gateway's message about a blocked payout, and the merchant does not", async () => {
  const body = { amount: '2000', destination_code: 'AIRTEL', destination_identifier: '0684000101' }
  const blocked = async () => {
    const { id } = (await world.post('/v1/disbursements/mobile-money', body, { key: world.live_key })).body.data
    await world.post(`/v1/operator/withdrawals/${id}/approve`, {}, { key: operator })
    await world.work()
    return id
  }
  const seen = async (path: string, key: string) => {
    const { status, status_reason } = (await world.get(path, key)).body.data
    return [status, status_reason]
  }
  const whole = selcom.totals().payouts.executions
  selcom.set({ source_ips: ['10.0.0.1'] })
  const address = await blocked()
  selcom.set({ source_ips: null })
  selcom.addFloat(-1_000_000_000n)
  const empty = await blocked()
  selcom.addFloat(1_000_000_000n)
  for (const [id, words] of [
    [address, /4032/],
    [empty, /too little money\..* 990 FAIL: Insufficient account balance/],
  ] as const) {
    const [status, reason] = await seen(`/v1/operator/withdrawals/${id}`, operator)
    assert.equal(status, 'BLOCKED_IP_WHITELIST')
    assert.match(String(reason), words)
    assert.deepEqual(await seen(`/v1/disbursements/${id}`, world.live_key), [status, null])
  }
  assert.equal(selcom.totals().payouts.executions, whole)
  const retried = await world.post(`/v1/operator/withdrawals/${empty}/retry`, {}, { key: operator })
  assert.equal(retried.body.data.status_reason, null, 'the next transition clears the reason')
  const reason = 'Paid by hand'
  const how = { outcome: 'FAILED', reason }
  await world.post(`/v1/operator/withdrawals/${address}/resolve`, how, { key: operator })
  assert.deepEqual(await seen(`/v1/disbursements/${address}`, world.live_key), ['FAILED', reason])
})

test('the server lists only reachable destinations for live payouts, and all destinations for the sandbox', async () => {
  const listed = async (query: string): Promise<{ code: string; method: string }[]> => {
    const { status, body, text } = await world.call({ method: 'GET', url: `/v1/destinations${query}`, key: null })
    assert.equal(status, 200, text)
    return body.data.items
  }
  const live = (await listed('')).map(({ code }) => code)
  assert.deepEqual(
    (await listed('?environment=live')).map(({ code }) => code),
    live,
  )
  assert.ok(['MPESA', 'AIRTEL', 'CRDB'].every((code) => live.includes(code)))
  assert.ok(!live.includes('STANDARD_CHARTERED'))
  const banks = (await listed('?method=BANK_ACCOUNT')).map(({ code }) => code)
  assert.ok(banks.includes('CRDB') && !banks.includes('STANDARD_CHARTERED') && !banks.includes('MPESA'))
  assert.deepEqual(await listed('?environment=sandbox'), DESTINATIONS)

  // In a price request, the server accepts each listed destination and refuses each unlisted destination.
  const finance = (await world.newSession('FINANCE')).token
  for (const { code, method } of DESTINATIONS) {
    const body = { amount: '2000', method, destination_code: code, environment: 'live' }
    const { body: answer } = await world.post('/v1/merchant/withdrawals/quote', body, { key: finance })
    assert.equal(answer.error?.code === 'unknown_destination', !live.includes(code), code)
  }
})

test('the server refuses a payment that no provider can serve, and does not use up the Idempotency-Key', async () => {
  const only_push = await createWorld({ env: { ...env, PROVIDER: 'vodacom', PROVIDER_ROUTES: '' } })
  try {
    const ask = (path: string) =>
      only_push.post(
        `/v1/collections/${path}`,
        { amount: '5000', phone: '0754000001' },
        {
          key: only_push.live_key,
          idempotency_key: 'the-same-key',
        },
      )
    assert.deepEqual(codeOf(await ask('provider-pesa')), [503, 'provider_unavailable'])
    assert.deepEqual(codeOf(await ask('provider-pesa')), [503, 'provider_unavailable'])
    assert.equal((await ask('wallet-push')).status, 202)
  } finally {
    await only_push.close()
  }
})

test('the server accepts and answers a callback of Vodacom with the secret in its URL, and logs no secret', async () => {
  const { collection_id } = (await pay('wallet-push', { amount: '5000', phone: '0754000001' })).body.data
  const [row] = await world.rows('select provider_reference from collection_attempts where collection_id = $1', [
    collection_id,
  ])
  const call = (query: string) =>
    world.call({
      method: 'POST',
      url: `/callbacks/vodacom${query}`,
      payload: { input_ThirdPartyConversationID: row?.provider_reference, input_OriginalConversationID: 'theirs' },
      key: null,
    })
  assert.deepEqual((await call(`?secret=${CALLBACK_SECRET}`)).body, {
    output_OriginalConversationID: 'theirs',
    output_ResponseCode: '0',
    output_ResponseDesc: 'Successfully Accepted Result',
    output_ThirdPartyConversationID: row?.provider_reference,
  })
  for (const query of ['', '?secret=', `?secret=${CALLBACK_SECRET}x`]) {
    assert.deepEqual(codeOf(await call(query)), [403, 'forbidden'], query)
  }
  assert.equal(await settled(collection_id), 'successful')
  const lines = world.deps.logged.join('')
  assert.match(lines, /\/callbacks\/vodacom/)
  for (const secret of [CALLBACK_SECRET, SAMPLE_ACCOUNT.api_secret, vodacom.account.api_key]) {
    assert.ok(!lines.includes(secret))
  }
})

test('the start log names a route to destinations that only another provider reaches', async () => {
  const lines = (of: World) => of.deps.logged.filter((line) => line.includes('PROVIDER_ROUTES'))
  assert.deepEqual(lines(world), [])
  const narrow = await createWorld({ env: { ...env, PROVIDER_ROUTES: 'MOBILE_MONEY=vodacom' } })
  try {
    const [line, ...more] = lines(narrow)
    assert.deepEqual(more, [])
    const { level, unreachable } = JSON.parse(line ?? '{}')
    assert.equal(level, 'warn')
    assert.ok(unreachable.includes('MOBILE_MONEY/AIRTEL (selcom)'), unreachable.join(', '))
    assert.ok(!unreachable.some((route: string) => /MPESA|BANK/.test(route)), unreachable.join(', '))
  } finally {
    await narrow.close()
  }
})

test('the process refuses an invalid setting of an adapter at its start, and its message does not contain the value', async () => {
  for (const [name, value] of [
    ['VODACOM_PUBLIC_KEY', 'no-key-at-all'],
    ['VODACOM_CALLBACK_SECRET', 'short'],
    ['VODACOM_FAILED_STATES', 'Failed=no_such_reason'],
  ] as const) {
    const refused = (error: unknown) =>
      error instanceof ConfigError && error.message.includes(name) && !error.message.includes(value)
    await assert.rejects(createWorld({ url: world.url, env: { ...env, [name]: value } }), refused, name)
  }
})
