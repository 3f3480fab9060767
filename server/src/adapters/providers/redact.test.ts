import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createRedaction } from './redact.ts'

it('the redaction removes every occurrence of a secret, and keeps texts that are too short for a secret', () => {
  const { clean } = createRedaction(['the-api-secret', '1234'])
  assert.equal(clean('a the-api-secret, and the-api-secret of 1234'), 'a [redacted], and [redacted] of 1234')
})

it('the redaction also removes the newest temporary secrets, up to its limit', () => {
  const { add, clean } = createRedaction(['the-api-secret'], 2)
  for (const session of ['session-one', 'session-two', 'session-three']) add(session)
  assert.equal(
    clean('session-one session-two session-three the-api-secret'),
    'session-one [redacted] [redacted] [redacted]',
  )
})
