// Tests that the server refuses an invalid setting of Vodacom and names the variable.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusedFor } from '../../../../test/providers/settings.ts'

const BAD: [string, string[]][] = [
  ['VODACOM_URL', ['vodacom', 'https://openapi.example', 'https://openapi.example/openapi/ipg/v2']],
  ['VODACOM_NOT_FOUND_CODES', [';', '23', 'INS-23;INS-24', 'INS-23,']],
  ['VODACOM_ORIGIN', ['', 'a b']],
  ['VODACOM_FAILED_STATES', ['Failed', 'Failed=a,Failed=b']],
  ['VODACOM_SESSION_LIFE_S', ['0', '']],
]
for (const [name, values] of BAD) {
  test(`the server refuses a bad value of ${name} and names the variable`, () => {
    for (const value of values) assert.deepEqual(refusedFor({ [name]: value }), [name], JSON.stringify(value))
  })
}
