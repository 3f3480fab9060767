// Tests that the consoles and the pages of payers read a pasted phone number in the same way.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainNumber, readPhone } from '../../../web/ui/phone-number.ts'
import { typedPhone } from '../../src/kernel/lib/phone.ts'

const PASTED = [
  '0754 123 001',
  '\u202a+255 754 123 001\u202c',
  '\u2066+255754123001\u2069',
  '\u200e0754123001\u200f',
  '\u200b0754123001\ufeff',
  '0754\u00a0123\u202f001',
  '0754.123.001',
  '(0754) 123 001',
  '0754\u2013123\u2011001',
  '00255754123001',
  '+(255) 754-123-001',
  '+255 0754 123 001',
  '255 (0)754 123 001',
  '00255 0754 123 001',
  '\t754123001\r\n',
]
const NO_MOBILE_NUMBERS = [
  '',
  '(022) 211 1234',
  '0754 ABC 456',
  '0754,123,001',
  '00254712345678',
  '++255754123001',
  '+0754123001',
]

/** Returns the text with an escape in place of each character that is not ASCII or not visible. */
const escaped = (text: string) =>
  text.replace(/[^ -~]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

for (const text of PASTED) {
  test(`forms read the pasted number "${escaped(text)}" as 255754123001`, () => {
    assert.deepEqual([readPhone(text), typedPhone(text)], ['255754123001', '255754123001'])
  })
}

for (const text of NO_MOBILE_NUMBERS) {
  test(`forms read no mobile number in "${escaped(text)}"`, () => {
    assert.deepEqual([readPhone(text), typedPhone(text)], [null, null])
  })
}

test('the number of a support phone keeps its groups, without brackets, dots and invisible marks', () => {
  assert.equal(plainNumber('\u202a(022) 211 1234\u202c'), '022 211 1234')
  assert.equal(plainNumber('+(255)\u00a022.211\u20131234'), '+255 22 211-1234')
})
