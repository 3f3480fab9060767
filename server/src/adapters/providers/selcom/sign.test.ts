import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { settableClock } from '../../../kernel/lib/index.ts'
import { verifyCallback } from './callback.ts'
import {
  authorizationOf,
  digestOf,
  type SignedFields,
  signedHeaders,
  signingString,
  timeOf,
  timestampOf,
  verifiedFields,
} from './sign.ts'

// The manual of the gateway publishes these sample values, which give no access.
const KEY = '202cb962ac59075b964b07152d234b70'
const SECRET = '81dc9bdb52d04dc20036dbd8313ed055'
const CREDENTIALS = { api_key: KEY, api_secret: SECRET }
const NOON = '2026-03-01T12:00:00+03:00'
const NOW = new Date('2026-03-01T09:00:00Z')

type Vector = [what: string, timestamp: string, fields: SignedFields, digest: string]

const FIRST: SignedFields = [
  ['utilityref', '12345'],
  ['transid', 'transid'],
  ['amount', 5000],
]
const WEBHOOK: SignedFields = [
  ['transid', 'DDQF10OW3W'],
  ['order_id', 'COL0001'],
  ['reference', 'S20656625527'],
  ['result', 'SUCCESS'],
  ['resultcode', '000'],
  ['payment_status', 'COMPLETED'],
]

const VECTORS: Vector[] = [
  ['three fields', '2019-02-26T09:30:46+03:00', FIRST, 'TFHAyQ1k1d601bVfimp+GJsgiBPzMmmV0QJl0bX1c1Q='],
  [
    'an order',
    NOON,
    [
      ['vendor', 'TILL60000001'],
      ['order_id', 'COL0001'],
      ['buyer_email', 'payer@example.com'],
      ['buyer_name', 'Asha Juma'],
      ['buyer_phone', '255740000001'],
      ['amount', 5000],
      ['currency', 'TZS'],
      ['webhook', 'aHR0cHM6Ly9wYXkuZXhhbXBsZS5jb20vcHJvdmlkZXIvY2FsbGJhY2svQ09MMDAwMQ=='],
      ['buyer_remarks', 'Order INV-1'],
      ['merchant_remarks', 'None'],
      ['no_of_items', 1],
    ],
    'cSlTkZ5ha1RPfpkLcGKcKEVwDjzaaluib+0rdtpJhbg=',
  ],
  [
    'a prompt',
    NOON,
    [
      ['transid', 'WP0001'],
      ['order_id', 'COL0001'],
      ['msisdn', '255740000001'],
    ],
    'HxWIdGI2/pwxCo6zgQ9PNtRSS1UWD+joTQtDNZDrcoA=',
  ],
  ["an order's status", NOON, [['order_id', 'COL0001']], 'cJ+I7Vl5fs3UiRnEMMj4yo/p4sB9upl4o12Lc2IZ0RM='],
  [
    "an order's status, with an offset without a colon,",
    '2026-03-01T12:00:00+0300',
    [['order_id', 'COL0001']],
    'FVdT/ZNi7Z+8llhFnPQdhJ+LAYp08IGG7omiu+BNUjo=',
  ],
  [
    'a wallet payout',
    NOON,
    [
      ['transid', 'PO0001'],
      ['utilitycode', 'CASHIN'],
      ['utilityref', '255680000001'],
      ['amount', 15000],
      ['vendor', 'FLOAT001'],
      ['pin', '4343'],
    ],
    'ux50t0Ws7zNr0WQYI3wxjy5FKu69anAl01MJByC7MQQ=',
  ],
  [
    'a bank payout',
    NOON,
    [
      ['transid', 'PO0002'],
      ['recipientFiCode', 'CRDBBANK'],
      ['recipientAccount', '0150000000001'],
      ['recipientName', 'ASHA JUMA'],
      ['senderAccount', 'M0001'],
      ['senderName', 'DUKA LTD'],
      ['amount', 250000],
      ['vendor', 'FLOAT001'],
      ['pin', '4343'],
      ['msisdn', '255740000002'],
      ['purpose', 'BUSINESS'],
      ['remarks', 'Withdrawal WD1'],
    ],
    'PpuiiF372d9EglkSESICA5HYe2lV2LRdUoaPorf8bRw=',
  ],
  ['a payout query', NOON, [['transid', 'PO0001']], 'pDKsL1r5Its13T97bWIw2mykZHqutCpTf+5X+qR+fcY='],
  [
    'a balance',
    NOON,
    [
      ['vendor', 'FLOAT001'],
      ['pin', '4343'],
      ['transid', 'BAL0001'],
    ],
    '9+/S0VaEDaP4dKVED3kSj9rLK0Gyn8rn2npsnQeG3WU=',
  ],
  ['a callback', NOON, WEBHOOK, 'gNN7AettFMbgY9Qeru9UNDy8grRXUqfSjGKdanWPOw4='],
  [
    'letters beyond ASCII, and separators',
    NOON,
    [
      ['vendor', 'T'],
      ['name', 'Zaïna & Co'],
    ],
    'gCBawYDr6ieHC8NI3FDF8siKblUSYnskY43I5dFE6vM=',
  ],
]

