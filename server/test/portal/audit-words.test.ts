// Tests that the consoles name each action and each kind of record of the audit log in words.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { auditTargets } from '../../../web/operator/platform/audit-targets.ts'
import { auditName, auditWords } from '../../../web/ui/audit-words.ts'
import { MERCHANT_ACTIONS, OPERATOR_ACTIONS } from '../../src/books/audit/actions.ts'

test('both consoles name each action of the audit log in Swahili and in English, and no other action', () => {
  const actions = [...MERCHANT_ACTIONS, ...OPERATOR_ACTIONS].sort()
  for (const language of ['sw', 'en'] as const)
    assert.deepEqual(Object.keys(auditWords[language]).sort(), actions, language)
})

test("the operators' console names each kind of record that the server writes into the audit log, and no other kind", () => {
  // The sources write most kinds as text. For webhooks, the kind is the first part of the action.
  const sources = globSync('server/src/**/*.ts', { exclude: ['**/*.test.ts'] }).map((path) =>
    readFileSync(path, 'utf8'),
  )
  const written = sources.flatMap((text) => [...text.matchAll(/target_type: '(\w+)'/g)].map(([, kind = '']) => kind))
  const of_webhooks = MERCHANT_ACTIONS.map((action) => action.replace(/\..*/, '')).filter((kind) =>
    /^webhook/.test(kind),
  )
  const kinds = [...new Set([...written, ...of_webhooks])].sort()
  for (const language of ['sw', 'en'] as const)
    assert.deepEqual(Object.keys(auditTargets[language]).sort(), kinds, language)
})

test("both consoles name a merchant's decision about a withdrawal a simulation, and an operator's decision by its action", () => {
  for (const action of ['withdrawal.approve', 'withdrawal.reject', 'withdrawal.request_info']) {
    for (const kind of ['user', 'api_key']) {
      assert.equal(auditName(action, kind, 'en'), 'Simulated the outcome of a withdrawal')
      assert.equal(auditName(action, kind, 'sw'), 'Aliigiza matokeo ya utoaji pesa')
    }
    assert.equal(auditName(action, 'operator', 'en'), auditWords.en[action])
  }
  assert.equal(auditName('withdrawal.cancel', 'user', 'en'), 'Cancelled a withdrawal')
})
