// Tests the choice of a price rule with random price lists and payments.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { chooseRule, FLOW_METHODS, FLOWS, type RuleScope } from './choose-rule.ts'
import { formatPercentage, parsePercentage } from './read-rules.ts'

const CODES = ['MPESA', 'AIRTEL', 'CRDB']
const payments = fc.constantFrom(...FLOWS).chain((flow) =>
  fc.record({
    flow: fc.constant(flow),
    method: fc.constantFrom(...FLOW_METHODS[flow]),
    destination_code: fc.option(fc.constantFrom(...CODES)),
  }),
)
const scopes = fc.constantFrom(...FLOWS).chain((flow) =>
  fc.record({
    flow: fc.constant(flow),
    method: fc.option(fc.constantFrom(...FLOW_METHODS[flow])),
    destination_code: fc.option(fc.constantFrom(...CODES)),
  }),
)
/** Generates price lists that the database accepts: no two rules have the same flow, method and destination. */
const lists = fc.uniqueArray(scopes, { selector: (rule) => JSON.stringify(Object.values(rule)), maxLength: 40 })

/** Returns the keys of the rules that could apply to a payment or payout, the most specific rule first. */
function inOrder({
  flow,
  method,
  destination_code,
}: {
  flow: string
  method: string
  destination_code: string | null
}) {
  const bySpecificity = [
    [method, destination_code],
    [null, destination_code],
    [method, null],
    [null, null],
  ]
  return bySpecificity.map(([m, d]) => JSON.stringify([flow, m, d]))
}

const scopeOf = ({ flow, method, destination_code }: RuleScope) => JSON.stringify([flow, method, destination_code])

test('chooseRule returns the most specific rule that applies to the payment, and null when no rule applies', () => {
  fc.assert(
    fc.property(lists, payments, (rules, payment) => {
      const expected = inOrder(payment).find((scope) => rules.some((rule) => scopeOf(rule) === scope))
      const chosen = chooseRule(rules, payment)
      assert.equal(chosen === null ? undefined : scopeOf(chosen), expected)
    }),
  )
})

test('chooseRule returns the same rule for any order of the rules, and ignores rules that do not apply', () => {
  fc.assert(
    fc.property(lists, payments, (rules, payment) => {
      const chosen = chooseRule(rules, payment)
      assert.equal(chooseRule(rules.toReversed(), payment), chosen)
      const others = rules.filter((rule) => rule === chosen || !inOrder(payment).includes(scopeOf(rule)))
      assert.equal(chooseRule(others, payment), chosen)
    }),
  )
})

test('parsePercentage parses each text of formatPercentage without loss, and returns null for a text that is no percentage', () => {
  for (let hundredths = 0; hundredths <= 10_000; hundredths++) {
    assert.equal(parsePercentage(formatPercentage(hundredths)), hundredths)
  }
  assert.deepEqual(['0', '1.5', '1.50', '100', '100.00'].map(parsePercentage), [0, 150, 150, 10_000, 10_000])
  for (const text of ['', '-1', '+1', '1.', '.5', '1.505', '1,5', '1e1', ' 1', '100.01', '1000', 'NaN', '١']) {
    assert.equal(parsePercentage(text), null, text)
  }
})
