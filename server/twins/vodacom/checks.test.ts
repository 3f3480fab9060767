// Tests that the twin refuses the requests that the gateway would refuse, and moves money only for accepted requests.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  b2c,
  begin,
  C2B,
  type Changes,
  c2b,
  QUERY,
  question,
  reversal,
} from '../../test/providers/vodacom-twin-caller.ts'

describe('access', () => {
  test('the twin opens a session for the API key only', async () => {
    const { twin, send, sealed } = await begin()
    const opened = await send('GET', '/getSession/', {})
    assert.deepEqual([opened.status, opened.code], [200, 'INS-0'])
    assert.ok((opened.json?.output_SessionID?.length ?? 0) > 20)
    for (const changes of [
      { secret: 'another key' },
      { headers: { authorization: '' } },
      { headers: { authorization: 'Bearer an-api-key' } },
      { headers: { authorization: sealed('an-api-key') } },
    ]) {
      const refused = await send('GET', '/getSession/', {}, changes)
      assert.deepEqual([refused.status, refused.code], [400, 'INS-989'])
    }
    assert.equal(twin.totals().sessions, 1)
  })

  test('the twin requires a session for a payment, and does not accept the API key as a session', async () => {
    const { twin, send, openSession } = await begin()
    const secret = await openSession()
    assert.equal((await send('POST', C2B, c2b(), { secret })).status, 201)
    for (const wrong of [twin.account.api_key, 'x', `${secret}x`]) {
      const refused = await send('POST', C2B, c2b(), { secret: wrong })
      assert.deepEqual([refused.status, refused.code], [401, undefined])
    }
    assert.equal(twin.totals().executions, 1)
    twin.set({ no_session: 'code' })
    assert.equal((await send('POST', C2B, c2b(), { secret: 'x' })).code, 'INS-989')
    twin.set({ no_session: 'page' })
    assert.match((await send('POST', C2B, c2b(), { secret: 'x' })).text, /<html>/)
  })

  test('the twin accepts a session after a pause, and refuses the session after its end', async () => {
    const { twin, clock, send, openSession } = await begin()
    twin.set({ session_settle_ms: 1_000, session_life_ms: 60_000 })
    const secret = await openSession()
    const status = async () => (await send('POST', C2B, c2b(), { secret })).status
    assert.equal(await status(), 401)
    clock.advance(1_000)
    assert.equal(await status(), 201)
    clock.advance(58_999)
    assert.equal(await status(), 201)
    clock.advance(1)
    assert.equal(await status(), 401)
    twin.set({ one_session: true, session_settle_ms: 0 })
    const [first, second] = [await openSession(), await openSession()]
    assert.equal((await send('POST', C2B, c2b(), { secret: first })).status, 401)
    assert.equal((await send('POST', C2B, c2b(), { secret: second })).status, 201)
    twin.endSessions()
    assert.equal((await send('POST', C2B, c2b(), { secret: second })).status, 401)
  })

  test('the twin checks origin, content type, market, path and method of a request', async () => {
    const { twin, send, openSession } = await begin()
    const secret = await openSession()
    const post = (changes: Changes, path = C2B) => send('POST', path, c2b(), { secret, ...changes })
    assert.equal((await post({ headers: { origin: '' } })).code, 'INS-20')
    assert.equal((await post({ headers: { 'content-type': 'text/plain' } })).code, 'INS-21')
    assert.equal((await post({ base: twin.url.replace('vodacomTZN', 'vodacomDRC') })).code, 'INS-998')
    assert.equal((await post({ base: twin.url.replace('sandbox', 'openapi') })).code, 'INS-998')
    assert.equal((await post({}, '/c2bPayment/')).code, 'INS-997')
    assert.equal((await post({}, '/reversal/')).status, 404)
    twin.set({ origins: ['https://pay.example.com'] })
    assert.equal((await post({})).status, 403)
    assert.equal((await post({ headers: { origin: 'https://pay.example.com' } })).status, 201)
    twin.set({ closed: ['c2b'] })
    assert.equal((await post({ headers: { origin: 'https://pay.example.com' } })).code, 'INS-997')
    assert.equal(twin.totals().executions, 1)
  })
})

