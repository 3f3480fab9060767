// Tests that the API, the sign-up page and the admin command accept the same e-mail addresses. Only the sign-up page also
// demands the end of a public domain.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { optionalEmail } from '../src/apps/admin/options.ts'
import { isEmailAddress } from '../src/kernel/lib/index.ts'
import { createWorld, type World } from './harness.ts'
import { INVOICE } from './invoices.ts'

let world: World
let admin: string
before(async () => {
  world = await createWorld({ env: { RATE_LIMIT_PER_ADDRESS: '0' } })
  admin = (await world.newSession('MERCHANT_ADMIN')).token
})
after(() => world.close())

const CASES: readonly [address: string, is_valid: boolean][] = [
  ['asha@example.com', true],
  ['a.b+c@sub.example.co.tz', true],
  ["o'hara@example.com", true],
  ['duka@émail.example', true],
  [`${'x'.repeat(64)}@example.com`, true],
  [`${'x'.repeat(65)}@example.com`, false],
  [`a@${'x'.repeat(249)}.tz`, true],
  [`a@${'x'.repeat(250)}.tz`, false],
  ['asha', false],
  ['asha@example.com.', false],
  ['asha@.example.com', false],
  ['@example.com', false],
  ['a b@example.com', false],
  ['a@b@example.com', false],
  ['a@example.com, b@example.com', false],
  ['<a@example.com>', false],
  ['a"b@example.com', false],
  ['a\\b@example.com', false],
  ['a\u00a0b@example.com', false],
  ['a\u0007@example.com', false],
  // Marks of direction, format characters, and characters that Unicode says to ignore although they are letters or marks.
  ['\u202easha@example.com', false],
  ['asha\u200b@example.com', false],
  ['asha@\u2066example\u2069.com', false],
  ['asha\u00ad@example.com', false],
  ['asha\u034f@example.com', false],
  ['asha\u115f@example.com', false],
  ['asha\u3164@example.com', false],
  ['asha\uffa0@example.com', false],
  ['asha\ufe0f@example.com', false],
  ['asha\ue000@example.com', false],
  ['asha\u{e0101}@example.com', false],
  ['asha@example.\u0378\u0378', false],
]

/** Addresses in the operator's own network. A visitor who types one of them has forgotten the end. */
const OWN_NETWORK = ['asha@example', 'asha@example.t']

const SIGN_UP = 'the sign-up page'

/** Each door, with a function that returns true if the door accepts the address. No door stores anything. */
const DOORS: Record<string, (address: string) => Promise<boolean> | boolean> = {
  'the exported check': isEmailAddress,
  'the admin command': (email) => {
    try {
      return optionalEmail({ email }) === email.toLowerCase()
    } catch {
      return false
    }
  },
  'an invitation of the API': async (email) => {
    const { body } = await world.post('/v1/merchant/members', { email, role: 'NO_ROLE' }, { key: admin })
    return !fieldsOf(body).includes('email')
  },
  'an invoice of the API': async (customer_email) => {
    const { body } = await world.post('/v1/invoices', { ...INVOICE, customer_email, due_date: 'never' })
    return !fieldsOf(body).includes('customer_email')
  },
  [SIGN_UP]: async (email) => {
    const payload = String(new URLSearchParams({ email, password: 'short', name: 'Asha', business_name: 'Duka' }))
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
    const url = '/identity/sign-up?lang=en'
    const { status, text } = await world.call({ method: 'POST', url, payload, headers, key: null })
    assert.equal(status, 400)
    assert.match(text, /at least 8/, 'the page refuses the password in any case')
    return !/Enter a whole e-mail address|Enter at most 254 characters/.test(text)
  },
}

// biome-ignore lint/suspicious/noExplicitAny: the answers of the API have no type here
function fieldsOf(body: any): string[] {
  assert.equal(body.error.code, 'validation_failed')
  return body.error.details.fields.map(({ field }: { field: string }) => field)
}

for (const [door, accepts] of Object.entries(DOORS)) {
  test(`${door} accepts exactly the valid e-mail addresses of the table`, async () => {
    for (const [address, is_valid] of CASES) assert.equal(await accepts(address), is_valid, JSON.stringify(address))
    for (const address of OWN_NETWORK) assert.equal(await accepts(address), door !== SIGN_UP, address)
  })
}
