// Tests that operators edit the instructions that the pay page shows for each network.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'

let world: World
let operator: string
before(async () => {
  world = await createWorld()
  operator = (await world.newSession('SUPER_ADMIN')).token
})
after(() => world.close())

const PATH = '/v1/operator/networks'
const MPESA = {
  code: 'MPESA',
  name: 'M-Pesa',
  menu_code: '*150*00#',
  help_sw: 'Chagua Lipa kwa M-Pesa.',
  help_en: 'Choose Lipa kwa M-Pesa.',
}
const TTCL = { code: 'TTCL', name: 'T-Pesa', menu_code: null, help_sw: 'Fungua menyu.', help_en: 'Open the menu.' }
const put = (networks: object[]) => world.call({ method: 'PUT', url: PATH, key: operator, payload: { networks } })
const get = async () => (await world.get(PATH, operator)).body.data.networks
const slugOf = async () => (await world.post('/v1/payment-links', { amount: 1000 })).body.data.public_slug as string
const help = async (slug: string) =>
  (await world.call({ method: 'GET', url: `/pay/${slug}/help?lang=en`, key: null })).text

test('until an operator edits the instructions, the help page names every built-in network', async () => {
  const networks = await get()
  assert.ok(networks.length >= 4)
  const page = await help(await slugOf())
  for (const { name } of networks) assert.ok(page.includes(name), name)
})

test('payers see edited instructions within a minute, and the audit log contains the change', async () => {
  const slug = await slugOf()
  await help(slug)
  assert.equal((await put([MPESA, TTCL])).status, 200)
  assert.deepEqual(await get(), [MPESA, TTCL])
  world.deps.clock.advance(60_000)
  const page = await help(slug)
  assert.match(page, /Choose Lipa kwa M-Pesa/)
  assert.match(page, /tel:\*150\*00%23/)
  assert.doesNotMatch(page, /HaloPesa/)
  const all = (await world.get('/v1/operator/audit-log', operator)).body.data.items
  const log = all.filter(({ action }: { action: string }) => action === 'networks.replace')
  assert.equal(log.length, 1)
  assert.deepEqual(log[0].after, { networks: [MPESA, TTCL] })
  assert.ok(log[0].before.networks.length >= 4)
})

test('an empty list restores the built-in instructions', async () => {
  await put([MPESA])
  assert.equal((await put([])).status, 200)
  assert.ok((await get()).length >= 4)
})

test('the server refuses an invalid list of instructions and changes no instructions', async () => {
  await put([MPESA])
  for (const wrong of [
    [MPESA, MPESA],
    [{ ...MPESA, code: 'm pesa' }],
    [{ ...MPESA, menu_code: 'javascript:alert(1)' }],
    [{ ...MPESA, name: '' }],
    [{ ...MPESA, help_sw: '\u202e' }],
    Array.from({ length: 31 }, (_, i) => ({ ...MPESA, code: `N${i + 10}` })),
  ])
    assert.deepEqual(codeOf(await put(wrong)), [400, 'validation_failed'])
  assert.deepEqual(await get(), [MPESA])
})

test('of simultaneous lists of instructions, the server stores one whole list', async () => {
  for (let round = 0; round < 5; round++) {
    const replies = await Promise.all([put([MPESA, TTCL]), put([TTCL]), put([MPESA])])
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200, 200],
    )
    const codes = (await get()).map(({ code }: { code: string }) => code).join()
    assert.ok(['MPESA,TTCL', 'TTCL', 'MPESA'].includes(codes), codes)
  }
})
