// Tests that the adapter and the book of the mock provider agree about payouts over HTTP, even after faults and invalid
// answers.

import assert from 'node:assert/strict'
import type { Server } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { Pool } from 'undici'
import {
  describePayoutOutcome,
  listen,
  PROFILE,
  pause,
  payoutOf,
  SECRET,
  SETTLED_MS,
  urlOf,
} from '../../../../test/mock-providers.ts'
import type { PayoutRequest } from '../port.ts'
import { post } from './post.ts'
import { createRemoteMockProvider, type RemoteMockProvider } from './remote.ts'
import { type MockServer, startMockServer } from './server-app.ts'

const NOT_FOUND = { kind: 'not_found', provider_status: 'NOT_FOUND' }

/** Starts a mock provider without callbacks. */
function start(): Promise<MockServer> {
  return startMockServer({ port: 0, host: '127.0.0.1', profile: PROFILE, secret: SECRET, callback_url: null })
}

describe('payouts of the mock over HTTP with faults', () => {
  let server: MockServer
  let provider: RemoteMockProvider
  before(async () => {
    server = await start()
    provider = createRemoteMockProvider({ name: 'mock', url: server.url, secret: SECRET, timeout_ms: 2_000 })
  })
  after(async () => {
    await provider.close()
    await server.close()
  })
  const entryOf = ({ reference }: PayoutRequest) =>
    server.book({ full: true }).payouts.entries?.find((entry) => entry.reference === reference)

  it('the provider executes a payout once although its answers come too late, and later reports the payout as paid', async () => {
    const request = payoutOf('456')
    server.setFaults({ hang_rate: 1 })
    assert.equal(describePayoutOutcome(await provider.payout(request)), 'timeout')
    assert.equal(describePayoutOutcome((await provider.payoutStatus([request]))[0]), 'timeout')
    server.setFaults({ hang_rate: 0 })
    await pause(SETTLED_MS)
    assert.equal(describePayoutOutcome((await provider.payoutStatus([request]))[0]), 'succeeded')
    assert.equal(describePayoutOutcome(await provider.payout(request)), 'accepted')
    const { requests, executions } = entryOf(request) ?? {}
    assert.deepEqual({ requests, executions }, { requests: 2, executions: 1 })
  })

  it('the provider answers an error to two payouts, and a query finds only the payout that the provider executed', async () => {
    const requests = [payoutOf('456'), payoutOf('456')]
    // Every second fault prevents the execution of the payout.
    server.setFaults({ error_rate: 1 })
    for (const request of requests) assert.equal(describePayoutOutcome(await provider.payout(request)), 'unreachable')
    server.setFaults({ error_rate: 0 })
    await pause(SETTLED_MS)
    const answers = await provider.payoutStatus(requests)
    assert.deepEqual(answers.map(describePayoutOutcome).sort(), ['not_found', 'succeeded'])
    for (const [i, request] of requests.entries()) {
      assert.equal(entryOf(request)?.executions, answers[i]?.kind === 'succeeded' ? 1 : undefined)
    }
  })

  it('the adapter reports an unknown outcome of a payout, never not_sent, when the connection breaks after the client wrote the request', async () => {
    server.setFaults({ down: true })
    assert.equal(describePayoutOutcome(await provider.payout(payoutOf('456'))), 'unreachable')
    assert.deepEqual((await provider.payoutStatus([payoutOf('456'), payoutOf('456')])).map(describePayoutOutcome), [
      'unreachable',
      'unreachable',
    ])
    server.setFaults({ down: false })
    assert.equal(describePayoutOutcome(await provider.payout(payoutOf('456'))), 'accepted')
  })

  it('the adapter reports not_sent for a payout and unknown for a query, without a secret, when nothing listens at the address', async () => {
    const gone = createRemoteMockProvider({ name: 'mock', url: 'http://127.0.0.1:1', secret: SECRET })
    assert.deepEqual(await gone.payout(payoutOf('456')), { kind: 'not_sent', provider_status: null })
    const unreachable = { kind: 'unknown', why: 'unreachable', provider_status: null }
    assert.deepEqual(await gone.payoutStatus([payoutOf('456')]), [unreachable])
    await gone.close()
  })

  it('the client does not send a request whose timeout ends during the wait for a connection', async () => {
    const arrived: string[] = []
    const silent = await listen(
      (_headers, body) => arrived.push(JSON.parse(body.toString()).reference),
      () => null,
    )
    const pool = new Pool(urlOf(silent), { connections: 1, pipelining: 1 })
    const send = (reference: string, timeout_ms: number) =>
      post(pool, '/payouts', {}, JSON.stringify({ reference }), timeout_ms)
    try {
      const first = send('FIRST', 1_500)
      while (arrived.length === 0) await pause(5)
      assert.deepEqual(await send('SECOND', 50), { failed: 'timeout', unsent: true })
      assert.deepEqual(await first, { failed: 'timeout', unsent: false })
      // The second request timed out. When the connection is free, the client skips that request and writes the third
      // request.
      assert.deepEqual(await send('THIRD', 500), { failed: 'timeout', unsent: false })
      assert.deepEqual(arrived, ['FIRST', 'THIRD'])
    } finally {
      await pool.destroy()
      silent.closeAllConnections()
      silent.close()
    }
  })

  it('a query for 1,203 payouts finds the one existing payout and reports the others as not_found', async () => {
    const requests = Array.from({ length: 1203 }, () => payoutOf('456'))
    await provider.payout(requests[1200] as PayoutRequest)
    const answers = await provider.payoutStatus(requests)
    assert.equal(answers.length, 1203)
    assert.notEqual(answers[1200]?.kind, 'not_found')
    assert.equal(answers.filter((answer) => answer.kind === 'not_found').length, 1202)
  })

  it('a new mock provider with an empty book reports an earlier payout as not_found', async () => {
    const fresh = await start()
    const adapter = createRemoteMockProvider({ name: 'mock', url: fresh.url, secret: SECRET })
    for (const ending of ['456', '103']) {
      const request = payoutOf(ending, { sent_at: new Date() })
      await provider.payout(request)
      assert.deepEqual(await adapter.payoutStatus([request]), [NOT_FOUND])
    }
    await adapter.close()
    await fresh.close()
  })

  it('the mock provider refuses a malformed payout request', async () => {
    const good = {
      reference: 'W1',
      method: 'MOBILE_MONEY',
      destination_code: 'MPESA',
      destination_identifier: '255754123456',
      amount_minor: '100',
      currency: 'TZS',
    }
    for (const fields of [
      { reference: '' },
      { reference: 'W'.repeat(129) },
      { method: 'wallet_push' },
      { destination_code: null },
      { destination_identifier: '' },
      { amount_minor: 100 },
      { amount_minor: '0' },
      { amount_minor: '-1' },
      { currency: null },
    ]) {
      const body = JSON.stringify({ ...good, ...fields })
      assert.equal((await fetch(`${server.url}/payouts`, { method: 'POST', body })).status, 400, body)
    }
    for (const body of ['', '{', '{"references":[1]}']) {
      assert.equal((await fetch(`${server.url}/payouts/status`, { method: 'POST', body })).status, 400, body)
    }
    assert.equal(entryOf(payoutOf('456', { reference: 'W1' })), undefined)
  })

  it('the book of the mock provider lists each payout with its status, amount and executions', async () => {
    const own = await start()
    const adapter = createRemoteMockProvider({ name: 'mock', url: own.url, secret: SECRET })
    const requests = ['456', '102', '103', '104', '105', '106'].map((ending) => payoutOf(ending))
    for (const request of [...requests, ...requests, requests[0] as PayoutRequest]) await adapter.payout(request)
    await pause(SETTLED_MS)
    const answered = await fetch(`${own.url}/book?full=1`)
    const { payouts } = (await answered.json()) as ReturnType<MockServer['book']>
    const { entries, ...totals } = payouts
    assert.deepEqual(totals, {
      taken: 5,
      requests: 13,
      refused: 2,
      executions: 5,
      paid_minor: '246900',
      by_status: { COMPLETED: 2, FAILED: 1, AMBIGUOUS: 1, REVERSED: 1 },
    })
    assert.equal(entries?.length, 5)
    assert.deepEqual(entries?.[0], {
      reference: requests[0]?.reference,
      status: 'COMPLETED',
      destination_identifier: '255754123456',
      amount_minor: '123450',
      requests: 3,
      executions: 1,
    })
    for (const entry of entries ?? []) assert.equal(entry.executions, 1, entry.reference)
    const plain = (await (await fetch(`${own.url}/book`)).json()) as ReturnType<MockServer['book']>
    assert.deepEqual(plain.payouts, totals)
    await adapter.close()
    await own.close()
  })

  it('the mock provider keeps the first amount when a repeated request of a reference has another amount', async () => {
    const request = payoutOf('456')
    await provider.payout(request)
    await provider.payout({ ...request, amount_minor: 999_900n, destination_identifier: '255754000000' })
    const { amount_minor, destination_identifier, executions } = entryOf(request) ?? {}
    assert.deepEqual([amount_minor, destination_identifier, executions], ['123450', '255754123456', 1])
  })
})

