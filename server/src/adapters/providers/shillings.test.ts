import assert from 'node:assert/strict'
import { it } from 'node:test'
import { shillingsOf } from './shillings.ts'

it('shillingsOf converts an amount of whole Tanzanian shillings, and returns null for any other amount', () => {
  assert.equal(shillingsOf(500_000n, 'TZS'), 5000)
  assert.equal(shillingsOf(100n, 'TZS'), 1)
  for (const amount_minor of [0n, -100n, 99n, 150n, 2n ** 70n * 100n])
    assert.equal(shillingsOf(amount_minor, 'TZS'), null)
  assert.equal(shillingsOf(500_000n, 'USD'), null)
})
