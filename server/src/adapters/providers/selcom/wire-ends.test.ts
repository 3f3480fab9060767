// Tests that unpaid orders end. No payer can pay an order after the deadline of its payment.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  existingOrder,
  FAIL,
  MADE,
  PENDING,
  payment,
  type ServerReaction,
  type SignedRequest,
  SUCCESS,
  shortly,
  start,
} from '../../../../test/providers/selcom.ts'
import { inSteps } from '../../../../test/steps.ts'
import { settableClock, systemClock } from '../../../kernel/lib/index.ts'
import type { PaymentRequest } from '../port.ts'

const CREATE = '/v1/checkout/create-order-minimal'
const STATUS = '/v1/checkout/order-status'
const CANCEL = '/v1/checkout/cancel-order'
const MINUTE_MS = 60_000

describe('the end of an order', () => {
  it("the adapter lets an order end shortly before its payment's deadline, or at an earlier configured end of prompts", async () => {
    const clock = settableClock(systemClock.now())
    const expiryOf = async (
      minutes: number | null,
      fields: Partial<PaymentRequest>,
      push_expiry_min: number | null,
    ) => {
      const script = ({ path }: SignedRequest) => (path === CREATE ? MADE : PENDING)
      const { provider, received } = await start(script, { clock, push_expiry_min })
      const deadline_at = minutes === null ? {} : { deadline_at: new Date(clock.now().getTime() + minutes * MINUTE_MS) }
      const request = payment({ ...fields, ...deadline_at })
      await (request.method === 'qr' ? provider.qr(request) : provider.push(request))
      return received[0]?.fields.expiry
    }
    assert.equal(await expiryOf(60, {}, null), 55)
    assert.equal(await expiryOf(60, {}, 10), 10)
    assert.equal(await expiryOf(12, {}, 10), 7)
    assert.equal(await expiryOf(60, { method: 'qr', phone: null }, 10), 55)
    assert.equal(await expiryOf(2, {}, null), 1)
    assert.equal(await expiryOf(null, {}, null), undefined)
  })
})

describe('a payment after its deadline', () => {
  const over = () => payment({ deadline_at: systemClock.now(), sent_at: new Date(0) })
  /** Queries a gateway that answers these order statuses in turn and answers `cancel` to a cancellation. */
  const ask = async (statuses: string[], cancel: ServerReaction, request = over()) => {
    const left = [...statuses]
    const { provider, received } = await start(
      (call) => {
        if (call.path === CANCEL) return cancel
        const status = left.shift()
        return status === undefined ? 'reset' : existingOrder(call, status)
      },
      { timeout_ms: 1_500 },
    )
    const [answer] = await provider.status([request])
    return { answer, received, calls: received.map(({ method, path }) => `${method} ${path}`) }
  }
  const ended: ServerReaction = { content: { ...SUCCESS, message: 'Order cancelled successfully' } }

  it('the adapter cancels the open order of a payment after its deadline and reports the payment as expired', async () => {
    const request = over()
    const { answer, received, calls } = await ask(['PENDING'], ended, request)
    assert.deepEqual(answer, { kind: 'declined', reason: 'expired', provider_status: 'PENDING' })
    assert.deepEqual(calls, [`GET ${STATUS}`, `DELETE ${CANCEL}`])
    assert.deepEqual(received[1]?.fields, { order_id: request.reference })
  })

  it('the adapter reports a success after the deadline when the payer paid in the last moment', async () => {
    const { answer, calls } = await ask(['INPROGRESS', 'COMPLETED'], FAIL)
    assert.equal(shortly(answer ?? null), 'succeeded 500000 TZS')
    assert.deepEqual(calls, [`GET ${STATUS}`, `DELETE ${CANCEL}`, `GET ${STATUS}`])
    assert.deepEqual((await ask(['COMPLETED'], ended)).calls, [`GET ${STATUS}`])
  })

  it('the adapter reports the last known outcome of a payment when the cancellation fails', async () => {
    for (const cancel of [FAIL, 'reset', { status: 500, content: '' }] as ServerReaction[]) {
      assert.equal(shortly((await ask(['PENDING', 'PENDING'], cancel)).answer ?? null), 'accepted')
      assert.equal(shortly((await ask(['PENDING'], cancel)).answer ?? null), 'accepted')
      assert.equal(shortly((await ask([], cancel)).answer ?? null), 'unknown unreachable')
    }
    // The query fails, but the cancellation succeeds, so the order has certainly ended.
    assert.equal(shortly((await ask([], ended)).answer ?? null), 'declined expired')
  })

  it('a query after the deadline with a timeout of 900 ms ends within 1,400 ms when the gateway hangs', async () => {
    const { provider } = await start(() => 'hang', { timeout_ms: 900 })
    const { result, took_ms } = await inSteps(provider.status([over()]))
    assert.equal(shortly(result[0] ?? null), 'unknown timeout')
    assert.ok(took_ms < 1_400, `${took_ms} ms`)
  })

  it('the adapter does not cancel the order of a payment whose deadline has not passed', async () => {
    for (const deadline_at of [new Date(systemClock.now().getTime() + MINUTE_MS), undefined]) {
      const request = payment(deadline_at === undefined ? {} : { deadline_at })
      assert.deepEqual((await ask(['PENDING'], ended, request)).calls, [`GET ${STATUS}`])
    }
  })
})