describe('answers about payouts over HTTP', () => {
  let reply: [number, string] = [200, '']
  let strange: Server
  let adapter: RemoteMockProvider
  before(async () => {
    strange = await listen(
      () => {},
      () => reply,
    )
    adapter = createRemoteMockProvider({ name: 'mock', url: urlOf(strange), secret: SECRET })
  })
  after(async () => {
    await adapter.close()
    strange.close()
  })
  const request = payoutOf('456', { reference: 'W' })
  const listed = (fields: object) => JSON.stringify({ payouts: [{ reference: 'W', ...fields }] })
  const paid = { status: 'COMPLETED', amount_minor: '123450', currency: 'TZS' }

  for (const [status, text, to_request, to_question] of [
    [200, 'not json', 'unreadable', 'unreadable'],
    [200, '<html><body>Welcome</body></html>', 'unreadable', 'unreadable'],
    [200, '', 'unreadable', 'unreadable'],
    [200, '[]', 'unreadable', 'unreadable'],
    [200, '{}', 'unreadable', 'unreadable'],
    [200, '{"payouts":null}', 'unreadable', 'unreadable'],
    [200, listed({ reference: 'WX', ...paid }), 'unreadable', 'unreadable'],
    [200, '{"status":"DANCING","payouts":[{"reference":"W","status":"DANCING"}]}', 'unseen_status', 'unseen_status'],
    [200, '{"status":"HELD","payouts":[{"reference":"W","status":"HELD"}]}', 'unseen_status', 'unseen_status'],
    [200, '{"status":"NOT_FOUND"}', 'unseen_status', 'unreadable'],
    [200, '{"status":"REFUSED","payouts":[{"reference":"W","status":"REFUSED"}]}', 'unseen_status', 'unseen_status'],
    [200, listed({ status: 'COMPLETED' }), 'unreadable', 'unreadable'],
    [200, listed({ ...paid, amount_minor: 123450 }), 'unreadable', 'unreadable'],
    [200, listed({ ...paid, amount_minor: '-1' }), 'unreadable', 'unreadable'],
    [200, listed({ ...paid, currency: null }), 'unreadable', 'unreadable'],
    [201, '{"status":"PENDING"}', 'unreadable', 'unreadable'],
    [302, '', 'unreadable', 'unreadable'],
    [400, '{"status":"FAILED"}', 'unreadable', 'unreadable'],
    [401, '{"status":"REFUSED"}', 'refused_us', 'refused_us'],
    [403, '{}', 'refused_us', 'refused_us'],
    [403, '<html>Forbidden</html>', 'refused_us', 'refused_us'],
    // If the provider itself refuses a payout request, the provider executed no payout. If the provider refuses a query, the
    // outcome stays unknown.
    [403, '{"status":"REFUSED"}', 'blocked', 'refused_us'],
    [404, '{"status":"NOT_FOUND"}', 'unreadable', 'unreadable'],
    [429, '{}', 'unreadable', 'unreadable'],
    [500, '{"status":"FAILED"}', 'unreachable', 'unreachable'],
    [502, '<html>Bad gateway</html>', 'unreachable', 'unreachable'],
    [503, '{"status":"REFUSED"}', 'unreachable', 'unreachable'],
    [200, `"${'x'.repeat(2_000_000)}"`, 'unreadable', 'unreadable'],
  ] as const) {
    it(`the adapter maps the answer ${status} ${text.slice(0, 70)} to ${to_request} for a request, and to ${to_question} for a query`, async () => {
      reply = [status, text]
      assert.equal(describePayoutOutcome(await adapter.payout(request)), to_request)
      assert.equal(describePayoutOutcome((await adapter.payoutStatus([request]))[0]), to_question)
    })
  }

  it('the adapter reads a paid status in the answer to a request as accepted, because only a query finds the amount', async () => {
    for (const status of ['COMPLETED', 'REVERSED', 'PENDING']) {
      reply = [200, JSON.stringify({ ...paid, status, provider_id: 'P1' })]
      const accepted = { kind: 'accepted', provider_status: status, provider_id: 'P1' }
      assert.deepEqual(await adapter.payout(request), accepted)
    }
  })

  it('the adapter replaces an unlisted failure reason with unknown_provider_error', async () => {
    for (const reason of ['__proto__', 'toString', 'user_cancelled', 5, undefined]) {
      const reply_fields = { status: 'FAILED', reason }
      reply = [200, JSON.stringify({ ...reply_fields, payouts: [{ reference: 'W', ...reply_fields }] })]
      for (const answer of [await adapter.payout(request), (await adapter.payoutStatus([request]))[0]]) {
        assert.equal(answer?.kind === 'declined' && answer.reason, 'unknown_provider_error')
      }
    }
  })

  it('the adapter counts a charge as returned only when charge_returned is true', async () => {
    for (const [charge_returned, expected] of [
      [true, true],
      [false, false],
      ['true', false],
      [undefined, false],
    ] as const) {
      reply = [200, listed({ ...paid, status: 'REVERSED', charge_returned })]
      const [answer] = await adapter.payoutStatus([request])
      assert.equal(answer?.kind === 'reversed' && answer.charge_returned, expected)
    }
  })
})
