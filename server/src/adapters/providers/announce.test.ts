// Tests that the start report of a process lists the providers of live money, warns about settings and counts payments of
// unconfigured providers.

import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'

const SELCOM = {
  SELCOM_URL: 'https://gateway.example/v1',
  SELCOM_API_KEY: 'key',
  SELCOM_API_SECRET: 'secret',
  SELCOM_VENDOR: 'TILL',
  SELCOM_BUYER_EMAIL: 'payments@example.tz',
  SELCOM_BUYER_PHONE: '0754000000',
}
const SELCOM_PAYOUTS = {
  SELCOM_FLOAT_VENDOR: 'FLOAT',
  SELCOM_PIN: '1234',
  SELCOM_SENDER_ACCOUNT: 'M1',
  SELCOM_SENDER_NAME: 'Duka Ltd',
  SELCOM_SENDER_PHONE: '0754000001',
}
const VODACOM = {
  VODACOM_URL: 'https://openapi.example/openapi/ipg/v2/vodacomTZN',
  VODACOM_API_KEY: 'key',
  VODACOM_PUBLIC_KEY: generateKeyPairSync('rsa', { modulusLength: 1024 })
    .publicKey.export({ format: 'der', type: 'spki' })
    .toString('base64'),
  VODACOM_SERVICE_PROVIDER_CODE: '123456',
}
const BASE_URL = 'https://pay.example.tz'

let world: World
before(async () => {
  world = await createWorld()
})
after(() => world?.close())

/** Returns the start report of a process that has these settings and uses the same database. */
async function reportOf(env: Record<string, string>) {
  const other = await createWorld({ url: world.url, env })
  try {
    await other.system.warn()
    const lines = other.deps.logged.map((line) => JSON.parse(line) as { msg: string; level: number | string })
    return { live: other.system.live, warnings: lines.filter(({ msg }) => !msg.startsWith('database')), lines }
  } finally {
    await other.close()
  }
}
const texts = (report: Awaited<ReturnType<typeof reportOf>>) => report.warnings.map(({ msg }) => msg).join('\n')

describe('the start report', () => {
  test('the start report lists the routes of live money, the callback URLs and the payout methods', async () => {
    const env = { BASE_URL, ...SELCOM, ...VODACOM, PROVIDER: 'selcom', PROVIDER_ROUTES: 'MOBILE_MONEY/VODACOM=vodacom' }
    assert.deepEqual((await reportOf(env)).live, {
      provider: 'selcom',
      routes: ['MOBILE_MONEY/MPESA=vodacom'],
      callbacks: { selcom: `${BASE_URL}/callbacks/selcom`, vodacom: `${BASE_URL}/callbacks/vodacom` },
      payouts: ['MOBILE_MONEY'],
    })
    assert.deepEqual((await reportOf({ BASE_URL, ...SELCOM, PROVIDER: 'selcom' })).live.payouts, [])
    const paying = await reportOf({ BASE_URL, ...SELCOM, ...SELCOM_PAYOUTS, PROVIDER: 'selcom' })
    assert.deepEqual(paying.live.payouts, ['MOBILE_MONEY', 'BANK_ACCOUNT', 'PROVIDER_PESA'])
  })

  test('the start report has no callback URLs and no warnings when the settings configure only the mock provider', async () => {
    const report = await reportOf({})
    assert.deepEqual([report.live.provider, report.live.callbacks], ['mock', {}])
    assert.equal(texts(report), '')
  })
})

describe('start warnings', () => {
  test('the process warns when a gateway has no callback address or cannot reach its callback address', async () => {
    const selcom = { ...SELCOM, PROVIDER: 'selcom' }
    assert.match(texts(await reportOf({ ...selcom, PORT: '0' })), /selcom has no callback address: set BASE_URL/)
    const local = await reportOf({ ...selcom, PORT: '8088' })
    assert.match(texts(local), /selcom cannot reach http:\/\/127\.0\.0\.1:8088\/callbacks\/selcom: set BASE_URL/)
    assert.equal(texts(await reportOf({ ...selcom, BASE_URL })), '')
    const twin = await reportOf({ ...selcom, SELCOM_URL: 'http://127.0.0.1:8091/v1', PORT: '8088' })
    assert.equal(twin.live.callbacks.selcom, 'http://127.0.0.1:8088/callbacks/selcom')
    assert.equal(texts(twin), '', 'a twin on this machine reaches the local address')
  })

  test('the process warns when payment prompts go over a provider that reaches the numbers of one network only', async () => {
    const both = { BASE_URL, ...SELCOM, ...VODACOM, VODACOM_FAILED_STATES: 'Failed=provider_declined' }
    const pushed = await reportOf({ ...both, PROVIDER: 'selcom', PROVIDER_ROUTES: 'wallet_push=vodacom' })
    assert.match(texts(pushed), /wallet_push goes over vodacom, which prompts only MPESA numbers/)
    const routed = await reportOf({ ...both, PROVIDER: 'selcom', PROVIDER_ROUTES: 'MOBILE_MONEY/MPESA=vodacom' })
    assert.equal(texts(routed), '')
  })

  test('the process warns when the settings map no transaction state of Vodacom to a failed payment', async () => {
    const report = await reportOf({ BASE_URL, ...VODACOM, PROVIDER: 'vodacom' })
    assert.match(texts(report), /VODACOM_FAILED_STATES is empty.*COLLECTION_DEADLINE_H/)
    const routes = { PROVIDER: 'selcom', PROVIDER_ROUTES: 'MOBILE_MONEY/MPESA=vodacom' }
    const paying = await reportOf({ BASE_URL, ...SELCOM, ...VODACOM, ...routes })
    assert.equal(texts(paying), '', 'no payment method goes over vodacom')
  })

  test('the process warns with a count when payments wait for an unconfigured provider', async () => {
    const { body } = await world.post(
      '/v1/collections/wallet-push',
      { amount: '5000', phone: '0754000007' },
      { key: world.live_key },
    )
    await world.rows(`update collection_attempts set provider = 'gone', due_at = now() where collection_id = $1`, [
      body.data.collection_id,
    ])
    const report = await reportOf({})
    assert.equal(report.warnings.length, 1)
    const { msg, ...facts } = report.warnings[0] as Record<string, unknown>
    assert.match(String(msg), /wait for a provider that is not configured/)
    assert.deepEqual([facts.provider, facts.kind, facts.waiting], ['gone', 'payments', 1])
  })
})
