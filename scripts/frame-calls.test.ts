// Tests which calls still get their answers in the pictures of pages that wait or have failed.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFrameCall } from './frame-calls.ts'

const at = (path: string) => `http://127.0.0.1:8080/v1/${path}`

test('the calls of the frames of both consoles, and the call for the destinations, are frame calls', () => {
  for (const path of [
    ...['me', 'me/attention?environment=live', 'operator/queue?environment=live', 'merchant/attention'],
    ...['session', 'destinations'],
  ])
    assert.ok(isFrameCall(at(path)), path)
})

test('the calls of pages for their own data are no frame calls', () => {
  for (const path of [
    ...['operator/withdrawals?page=1', 'operator/payout-pauses?page=1&page_size=20', 'operator/decisions'],
    ...['operator/webhooks', 'operator/providers/health?hours=24', 'operator/queues', 'operator/system'],
    ...['operator/audit-log', 'operator/ip-addresses', 'operator/merchants', 'operator/messages', 'sessions'],
  ])
    assert.ok(!isFrameCall(at(path)), path)
})
