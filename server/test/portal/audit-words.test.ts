// Tests that the consoles name each action of the audit log in words.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditWords } from '../../../web/ui/audit-words.ts'
import { MERCHANT_ACTIONS, OPERATOR_ACTIONS } from '../../src/books/audit/actions.ts'

test('both consoles name each action of the audit log in Swahili and in English, and no other action', () => {
  const actions = [...MERCHANT_ACTIONS, ...OPERATOR_ACTIONS].sort()
  for (const language of ['sw', 'en'] as const)
    assert.deepEqual(Object.keys(auditWords[language]).sort(), actions, language)
})
