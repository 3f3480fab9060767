// Amounts at the edges: what a merchant may write, and what comes out again.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { amountAsNumber, formatAmount, parseAmount } from './money.ts'

/** Any 16 bits of a text, lone surrogates and control characters too. */
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
  test(`"${text}" is read as ${minor} cents`, () => assert.equal(parseAmount(text), minor))
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
    test(`${JSON.stringify(text.slice(0, 30))} is refused as ${problem}`, () =>
      assert.equal(parseAmount(text), problem))
  }
}

test('every amount that can be stored is read back from its own text, to the cent', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 2n ** 53n }), (minor) => {
      assert.equal(parseAmount(formatAmount(minor)), minor)
    }),
  )
})

test('every amount within the largest limit that can be configured is a JSON number that reads back to the same cents', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 99_999_999_999_999n }), (minor) => {
      assert.equal(parseAmount(String(amountAsNumber(minor))), minor)
    }),
  )
})

test('any text at all is either read as a positive amount or refused with a reason, never with an exception', () => {
  fc.assert(
    fc.property(fc.string({ unit: codeUnit, maxLength: 80 }), (text) => {
      const result = parseAmount(text)
      if (typeof result === 'bigint') assert.ok(result > 0n && result <= 2n ** 53n)
    }),
  )
})

test('amounts are shown with two decimals, also below zero', () => {
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