describe('signatures', () => {
  for (const [what, timestamp, fields, digest] of VECTORS) {
    it(`the signature of ${what} equals the signature that the gateway's own client computes`, () => {
      assert.equal(digestOf(SECRET, signingString(timestamp, fields)), digest)
    })
  }

  it('the signature uses the secret as text, even when the secret looks like hex', () => {
    const hex_decoded = 'nPODUCr5repmtCRTHFAh5nA35AnytpPlzNX337qKFbI='
    const text = signingString('2019-02-26T09:30:46+03:00', FIRST)
    assert.equal(createHmac('sha256', Buffer.from(SECRET, 'hex')).update(text).digest('base64'), hex_decoded)
    assert.notEqual(digestOf(SECRET, text), hex_decoded)
    const now = new Date('2019-02-26T06:30:46Z')
    const headers = signedHeaders(CREDENTIALS, FIRST, now)
    const verify = (digest: string | undefined) =>
      verifiedFields(CREDENTIALS, { ...headers, digest }, textIn(new Map(FIRST)), { now, window_ms: 1000 })
    assert.ok(verify(headers.digest))
    assert.equal(verify(hex_decoded), null)
  })

  it('signedHeaders returns all headers that the gateway checks', () => {
    assert.deepEqual(signedHeaders(CREDENTIALS, FIRST, new Date('2019-02-26T06:30:46.999Z')), {
      'content-type': 'application/json',
      accept: 'application/json',
      authorization: 'SELCOM MjAyY2I5NjJhYzU5MDc1Yjk2NGIwNzE1MmQyMzRiNzA=',
      'digest-method': 'HS256',
      digest: 'TFHAyQ1k1d601bVfimp+GJsgiBPzMmmV0QJl0bX1c1Q=',
      timestamp: '2019-02-26T09:30:46+03:00',
      'signed-fields': 'utilityref,transid,amount',
    })
  })

  it('timeOf reads a timestamp in each known form, and refuses any other text', () => {
    const time = NOW.getTime()
    const readable = [
      timestampOf(NOW),
      '2026-03-01T12:00:00+0300',
      '2026-03-01T09:00:00Z',
      '2026-03-01T12:00:00.123+03:00',
    ]
    for (const text of readable) assert.equal(timeOf(text), time, text)
    for (const text of [
      '',
      'now',
      '2026-03-01',
      '2026-03-01 12:00:00',
      '2026-13-01T12:00:00+03:00',
      `${NOON} `,
      '1772355600',
    ]) {
      assert.equal(timeOf(text), null, text)
    }
  })

  it('verifiedFields accepts a signature over random values, and refuses the signature after a change of a value', () => {
    const names = fc.uniqueArray(fc.stringMatching(/^[A-Za-z0-9_.]{1,20}$/), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(names, fc.array(fc.string({ maxLength: 30 }), { minLength: 8, maxLength: 8 }), (keys, texts) => {
        const fields = keys.map((name, i) => [name, texts[i] as string] as const)
        const headers = signedHeaders(CREDENTIALS, fields, NOW)
        const time = { now: NOW, window_ms: 1000 }
        assert.deepEqual(verifiedFields(CREDENTIALS, headers, textIn(new Map(fields)), time), keys)
        const changed = new Map(fields).set(keys[0] as string, `${texts[0]}x`)
        assert.equal(verifiedFields(CREDENTIALS, headers, textIn(changed), time), null)
      }),
      { numRuns: 50 },
    )
  })
})

