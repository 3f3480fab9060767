import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Fields, START, START_TEXT, sign, startRig, textToSign } from '../../test/providers/selcom-twin-caller.ts'
import { digestOf, readTimestamp, signedText, timestampOf } from './signature.ts'

/** The secret of the published samples, which protects no data. */
const SAMPLE_SECRET = '81dc9bdb52d04dc20036dbd8313ed055'
const VECTORS: [string, Fields, string, string?][] = [
  [
    'a plain request',
    { utilityref: '12345', transid: 'transid', amount: 5000 },
    'TFHAyQ1k1d601bVfimp+GJsgiBPzMmmV0QJl0bX1c1Q=',
    '2019-02-26T09:30:46+03:00',
  ],
  [
    'the creation of an order',
    {
      vendor: 'TILL60000001',
      order_id: 'COL0001',
      buyer_email: 'payer@example.com',
      buyer_name: 'Asha Juma',
      buyer_phone: '255740000001',
      amount: 5000,
      currency: 'TZS',
      webhook: 'aHR0cHM6Ly9wYXkuZXhhbXBsZS5jb20vcHJvdmlkZXIvY2FsbGJhY2svQ09MMDAwMQ==',
      buyer_remarks: 'Order INV-1',
      merchant_remarks: 'None',
      no_of_items: 1,
    },
    'cSlTkZ5ha1RPfpkLcGKcKEVwDjzaaluib+0rdtpJhbg=',
  ],
  [
    'a push',
    { transid: 'WP0001', order_id: 'COL0001', msisdn: '255740000001' },
    'HxWIdGI2/pwxCo6zgQ9PNtRSS1UWD+joTQtDNZDrcoA=',
  ],
  ['a status query', { order_id: 'COL0001' }, 'cJ+I7Vl5fs3UiRnEMMj4yo/p4sB9upl4o12Lc2IZ0RM='],
  [
    'an offset without colon',
    { order_id: 'COL0001' },
    'FVdT/ZNi7Z+8llhFnPQdhJ+LAYp08IGG7omiu+BNUjo=',
    '2026-03-01T12:00:00+0300',
  ],
  [
    'a payout to a wallet',
    {
      transid: 'PO0001',
      utilitycode: 'CASHIN',
      utilityref: '255680000001',
      amount: 15000,
      vendor: 'FLOAT001',
      pin: '4343',
    },
    'ux50t0Ws7zNr0WQYI3wxjy5FKu69anAl01MJByC7MQQ=',
  ],
  [
    'a payout to a bank',
    {
      transid: 'PO0002',
      recipientFiCode: 'CRDBBANK',
      recipientAccount: '0150000000001',
      recipientName: 'ASHA JUMA',
      senderAccount: 'M0001',
      senderName: 'DUKA LTD',
      amount: 250000,
      vendor: 'FLOAT001',
      pin: '4343',
      msisdn: '255740000002',
      purpose: 'BUSINESS',
      remarks: 'Withdrawal WD1',
    },
    'PpuiiF372d9EglkSESICA5HYe2lV2LRdUoaPorf8bRw=',
  ],
  ['a query of a payout', { transid: 'PO0001' }, 'pDKsL1r5Its13T97bWIw2mykZHqutCpTf+5X+qR+fcY='],
  [
    'the balance',
    { vendor: 'FLOAT001', pin: '4343', transid: 'BAL0001' },
    '9+/S0VaEDaP4dKVED3kSj9rLK0Gyn8rn2npsnQeG3WU=',
  ],
  [
    'a callback',
    {
      transid: 'DDQF10OW3W',
      order_id: 'COL0001',
      reference: 'S20656625527',
      result: 'SUCCESS',
      resultcode: '000',
      payment_status: 'COMPLETED',
    },
    'gNN7AettFMbgY9Qeru9UNDy8grRXUqfSjGKdanWPOw4=',
  ],
  [
    'letters beyond ASCII, and an ampersand',
    { vendor: 'T', name: 'Zaïna & Co' },
    'gCBawYDr6ieHC8NI3FDF8siKblUSYnskY43I5dFE6vM=',
  ],
]

describe('the signature', () => {
  for (const [what, fields, digest, timestamp = START_TEXT] of VECTORS) {
    it(`the twin computes the published sample signature of ${what}`, () => {
      assert.equal(sign(SAMPLE_SECRET, textToSign(timestamp, fields)), digest)
      const values = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]))
      assert.equal(digestOf(SAMPLE_SECRET, signedText(timestamp, Object.keys(fields), values)), digest)
    })
  }

  it('the twin refuses a signature of a caller that decoded the secret from hexadecimal', async (t) => {
    const fields = { order_id: 'COL0001' }
    const rig = await startRig({ account: { api_secret: SAMPLE_SECRET } })
    t.after(() => rig.close())
    const go = (key: string | Buffer) =>
      rig.call('GET', '/checkout/order-status', fields, { Digest: sign(key, textToSign(START_TEXT, fields)) })
    assert.equal((await go(SAMPLE_SECRET)).status, 200)
    assert.equal((await go(Buffer.from(SAMPLE_SECRET, 'hex'))).status, 401)
  })

  it('the twin reads timestamps to the second, with an offset of hours and minutes', () => {
    assert.equal(timestampOf(START), START_TEXT)
    assert.deepEqual(readTimestamp(START_TEXT), START)
    assert.deepEqual(readTimestamp('2026-03-01T12:00:00+0300'), START)
    assert.deepEqual(readTimestamp('2026-03-01T09:00:00+00:00'), START)
    for (const text of [
      '',
      'now',
      '2026-13-01T12:00:00+03:00',
      '2026-03-01T12:00:00Z',
      '2026-03-01T12:00:00.5+03:00',
    ]) {
      assert.equal(readTimestamp(text), null, text)
    }
  })
})
