// Tests the saved reasons of each action. Only a SUPER_ADMIN changes them, and the audit log records each change.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'

let world: World
let boss: string
let cashier: string
before(async () => {
  world = await createWorld()
  boss = (await world.newSession('SUPER_ADMIN')).token
  cashier = (await world.newSession('FINANCE_OPERATOR')).token
})
after(() => world.close())

const put = (action: string, body: object, key = boss) =>
  world.call({ method: 'PUT', url: `/v1/operator/reasons/${action}`, payload: body, key })
const saved = async () => (await world.get('/v1/operator/reasons', cashier)).body.data.items

test('a SUPER_ADMIN saves reasons for an action, all operators read them, and the audit log has both lists', async () => {
  assert.deepEqual(await saved(), [])
  const first = ['The name does not match the phone', 'The merchant asked for it']
  assert.equal((await put('withdrawal.reject', { reasons: first })).status, 200)
  assert.deepEqual(await saved(), [{ action: 'withdrawal.reject', reasons: first }])
  const next = [' Suspicious destination ']
  for (let i = 0; i < 2; i++) assert.equal((await put('withdrawal.reject', { reasons: next })).status, 200)
  await put('payouts.pause', { reasons: ['The provider is down'] })
  assert.deepEqual(await saved(), [
    { action: 'payouts.pause', reasons: ['The provider is down'] },
    { action: 'withdrawal.reject', reasons: ['Suspicious destination'] },
  ])
  const log = await world.get('/v1/operator/audit-log?action=reasons.replace&target_id=withdrawal.reject', boss)
  const { before: old, after: now } = log.body.data.items[1]
  assert.deepEqual([old, now], [{ reasons: first }, { reasons: ['Suspicious destination'] }])
  assert.equal((await put('payouts.pause', { reasons: [] })).status, 200)
  assert.deepEqual(
    (await saved()).map(({ action }: { action: string }) => action),
    ['withdrawal.reject'],
  )
})

test('the server refuses a wrong list of reasons and changes nothing', async () => {
  const kept = await saved()
  const wrong: [string, object, number, string][] = [
    ['withdrawal.reject', { reasons: ['Twice', 'Twice '] }, 400, 'validation_failed'],
    ['withdrawal.reject', { reasons: [''] }, 400, 'validation_failed'],
    ['withdrawal.reject', { reasons: ['x'.repeat(201)] }, 400, 'validation_failed'],
    ['withdrawal.reject', { reasons: Array.from({ length: 13 }, (_, i) => `Reason ${i}`) }, 400, 'validation_failed'],
    ['withdrawal.reject', {}, 400, 'validation_failed'],
    ['money.print', { reasons: ['Because'] }, 400, 'validation_failed'],
  ]
  for (const [action, body, status, code] of wrong) {
    const reply = await put(action, body)
    assert.deepEqual(codeOf(reply), [status, code], JSON.stringify(body))
  }
  assert.deepEqual(codeOf(await put('withdrawal.reject', { reasons: ['Mine'] }, cashier)), [403, 'insufficient_role'])
  assert.deepEqual(await saved(), kept)
})
