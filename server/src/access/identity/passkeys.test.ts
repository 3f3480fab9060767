// Tests the domain and the origin for which a passkey is valid. server/test/portal/passkeys.test.ts tests passkeys in a
// browser.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { relyingParty } from './passkeys.ts'

test('a passkey has the domain of the public address, and works only on its pages with TLS or on localhost', () => {
  const base = 'https://malipo.example.tz'
  assert.deepEqual(relyingParty(base), { domain: 'malipo.example.tz', origin: base })
  const operators = 'https://ops.malipo.example.tz/operator/callback'
  assert.deepEqual(relyingParty(base, operators), {
    domain: 'malipo.example.tz',
    origin: 'https://ops.malipo.example.tz',
  })
  assert.deepEqual(relyingParty('http://localhost:8080'), { domain: 'localhost', origin: 'http://localhost:8080' })
  for (const [base_url, page] of [
    ['http://127.0.0.1:8080'],
    ['https://[2001:db8::1]'],
    ['http://malipo.example.tz'],
    [base, 'https://example.tz/operator/callback'],
    [base, 'https://evilmalipo.example.tz/operator/callback'],
    [base, 'http://malipo.example.tz/operator/callback'],
  ] as const) {
    assert.equal(page ? relyingParty(base_url, page) : relyingParty(base_url), null, page ?? base_url)
  }
})