describe('fields', () => {
  test('the twin requires each field of a payment as text in its form, and refuses unknown fields', async () => {
    const { twin, send, openSession } = await begin()
    const secret = await openSession()
    const code = async (fields: object) => (await send('POST', C2B, fields, { secret })).code
    for (const name of Object.keys(c2b())) {
      const { [name]: _left_out, ...rest } = c2b() as Record<string, string>
      assert.equal(await code(rest), 'INS-20', name)
      assert.equal(await code(c2b({ [name]: 5 })), 'INS-21', name)
    }
    assert.equal(await code(c2b({ input_PaymentItemsDesc: 'x' })), 'INS-21')
    assert.equal(await code(c2b({ input_amount: '5' })), 'INS-21')
    for (const [name, value, expected] of [
      ['input_Amount', '-1', 'INS-15'],
      ['input_Amount', '0', 'INS-15'],
      ['input_Amount', '10.50', 'INS-15'],
      ['input_Amount', '1e3', 'INS-15'],
      ['input_CustomerMSISDN', '0754000001', 'INS-2051'],
      ['input_CustomerMSISDN', '+255754000001', 'INS-2051'],
      ['input_Country', 'TZA', 'INS-21'],
      ['input_Currency', 'USD', 'INS-26'],
      ['input_ServiceProviderCode', '1', 'INS-13'],
      ['input_ServiceProviderCode', '999999', 'INS-13'],
      ['input_TransactionReference', 'x'.repeat(21), 'INS-17'],
      ['input_TransactionReference', 'a-b', 'INS-17'],
      ['input_ThirdPartyConversationID', 'x'.repeat(41), 'INS-28'],
      ['input_PurchasedItemsDesc', '', 'INS-30'],
      ['input_PurchasedItemsDesc', 'x'.repeat(257), 'INS-30'],
    ] as const) {
      assert.equal(await code(c2b({ [name]: value })), expected, `${name} ${value.slice(0, 30)}`)
    }
    assert.equal((await send('POST', '/b2cPayment/', b2c({ input_PaymentItemsDesc: '' }), { secret })).code, 'INS-31')
    assert.equal((await send('POST', C2B, {}, { secret, body: '{' })).code, 'INS-20')
    assert.equal((await send('GET', QUERY, { input_QueryReference: 'x' }, { secret })).code, 'INS-20')
    assert.equal(twin.totals().transactions, 0)
  })

  test('the twin accepts a conversation id once only, whatever the call', async () => {
    const { twin, send, openSession } = await begin()
    const secret = await openSession()
    const fields = c2b()
    assert.equal((await send('POST', C2B, fields, { secret })).code, 'INS-0')
    const again = await send('POST', C2B, fields, { secret })
    assert.deepEqual([again.status, again.code], [409, 'INS-10'])
    const { input_ThirdPartyConversationID: id } = fields
    assert.equal(
      (await send('POST', '/b2cPayment/', b2c({ input_ThirdPartyConversationID: id }), { secret })).code,
      'INS-10',
    )
    const fields_of_query = question(id)
    assert.equal((await send('GET', QUERY, fields_of_query, { secret })).code, 'INS-0')
    assert.equal((await send('GET', QUERY, fields_of_query, { secret })).code, 'INS-10')
    assert.equal(
      (await send('GET', QUERY, question(id, { input_ThirdPartyConversationID: id }), { secret })).code,
      'INS-10',
    )
    const transaction = twin.transaction(id)
    assert.deepEqual([transaction?.requests, transaction?.executions, transaction?.prompts], [3, 1, 1])
  })
})

describe('the money in the books of the twin', () => {
  test('the twin finds a payment by each of its three ids, and returns its money once', async () => {
    const { twin, send, openSession } = await begin()
    const secret = await openSession()
    const fields = c2b()
    const paid = await send('POST', C2B, fields, { secret })
    const receipt = paid.json?.output_TransactionID ?? ''
    const conversation = paid.json?.output_ConversationID ?? ''
    for (const id of [receipt, conversation, fields.input_ThirdPartyConversationID]) {
      const found = await send('GET', QUERY, question(id), { secret })
      assert.equal(found.json?.output_ResponseTransactionStatus, 'Completed', id)
      assert.equal(found.json?.output_Reversed, 'false')
      assert.equal(found.json?.output_OriginalTransactionID, receipt)
    }
    assert.equal((await send('GET', QUERY, question('nobody'), { secret })).code, 'INS-23')
    assert.equal((await send('PUT', '/reversal/', reversal('OTHERS'), { secret })).code, 'INS-35')
    assert.equal((await send('PUT', '/reversal/', reversal(receipt), { secret })).code, 'INS-0')
    assert.equal((await send('PUT', '/reversal/', reversal(receipt), { secret })).code, 'INS-6')
    const found = await send('GET', QUERY, question(receipt), { secret })
    assert.equal(found.json?.output_Reversed, 'true')
    assert.deepEqual([twin.totals().collected, twin.totals().by_state.reversed], [0n, 1])
  })

  test('the twin pays payouts from the float, and does not add payments to the float', async () => {
    const { twin, send, openSession } = await begin()
    const secret = await openSession()
    await send('POST', C2B, c2b({ input_Amount: '70000' }), { secret })
    const pay = async (input_Amount: string) =>
      (await send('POST', '/b2cPayment/', b2c({ input_Amount }), { secret })).code
    assert.equal(await pay('60000'), 'INS-0')
    assert.equal(await pay('60000'), 'INS-2006')
    assert.equal(await pay('40000'), 'INS-0')
    const { float, paid_out, collected } = twin.totals()
    assert.deepEqual([float, paid_out, collected], [0n, 100_000n, 70_000n])
  })

  test('an asynchronous application gets no receipt immediately, and the twin moves the money after the decision', async () => {
    const { twin, clock, send, openSession } = await begin()
    twin.set({ mode: 'async', decide_ms: 5_000 })
    const secret = await openSession()
    const fields = c2b()
    const taken = await send('POST', C2B, fields, { secret })
    assert.deepEqual([taken.code, taken.json?.output_TransactionID], ['INS-0', undefined])
    const { input_ThirdPartyConversationID: id } = fields
    assert.equal(twin.transaction(id)?.state, 'pending')
    clock.advance(5_000)
    assert.deepEqual([twin.transaction(id)?.state, twin.totals().collected], ['paid', 5_000n])
  })
})
