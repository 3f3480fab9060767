// Tests the charges of a payment to the cent, with amounts that a person calculated and with random values.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { formatAmount, parseFee } from '../../kernel/lib/index.ts'
import { chargesOf, NO_CHARGES, percentageOf } from './charges.ts'
import { parsePercentage } from './read-rules.ts'

const cents = (text: string): bigint => {
  const minor = parseFee(text)
  assert.ok(typeof minor === 'bigint', text)
  return minor
}

type Case = [amount: string, percent: string, flat: string, charge: string, passed: boolean, share: string, all: string]

// Each case has an amount, a percentage, a flat fee, a processor charge and the pass-through flag. The expected percentage fee
// and total charges follow.
const CASES: Case[] = [
  // The charges of these cases are zero.
  ['1000.00', '0', '0', '0', false, '0.00', '0.00'],
  ['0.01', '0.00', '0.00', '0.00', true, '0.00', '0.00'],
  ['90071992547409.92', '0', '0', '0', false, '0.00', '0.00'],
  // These results are whole cents without rounding.
  ['25000.00', '1.50', '0', '0', false, '375.00', '375.00'],
  ['25000.00', '1.50', '500.00', '0', false, '375.00', '875.00'],
  ['10000.00', '2.00', '0', '250.00', true, '200.00', '450.00'],
  ['10000.00', '2.00', '0', '250.00', false, '200.00', '200.00'],
  ['10000.00', '0', '1000.00', '0', false, '0.00', '1000.00'],
  ['100.00', '0.01', '0', '0', false, '0.01', '0.01'],
  ['200000.00', '0.75', '0', '0', false, '1500.00', '1500.00'],
  // These results are exactly half a cent, and the function rounds them up.
  ['1.00', '0.50', '0', '0', false, '0.01', '0.01'],
  ['3.00', '0.50', '0', '0', false, '0.02', '0.02'],
  ['5.00', '0.50', '0', '0', false, '0.03', '0.03'],
  ['0.50', '1.00', '0', '0', false, '0.01', '0.01'],
  ['50.00', '0.01', '0', '0', false, '0.01', '0.01'],
  ['150.00', '0.01', '0', '0', false, '0.02', '0.02'],
  ['0.01', '50.00', '0', '0', false, '0.01', '0.01'],
  ['0.03', '50.00', '0', '0', false, '0.02', '0.02'],
  ['0.10', '5.00', '0', '0', false, '0.01', '0.01'],
  ['0.30', '5.00', '0', '0', false, '0.02', '0.02'],
  ['0.02', '25.00', '0', '0', false, '0.01', '0.01'],
  ['0.06', '25.00', '0', '0', false, '0.02', '0.02'],
  ['2.50', '0.20', '0', '0', false, '0.01', '0.01'],
  ['0.20', '2.50', '0', '0', false, '0.01', '0.01'],
  ['1234.50', '1.00', '0', '0', false, '12.35', '12.35'],
  ['999999999.50', '1.00', '0', '0', false, '10000000.00', '10000000.00'],
  // Slightly less than half a cent becomes zero, and slightly more becomes one cent.
  ['49.99', '0.01', '0', '0', false, '0.00', '0.00'],
  ['50.01', '0.01', '0', '0', false, '0.01', '0.01'],
  ['0.01', '49.99', '0', '0', false, '0.00', '0.00'],
  ['0.01', '50.01', '0', '0', false, '0.01', '0.01'],
  ['1.00', '0.49', '0', '0', false, '0.00', '0.00'],
  ['1234.49', '1.00', '0', '0', false, '12.34', '12.34'],
  ['1234.51', '1.00', '0', '0', false, '12.35', '12.35'],
  ['33.33', '3.33', '0', '0', false, '1.11', '1.11'],
  ['66.67', '6.67', '0', '0', false, '4.45', '4.45'],
  ['101.01', '33.33', '0', '0', false, '33.67', '33.67'],
  ['777.77', '7.77', '7.77', '0', false, '60.43', '68.20'],
  // The fee is the whole amount, or nearly the whole amount.
  ['1000.00', '100', '0', '0', false, '1000.00', '1000.00'],
  ['0.01', '100.00', '0.01', '0', false, '0.01', '0.02'],
  ['90071992547409.92', '100', '0', '0', false, '90071992547409.92', '90071992547409.92'],
  ['0.01', '99.99', '0', '0', false, '0.01', '0.01'],
  ['100.00', '99.99', '0', '0', false, '99.99', '99.99'],
  // These cases have the smallest and the largest amounts.
  ['0.01', '0.01', '0', '0', false, '0.00', '0.00'],
  ['0.01', '1.50', '0.01', '0.01', true, '0.00', '0.02'],
  ['1000000000.00', '0.01', '0', '0', false, '100000.00', '100000.00'],
  ['1000000000.00', '2.55', '0.99', '0', false, '25500000.00', '25500000.99'],
  ['999999999.99', '99.99', '0', '0', false, '999899999.99', '999899999.99'],
  ['90071992547409.91', '0.01', '0', '0', false, '9007199254.74', '9007199254.74'],
  ['90071992547409.92', '33.33', '0', '0', false, '30020995116051.73', '30020995116051.73'],
  // If the pass-through flag is true, the total includes the processor charge once and without rounding.
  ['1.00', '0.50', '0.50', '0.49', true, '0.01', '1.00'],
  ['1.00', '0.50', '0.50', '0.49', false, '0.01', '0.51'],
  ['1.00', '0.49', '0', '0.01', true, '0.00', '0.01'],
  ['25000.00', '1.50', '500.00', '1180.00', true, '375.00', '2055.00'],
  ['25000.00', '1.50', '500.00', '1180.00', false, '375.00', '875.00'],
  ['0.01', '0', '0', '5000.00', true, '0.00', '5000.00'],
  ['0.01', '0', '0', '5000.00', false, '0.00', '0.00'],
]

