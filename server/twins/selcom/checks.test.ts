import assert from 'node:assert/strict'
import { createSign, generateKeyPairSync } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import {
  bankOf,
  type Fields,
  headersFor,
  orderOf,
  resultOf,
  START_TEXT,
  send,
  sign,
  startRig,
  type TwinRig,
  textToSign,
  walletOf,
} from '../../test/providers/selcom-twin-caller.ts'

describe('the checks of a request', () => {
  let rig: TwinRig
  before(async () => {
    rig = await startRig()
  })
  after(() => rig.close())

  const refuses = (
    what: string,
    check: string,
    [status, result]: [number, string],
    changes: Record<string, string>,
    message = /./,
  ) => {
    it(`the twin refuses a request with ${what} and changes nothing`, async () => {
      const before = rig.simulator.totals()
      const reply = await rig.call('POST', '/checkout/create-order-minimal', orderOf('CHECKED'), changes)
      assert.equal(reply.status, status)
      assert.equal(resultOf(reply), result)
      assert.match(String(reply.json?.message), message)
      const now = rig.simulator.totals()
      assert.equal(now.refusals[check], (before.refusals[check] ?? 0) + 1)
      assert.equal(now.orders.count, before.orders.count)
    })
  }
  const bare = Buffer.from('simulator-api-key')
  refuses('no Content-Type', 'content_type', [400, '400 FAIL'], { 'Content-Type': '' })
  refuses('another Content-Type', 'content_type', [400, '400 FAIL'], { 'Content-Type': 'text/plain' })
  refuses('no Accept', 'accept', [400, '400 FAIL'], { Accept: '' })
  refuses('no Authorization', 'authorization', [401, '401 FAIL'], { Authorization: '' })
  refuses('a key that is not in base64', 'authorization', [401, '401 FAIL'], { Authorization: `SELCOM ${bare}` })
  refuses('another scheme', 'authorization', [401, '401 FAIL'], { Authorization: `Bearer ${bare.toString('base64')}` })
  refuses('a foreign key', 'authorization', [401, '401 FAIL'], { Authorization: 'SELCOM Zm9yZWlnbg==' })
  refuses('no Digest-Method', 'digest_method', [401, '401 FAIL'], { 'Digest-Method': '' })
  refuses('an unknown Digest-Method', 'digest_method', [401, '401 FAIL'], { 'Digest-Method': 'HS512' })
  refuses('RS256 without a public key on file', 'digest_method', [401, '401 FAIL'], { 'Digest-Method': 'RS256' })
  refuses('no Timestamp', 'timestamp', [401, '401 FAIL'], { Timestamp: '' })
  for (const text of ['2026-03-01 12:00:00', '2026-03-01T12:00:00', '2026-03-01T12:00:00.000+03:00', '1772355600']) {
    refuses(`the Timestamp ${text}`, 'timestamp', [401, '401 FAIL'], { Timestamp: text })
  }
  refuses('a Timestamp of long ago', 'timestamp_window', [401, '401 FAIL'], { Timestamp: '2026-03-01T11:54:59+03:00' })
  refuses('a Timestamp that is yet to come', 'timestamp_window', [401, '401 FAIL'], {
    Timestamp: '2026-03-01T12:05:01+03:00',
  })
  refuses('another time than the signed one', 'digest', [401, '401 FAIL'], { Timestamp: '2026-03-01T12:00:01+03:00' })
  refuses('no Digest', 'digest', [401, '401 FAIL'], { Digest: '' })
  refuses('no Signed-Fields', 'signed_fields', [401, '401 FAIL'], { 'Signed-Fields': '' })
  const names = Object.keys(orderOf('CHECKED'))
  const fewer = names.slice(1).join(',')
  refuses('a field that is not signed', 'signed_fields', [401, '401 FAIL'], { 'Signed-Fields': fewer })
  refuses('a signed field that is not there', 'signed_fields', [401, '401 FAIL'], {
    'Signed-Fields': `${names},msisdn`,
  })
  refuses('a field signed twice', 'signed_fields', [401, '401 FAIL'], { 'Signed-Fields': `${fewer},order_id` })
  refuses('another spelling of a field', 'signed_fields', [401, '401 FAIL'], {
    'Signed-Fields': names.join(',').replace('order_id', 'Order_Id'),
  })
  refuses('spaces between the fields', 'signed_fields', [401, '401 FAIL'], { 'Signed-Fields': names.join(', ') })
  refuses('another order of the fields than the signed one', 'digest', [401, '401 FAIL'], {
    'Signed-Fields': names.toReversed().join(','),
  })

  it('the twin accepts signed fields in any order, and an offset without a colon', async () => {
    const turned = Object.fromEntries(Object.entries(orderOf('TURNED')).reverse()) as Fields
    assert.equal((await rig.call('POST', '/checkout/create-order-minimal', turned)).status, 200)
    const fields = { order_id: 'TURNED' }
    const headers = headersFor(rig.simulator.account, '2026-03-01T12:00:00+0300', fields)
    assert.equal((await rig.call('GET', '/checkout/order-status', fields, headers)).status, 200)
  })

  it('the twin refuses a value that contains a second field, although the digest is right', async () => {
    const order = orderOf('HIDDEN')
    const { no_of_items, ...others } = order
    const hidden = { ...others, currency: `TZS&no_of_items=${no_of_items}` }
    const headers = headersFor(rig.simulator.account, START_TEXT, order)
    const url = `${rig.simulator.url}/checkout/create-order-minimal`
    const reply = await send(url, 'POST', headers, JSON.stringify(hidden))
    assert.equal(headers.Digest, headersFor(rig.simulator.account, START_TEXT, hidden).Digest)
    assert.equal(reply.status, 401)
    assert.match(reply.text, /Signed-Fields/)
  })

  it('the twin refuses a body that is no JSON, a nested body, and a query that names a field twice', async () => {
    const url = `${rig.simulator.url}/checkout/create-order-minimal`
    const headers = headersFor(rig.simulator.account, START_TEXT, orderOf('NESTED'))
    for (const body of ['', '{', '[]', 'null', JSON.stringify({ ...orderOf('NESTED'), billing: {} })]) {
      const reply = await send(url, 'POST', headers, body)
      assert.equal(reply.status, 400, body)
    }
    const query = `${rig.simulator.url}/checkout/order-status?order_id=A&order_id=B`
    const twice = await send(query, 'GET', headersFor(rig.simulator.account, START_TEXT, { order_id: 'B' }), null)
    assert.equal(twice.status, 400)
  })

  it('the twin verifies an RS256 signature with the stored public key', async (t) => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const pem = publicKey.export({ type: 'spki', format: 'pem' }) as string
    const keyed = await startRig({ account: { rsa_public_key: pem } })
    t.after(() => keyed.close())
    const text = textToSign(START_TEXT, orderOf('RSA'))
    const digest = createSign('sha256').update(text).sign(privateKey, 'base64')
    const go = (Digest: string) =>
      keyed.call('POST', '/checkout/create-order-minimal', orderOf('RSA'), { 'Digest-Method': 'RS256', Digest })
    assert.equal((await go(sign(keyed.simulator.account.api_secret, text))).status, 401)
    assert.equal((await go(digest)).status, 200)
  })

  it('the twin refuses each tested call from an unlisted address, and a call of a disabled path', async () => {
    rig.simulator.set({ source_ips: ['10.0.0.1'] })
    const calls: [string, string, Fields][] = [
      ['POST', '/checkout/create-order-minimal', orderOf('IP')],
      ['GET', '/checkout/order-status', { order_id: 'IP' }],
      ['POST', '/walletcashin/process', walletOf('IP')],
      ['POST', '/qwiksend/process', bankOf('IP')],
    ]
    for (const [method, path, fields] of calls) {
      const reply = await rig.call(method, path, fields)
      assert.deepEqual([reply.status, resultOf(reply)], [403, '403 FAIL'])
      assert.equal(reply.json?.message, 'Source IP not whitelisted (4032)')
    }
    rig.simulator.set({ source_ips: ['127.0.0.1'], disabled_paths: ['/qwiksend/process'] })
    const reply = await rig.call('POST', '/qwiksend/process', bankOf('IP'))
    assert.deepEqual([reply.status, resultOf(reply)], [403, '403 FAIL'])
    assert.match(String(reply.json?.message), /\(4035\)/)
    assert.equal(resultOf(await rig.call('POST', '/walletcashin/process', walletOf('IP'))), '000 SUCCESS')
    rig.simulator.set({ source_ips: null, disabled_paths: [] })
  })

  it('the twin answers 404 to an unknown path and 405 to a wrong method', async () => {
    const { url, account } = rig.simulator
    const headers = headersFor(account, START_TEXT, {})
    assert.equal((await send(`${url}/checkout/refund`, 'POST', headers, '{}')).status, 404)
    assert.equal((await send(`${url}/checkout/order-status`, 'POST', headers, '{}')).status, 405)
    assert.equal((await send(url.replace('/v1', '/v2/x'), 'POST', headers, '{}')).status, 404)
    const lookup = { bank: 'NMB', account: '123456', transid: 'L' }
    assert.equal((await rig.call('GET', '/qwiksend/lookup/', lookup)).status, 200)
  })
})
