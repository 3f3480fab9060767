import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createRedaction } from './redact.ts'

it('no secret is left in a text, however often it stands there; what is too short for one stays', () => {
  const { clean } = createRedaction(['the-api-secret', '1234'])
  assert.equal(clean('a the-api-secret, and the-api-secret of 1234'), 'a [redacted], and [redacted] of 1234')
})

it('secrets that come and go are taken out too, the newest of them', () => {
  const { add, clean } = createRedaction(['the-api-secret'], 2)
  for (const session of ['session-one', 'session-two', 'session-three']) add(session)
  assert.equal(
    clean('session-one session-two session-three the-api-secret'),
    'session-one [redacted] [redacted] [redacted]',
  )
})
