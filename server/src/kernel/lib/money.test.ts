// Tests amounts in requests and answers: the texts that the parser accepts, and the texts that the server writes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { amountAsNumber, formatAmount, parseAmount } from './money.ts'

/** Any 16-bit code unit, including a lone surrogate or a control character. */
const codeUnit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code))

const READ: [string, bigint][] = [
  ['1', 100n],
  ['0.01', 1n],
  ['0.1', 10n],
  ['00.10', 10n],
  ['10', 1_000n],
  ['10.5', 1_050n],
  ['10.50', 1_050n],
  ['25000.00', 2_500_000n],
  ['000025000', 2_500_000n],
  ['90071992547409.92', 2n ** 53n],
]
for (const [text, minor] of READ) {
  test(`parseAmount returns ${minor} cents for "${text}"`, () => assert.equal(parseAmount(text), minor))
}

const REFUSED: Record<string, string[]> = {
  malformed: [
    '',
    ' ',
    'abc',
    '+1',
    ' 1',
    '1 ',
    '1,000',
    '1_000',
    '1e3',
    '1E3',
    '0x10',
    '1.',
    '.5',
    '.',
    '-',
    '1.2.3',
    '--1',
    'NaN',
    'Infinity',
    '١٠',
    '１０',
    '1\n',
    '1\0',
    `${'9'.repeat(70)}`,
  ],
  too_precise: ['1.001', '0.001', '10.500', '10.000', `1.${'0'.repeat(21)}`, `1.${'0'.repeat(25)}1`],
  not_positive: ['0', '0.0', '0.00', '000', '-1', '-0', '-0.01', '-25000.00'],
  too_large: ['90071992547409.93', '999999999999999', '1000000000000000', '9'.repeat(40)],
}
for (const [problem, texts] of Object.entries(REFUSED)) {
  for (const text of texts) {
    test(`parseAmount refuses ${JSON.stringify(text.slice(0, 30))} as ${problem}`, () =>
      assert.equal(parseAmount(text), problem))
  }
}

test('parseAmount reads the formatted text of every storable amount exactly to the cent', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 2n ** 53n }), (minor) => {
      assert.equal(parseAmount(formatAmount(minor)), minor)
    }),
  )
})

test('a JSON number is exact to the cent for every amount that the settings allow', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 99_999_999_999_999n }), (minor) => {
      assert.equal(parseAmount(String(amountAsNumber(minor))), minor)
    }),
  )
})

test('parseAmount returns a positive amount or a reason for any text, and never throws', () => {
  fc.assert(
    fc.property(fc.string({ unit: codeUnit, maxLength: 80 }), (text) => {
      const result = parseAmount(text)
      if (typeof result === 'bigint') assert.ok(result > 0n && result <= 2n ** 53n)
    }),
  )
})

test('formatAmount writes two decimals, even for an amount below zero', () => {
  assert.deepEqual([0n, 1n, 10n, 99n, 100n, -1n, -100n, -2_500_050n].map(formatAmount), [
    '0.00',
    '0.01',
    '0.10',
    '0.99',
    '1.00',
    '-0.01',
    '-1.00',
    '-25000.50',
  ])
})
