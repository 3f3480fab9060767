// Tests that the consoles name each action and each kind of record of the audit log in words.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { auditTargets } from '../../../web/operator/platform/audit-targets.ts'
import { auditWords } from '../../../web/ui/audit-words.ts'
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
