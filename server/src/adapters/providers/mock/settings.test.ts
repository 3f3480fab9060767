// Tests that the server refuses an invalid setting of the mock provider and names the variable.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PRODUCTION_SETTINGS, refusedFor } from '../../../../test/providers/settings.ts'
import { settings } from './settings.ts'

const BAD: [string, string[]][] = [
  ['MOCK_SUCCESS_RATE', ['1.1', '-0.1', 'often', '']],
  ['MOCK_DELAY_MS', ['-1', '1.5', 'soon']],
]
for (const [name, values] of BAD) {
  test(`the server refuses a bad value of ${name} and names the variable`, () => {
    for (const value of values) assert.deepEqual(refusedFor({ [name]: value }), [name], JSON.stringify(value))
  })
}

for (const value of [settings.secret.default, '']) {
  test(`production refuses MOCK_SECRET=${value === '' ? '(empty)' : value} and names the variable`, () => {
    assert.deepEqual(refusedFor({ ...PRODUCTION_SETTINGS, MOCK_SECRET: value }), ['MOCK_SECRET'])
  })
}
