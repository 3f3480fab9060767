import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createRedaction } from './redact.ts'

it('the redaction removes every occurrence of a secret, but no secret that is too short', () => {
  const { clean } = createRedaction(['the-api-secret', '1234'])
  assert.equal(clean('a the-api-secret, and the-api-secret of 1234'), 'a [redacted], and [redacted] of 1234')
})

it('the redaction removes the newest temporary secrets up to its limit, and the fixed secrets too', () => {
  const { add, clean } = createRedaction(['the-api-secret'], 2)
  for (const session of ['session-one', 'session-two', 'session-three']) add(session)
  assert.equal(
    clean('session-one session-two session-three the-api-secret'),
    'session-one [redacted] [redacted] [redacted]',
  )
})
