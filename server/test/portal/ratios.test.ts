// Tests that the operators' console rounds the comparisons of a withdrawal.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timesOf } from '../../../web/operator/withdrawals/ratios.ts'

test('a comparison of two amounts is rounded to one decimal and not cut', () => {
  assert.equal(timesOf('1545.00', '100.00'), '15.5')
  assert.equal(timesOf('1544.99', '100.00'), '15.4')
  assert.equal(timesOf('1995.00', '100.00'), '20.0')
  assert.equal(timesOf('20000.00', '28.57'), '700.0')
  assert.equal(timesOf('123456700.00', '10000.00'), '12345.7')
  assert.equal(timesOf('100.00', '0.00'), null)
})