describe('signed callbacks', () => {
  const window_ms = 60_000
  const clock = settableClock(NOW)
  const BODY = {
    result: 'SUCCESS',
    resultcode: '000',
    order_id: 'COL0001',
    transid: 'DDQF10OW3W',
    reference: 'S20656625527',
    channel: 'MPESA-TZ',
    amount: '5000',
    phone: '255740000001',
    payment_status: 'COMPLETED',
  }
  const HEADERS: Record<string, string | undefined> = signedHeaders(CREDENTIALS, WEBHOOK, NOW)
  const check = (headers: Record<string, string | undefined>, body: unknown) =>
    verifyCallback(
      { credentials: CREDENTIALS, window_ms, clock },
      headers,
      Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    )
  const signed = (fields: SignedFields) => signedHeaders(CREDENTIALS, fields, NOW)

  it('the adapter returns the order of a callback with the right key and signature', () => {
    assert.equal(HEADERS.digest, 'gNN7AettFMbgY9Qeru9UNDy8grRXUqfSjGKdanWPOw4=')
    assert.deepEqual(check(HEADERS, BODY), { verified: true, reference: 'COL0001' })
  })

  it('the adapter refuses a callback that is forged, of another account, at a wrong time, unsigned or malformed', () => {
    const refused: [string, Record<string, string | undefined>, unknown][] = [
      ['another order', HEADERS, { ...BODY, order_id: 'COL0002' }],
      ['another status', HEADERS, { ...BODY, payment_status: 'PENDING' }],
      ['a signed field that is missing', HEADERS, { ...BODY, transid: undefined }],
      ['a signed field that is no text', HEADERS, { ...BODY, transid: ['DDQF10OW3W'] }],
      ['a foreign key', { ...HEADERS, authorization: authorizationOf('somebody else') }, BODY],
      ['a foreign secret', signedHeaders({ ...CREDENTIALS, api_secret: 'x' }, WEBHOOK, NOW), BODY],
      ['no key', { ...HEADERS, authorization: undefined }, BODY],
      ['no digest', { ...HEADERS, digest: undefined }, BODY],
      ['no time', { ...HEADERS, timestamp: undefined }, BODY],
      ['no names', { ...HEADERS, 'signed-fields': undefined }, BODY],
      ['another method', { ...HEADERS, 'digest-method': 'RS256' }, BODY],
      ['no method', { ...HEADERS, 'digest-method': undefined }, BODY],
      ['no headers', {}, BODY],
      ['another time', { ...HEADERS, timestamp: '2026-03-01T12:00:01+03:00' }, BODY],
      ['a time that is none', { ...HEADERS, timestamp: 'noon' }, BODY],
      ['a time too long ago', signedHeaders(CREDENTIALS, WEBHOOK, new Date(NOW.getTime() - window_ms - 1000)), BODY],
      ['a time that is to come', signedHeaders(CREDENTIALS, WEBHOOK, new Date(NOW.getTime() + window_ms + 1000)), BODY],
      ['a name twice', signed([...WEBHOOK, ['order_id', 'COL0001']]), BODY],
      ['a name with a separator', signed([...WEBHOOK, ['a&b', 'c']]), { ...BODY, 'a&b': 'c' }],
      ['no name at all', signed([]), BODY],
      ['an order that is not signed', signed(WEBHOOK.filter(([name]) => name !== 'order_id')), BODY],
      ['a status that is not signed', signed(WEBHOOK.filter(([name]) => name !== 'payment_status')), BODY],
      ['a code that is not signed', signed(WEBHOOK.filter(([name]) => name !== 'resultcode')), BODY],
      ['no JSON', HEADERS, '{"order_id":'],
      ['a list', HEADERS, [BODY]],
      ['nothing', HEADERS, ''],
      ['null', HEADERS, 'null'],
      ['too much', HEADERS, { ...BODY, more: 'x'.repeat(20_000) }],
    ]
    for (const [what, headers, body] of refused) assert.deepEqual(check(headers, body), { verified: false }, what)
  })

  it('the adapter accepts a callback whose time is at the edge of the time window, in the past or in the future', () => {
    for (const off_ms of [-window_ms, window_ms]) {
      const headers = signedHeaders(CREDENTIALS, WEBHOOK, new Date(NOW.getTime() + off_ms))
      assert.equal(check(headers, BODY).verified, true, String(off_ms))
    }
  })

  it('the signature of a callback covers the written text of numbers, true and null', () => {
    const text =
      '{"order_id":"COL0001","resultcode":"000","payment_status":"COMPLETED","amount":5000.00,"again":true,"phone":null}'
    const fields: SignedFields = [
      ['order_id', 'COL0001'],
      ['resultcode', '000'],
      ['payment_status', 'COMPLETED'],
      ['amount', '5000.00'],
      ['again', 'true'],
      ['phone', 'null'],
    ]
    assert.equal(check(signed(fields), text).verified, true)
    assert.equal(check(signed(fields), text.replace('5000.00', '5000')).verified, false)
  })

  it("the adapter accepts a callback with the gateway's misspelled field name, and with spaces between field names", () => {
    const fields = WEBHOOK.map(([name, value]) => [name === 'resultcode' ? 'resulcode' : name, value] as const)
    const headers = signed(fields)
    const body = { ...BODY, resultcode: undefined, resulcode: '000' }
    assert.equal(check(headers, body).verified, true)
    const spaced = headers['signed-fields']?.replaceAll(',', ', ')
    assert.equal(check({ ...headers, 'signed-fields': spaced }, body).verified, true)
  })
})

function textIn(values: ReadonlyMap<string, string | number>): (name: string) => string | undefined {
  return (name) => (values.has(name) ? String(values.get(name)) : undefined)
}
