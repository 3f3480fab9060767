// Tests that operators approve and reject the IP addresses that merchants request.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import type { Merchant } from '../../access/merchants/index.ts'

let world: World
let operator: string
before(async () => {
  world = await createWorld()
  operator = (await world.newSession('SUPER_ADMIN')).token
})
after(() => world.close())

let last = 0
/** Requests an IP address as the merchant. Returns the id of the address. */
async function ask(merchant: Merchant = world.merchant): Promise<string> {
  const { token } = await world.newSession([{ role: 'DEVELOPER', merchant }])
  last += 1
  const body = { label: 'Office', address: `203.0.113.${last}`, environment: 'live' }
  const made = await world.post('/v1/merchant/ip-addresses', body, { key: token })
  assert.equal(made.status, 201, made.text)
  return made.body.data.id
}
const decide = (id: string, verb: 'approve' | 'reject', body: object = { reason: 'Unknown network' }) =>
  world.post(`/v1/operator/ip-addresses/${id}/${verb}`, body, { key: operator })
const list = async (query: string) => {
  const { status, body, text } = await world.get(`/v1/operator/ip-addresses?${query}`, operator)
  assert.equal(status, 200, text)
  return body.data
}

test('an operator lists the pending addresses of all merchants, newest first', async () => {
  const merchants = [await world.newMerchant(), await world.newMerchant()]
  const ids: string[] = []
  for (const merchant of [...merchants, ...merchants]) {
    world.deps.clock.advance(10)
    ids.unshift(await ask(merchant))
  }
  const idsOf = (data: { items: { id: string }[] }) => data.items.map(({ id }) => id)
  assert.deepEqual(idsOf(await list('status=PENDING')), ids)
  assert.deepEqual(idsOf(await list('status=PENDING&page=2&page_size=3')), ids.slice(3))
  const [entry] = (await list('status=PENDING')).items
  const { id, code, name } = { ...merchants[1], code: merchants[1]?.merchant_code } as Merchant & { code: string }
  assert.deepEqual([entry.merchant_id, entry.merchant_code, entry.merchant_name], [id, code, name])
  await decide(ids[0] as string, 'approve')
  await decide(ids[1] as string, 'reject')
  assert.deepEqual(idsOf(await list('status=PENDING')), ids.slice(2))
  assert.deepEqual(idsOf(await list('status=APPROVED')), ids.slice(0, 1))
  assert.deepEqual(idsOf(await list('status=REJECTED')), ids.slice(1, 2))
  assert.deepEqual(idsOf(await list(`merchant_id=${merchants[0]?.id}`)), [ids[1], ids[3]])
})

test('a rejection of an address shows its time and reason, and the audit log of the merchant contains the rejection', async () => {
  const id = await ask()
  const { status, body } = await decide(id, 'reject', { reason: 'A whole country' })
  assert.equal(status, 200)
  const at = world.deps.clock.now().toISOString()
  assert.deepEqual([body.data.status, body.data.reason, body.data.decided_at], ['REJECTED', 'A whole country', at])
  const url = `/v1/operator/audit-log?merchant_id=${world.merchant.id}`
  const [entry] = (await world.get(url, operator)).body.data.items
  assert.deepEqual(
    [entry.action, entry.target_id, entry.reason, entry.before.status, entry.after.status],
    ['ip_address.reject', id, 'A whole country', 'PENDING', 'REJECTED'],
  )
})

test('an operator can reject an approved address, and the server refuses any other decision about a decided address', async () => {
  const id = await ask()
  assert.equal((await decide(id, 'approve')).body.data.status, 'APPROVED')
  const again = await decide(id, 'approve')
  assert.deepEqual([again.status, again.body.error.code], [409, 'invalid_state'])
  const taken = await decide(id, 'reject', { reason: 'Seen in an attack' })
  assert.deepEqual([taken.body.data.status, taken.body.data.reason], ['REJECTED', 'Seen in an attack'])
  for (const verb of ['approve', 'reject'] as const) {
    const refused = await decide(id, verb)
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'invalid_state'])
    assert.deepEqual(refused.body.error.details, { status: 'REJECTED' })
  }
})

test('of simultaneous approvals of one address, one approval succeeds', async () => {
  for (let round = 0; round < 5; round++) {
    const id = await ask()
    const answers = await Promise.all(Array.from({ length: 6 }, () => decide(id, 'approve')))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409, 409, 409])
  }
})

test('the server refuses to reject an address without a reason, and answers 404 for an unknown address', async () => {
  const id = await ask()
  for (const body of [{}, { reason: '' }, { reason: '  ' }, { reason: 5 }]) {
    assert.equal((await decide(id, 'reject', body)).status, 400, JSON.stringify(body))
  }
  for (const unknown of [randomUUID(), 'nothing']) {
    assert.equal((await decide(unknown, 'approve')).body.error.code, 'not_found')
  }
})