function charged([amount, percentage, flat, charge, processor_fee_pass_through]: Case) {
  const percentage_hundredths = parsePercentage(percentage)
  assert.ok(percentage_hundredths !== null)
  const rule = {
    percentage_hundredths,
    flat_fee_minor: cents(flat),
    processor_charge_minor: cents(charge),
    processor_fee_pass_through,
  }
  return chargesOf(rule, cents(amount))
}

describe('charges with known results', () => {
  for (const one of CASES) {
    const [amount, percentage, flat, charge, passed, share, all] = one
    test(`a fee of ${percentage} % of ${amount} is ${share}, and with flat fee ${flat} and ${passed ? 'passed-on' : 'absorbed'} processor charge ${charge} the charges are ${all}`, () => {
      const { percentage_fee_minor, total_charges_minor, ...rest } = charged(one)
      assert.equal(formatAmount(percentage_fee_minor), share)
      assert.equal(formatAmount(total_charges_minor), all)
      assert.deepEqual(rest, {
        flat_fee_minor: cents(flat),
        processor_charge_minor: cents(charge),
        processor_fee_pass_through: passed,
      })
    })
  }
})

const amounts = fc.oneof(fc.bigInt(0n, 20_000n), fc.bigInt(0n, 2n ** 53n))
const percentages = fc.integer({ min: 0, max: 10_000 })
const fees = fc.bigInt(0n, 10n ** 12n)

describe('percentages of any amount', () => {
  test('percentageOf rounds to the nearest cent, and rounds half a cent up', () => {
    fc.assert(
      fc.property(amounts, percentages, (amount, hundredths) => {
        // `away` is the rounding error in ten-thousandths of a cent: the rounded fee minus the exact fee.
        const away = percentageOf(amount, hundredths) * 10_000n - amount * BigInt(hundredths)
        assert.ok(away > -5_000n && away <= 5_000n, `${away} ten-thousandths of a cent`)
      }),
      { numRuns: 2_000 },
    )
  })

  test('percentageOf equals the result of a long division that calculates the remainder separately', () => {
    fc.assert(
      fc.property(amounts, percentages, (amount, hundredths) => {
        const exact = amount * BigInt(hundredths)
        const remainder = exact % 10_000n
        const expected = exact / 10_000n + (remainder >= 5_000n ? 1n : 0n)
        assert.equal(percentageOf(amount, hundredths), expected)
      }),
      { numRuns: 2_000 },
    )
  })

  test('percentageOf never decreases when the amount or the percentage grows, and never exceeds the amount', () => {
    fc.assert(
      fc.property(amounts, fc.bigInt(0n, 1_000_000n), percentages, percentages, (amount, more, one, other) => {
        const [low, high] = one < other ? [one, other] : [other, one]
        const share = percentageOf(amount, low)
        assert.ok(share <= percentageOf(amount + more, low))
        assert.ok(share <= percentageOf(amount, high))
        assert.ok(share >= 0n && share <= amount)
      }),
      { numRuns: 2_000 },
    )
  })

  test('at least as much money remains after the percentage fee of a larger amount as after the fee of a smaller amount', () => {
    fc.assert(
      fc.property(amounts, fc.bigInt(0n, 1_000n), percentages, (amount, more, hundredths) => {
        const left = (of: bigint) => of - percentageOf(of, hundredths)
        assert.ok(left(amount) <= left(amount + more))
      }),
      { numRuns: 2_000 },
    )
  })

  test('percentageOf throws an error when the amount or the percentage is negative', () => {
    assert.throws(() => percentageOf(-1n, 100), /broken invariant/)
    assert.throws(() => percentageOf(1n, -100), /broken invariant/)
  })
})

describe('charges of any price rule', () => {
  test('the total charges are the sum of their parts, and include the processor charge only when the pass-through flag is true', () => {
    fc.assert(
      fc.property(amounts, percentages, fees, fees, fc.boolean(), (amount, hundredths, flat, charge, passed) => {
        const rule = {
          percentage_hundredths: hundredths,
          flat_fee_minor: flat,
          processor_charge_minor: charge,
          processor_fee_pass_through: passed,
        }
        const charges = chargesOf(rule, amount)
        assert.equal(charges.percentage_fee_minor, percentageOf(amount, hundredths))
        assert.equal(charges.total_charges_minor, charges.percentage_fee_minor + flat + (passed ? charge : 0n))
      }),
    )
  })

  test('the charges of a price rule without fees are zero', () => {
    const { processor_fee_pass_through } = NO_CHARGES
    const rule = {
      percentage_hundredths: 0,
      flat_fee_minor: 0n,
      processor_charge_minor: 0n,
      processor_fee_pass_through,
    }
    assert.deepEqual(chargesOf(rule, 123_456n), NO_CHARGES)
  })
})
