// Tests that the search for a record reports each failure of the search for an event. A scripted server makes the failures.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { type ScriptedAnswer, type ScriptedServer, startScriptedServer } from '../../conformance/scripted-server.ts'
import { createApi } from '../src/api.ts'
import { findRecord } from '../src/records.ts'

let server: ScriptedServer

before(async () => {
  server = await startScriptedServer()
})
after(() => server.close())

const FAILURES: readonly [string, ScriptedAnswer, RegExp][] = [
  [
    'does not know the key',
    { status: 401, error: { code: 'invalid_api_key' } },
    /^The server does not know this key\./,
  ],
  ['has a rate limit', { status: 429, error: { code: 'rate_limited' } }, /Retry-After: \? s\.$/],
  ['fails', { status: 500, error: { code: 'internal_error' } }, /^The scripted server refuses\.$/],
  ['closes the connection', 'reset', /^No answer from http/],
]

for (const [does, answer, message] of FAILURES) {
  test(`the search for a record does not say that the record is missing when the server ${does}`, async () => {
    const missing: ScriptedAnswer = { status: 404, error: { code: 'not_found' } }
    // The tool queries the five kinds of records before the events.
    const { base_url, requests } = server.script([...Array.from({ length: 5 }, () => missing), answer])
    const api = createApi({ base_url, key: 'service_sandbox_abcdefgh' }, () => {})
    await assert.rejects(findRecord(api, randomUUID()), { message })
    assert.equal(requests.at(-1)?.path, '/v1/events')
  })
}
