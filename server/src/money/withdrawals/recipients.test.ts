// Tests that only members who may withdraw use the saved recipients of a merchant, and that a saved recipient approves nothing.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'
import { newPayoutScript, scriptedProvider } from '../../../test/payouts.ts'
import { contentOf, fund, unchanged } from '../../../test/withdrawals.ts'
import type { ProviderExtras } from '../../adapters/providers/extras.ts'
import type { Provider } from '../../adapters/providers/port.ts'
import { NAME_CHECKS_PER_DAY, RECIPIENTS_MAX } from './recipients.ts'

const PATH = '/v1/merchant/recipients'
const TABLES = ['saved_recipients', 'audit_log']
const ASHA = {
  method: 'MOBILE_MONEY',
  destination_code: 'vodacom',
  destination_identifier: '0754 123 456',
  destination_name: 'Asha Mwinyi',
}

let world: World
let finance: string
let name_at_provider: string | null = 'MWINYI ASHA'
const script = newPayoutScript()
const provider: Provider & ProviderExtras = {
  ...scriptedProvider(script),
  lookupName: async () => (name_at_provider === null ? null : { name: name_at_provider }),
}
before(async () => {
  world = await createWorld({ compose: { providers: [provider] } })
  finance = (await world.newSession('FINANCE')).token
  await fund(world, { amount: '100000' })
})
after(() => world.close())

const at = (path = '', environment = 'sandbox') => `${PATH}${path}?environment=${environment}`
const save = (body: object = {}, key = finance, environment = 'sandbox') =>
  world.post(at('', environment), { ...ASHA, ...body }, { key })
const list = async (environment = 'sandbox', key = finance) => (await world.get(at('', environment), key)).body.data
const patch = (id: string, label: string, key = finance) =>
  world.call({ method: 'PATCH', url: at(`/${id}`), payload: { label }, key })
const remove = (id: string, environment = 'sandbox') =>
  world.call({ method: 'DELETE', url: at(`/${id}`, environment), key: finance })
const clear = async () => {
  for (const environment of ['sandbox', 'live']) {
    for (const { id } of (await list(environment)).items) await remove(id, environment)
  }
}
const actions = async (id: string) =>
  (await world.rows<{ action: string }>('select action from audit_log where target_id = $1 order by seq', [id])).map(
    ({ action }) => action,
  )

test('a finance member saves, renames and removes a recipient, and the audit log has each change and a masked number', async () => {
  const saved = await save({ label: 'Landlord' })
  assert.equal(saved.status, 201, saved.text)
  const { id, ...record } = saved.body.data
  assert.deepEqual(
    { ...record, created_at: null, created_by: null },
    {
      label: 'Landlord',
      method: 'MOBILE_MONEY',
      destination_code: 'MPESA',
      destination: 'M-Pesa (Vodacom)',
      destination_identifier: '255754123456',
      destination_name: 'Asha Mwinyi',
      paid_count: 0,
      last_paid_at: null,
      name_check: null,
      name_checked_at: null,
      created_by: null,
      created_at: null,
    },
  )
  assert.equal((await patch(id, ' Shop rent ')).body.data.label, 'Shop rent')
  assert.equal((await patch(id, 'Shop rent')).status, 200)
  assert.deepEqual(
    (await list()).items.map(({ label }: { label: string }) => label),
    ['Shop rent'],
  )
  assert.deepEqual((await list('live')).items, [], 'the live environment does not have it')
  assert.equal((await remove(id, 'live')).status, 404)
  assert.equal((await remove(id)).status, 200)
  assert.equal((await remove(id)).status, 404)
  assert.deepEqual(await actions(id), ['recipient.create', 'recipient.rename', 'recipient.delete'])
  const [entry] = await world.rows<{ after: string }>('select after::text from audit_log where target_id = $1', [id])
  assert.match(entry?.after ?? '', /0754 \*\*\* 456/)
  assert.doesNotMatch(entry?.after ?? '', /255754123456/)
})

test('members whose role may not withdraw cannot list, save or rename recipients, API keys cannot list them, and other merchants cannot rename them', async () => {
  const { id } = (await save()).body.data
  const other = await world.newSession([{ role: 'MERCHANT_ADMIN', merchant: await world.newMerchant() }])
  for (const role of ['VIEWER', 'DEVELOPER'] as const) {
    const { token } = await world.newSession(role)
    assert.deepEqual(codeOf(await world.get(at(), token)), [403, 'insufficient_role'])
    await unchanged(world, async () => {
      assert.deepEqual(codeOf(await save({ destination_identifier: '0754123457' }, token)), [403, 'insufficient_role'])
      assert.deepEqual(codeOf(await patch(id, 'Mine', token)), [403, 'insufficient_role'])
    })
  }
  assert.deepEqual(codeOf(await world.get(PATH, world.sandbox_key)), [403, 'insufficient_role'])
  assert.deepEqual(codeOf(await patch(id, 'Mine', other.token)), [404, 'not_found'])
  assert.equal((await list()).items[0].label, 'Asha Mwinyi')
  await clear()
})

test('the server refuses a wrong recipient, names its field and stores no row', async () => {
  assert.equal((await save()).status, 201)
  const cases: [object, string, RegExp][] = [
    [{ destination_identifier: '0754 12X 456' }, 'destination_identifier', /Tanzanian mobile number/],
    [{ destination_identifier: '255754123456', label: 'Again' }, 'destination_identifier', /already/],
    [{ destination_code: 'VODKA' }, 'destination_code', /no network or bank/],
    [{ destination_code: 'CRDB' }, 'destination_code', /no network or bank/],
    [{ destination_code: undefined }, 'destination_code', /is required/],
    [{ destination_name: 'Asha\u202e' }, 'destination_name', /invisible/],
    [{ destination_name: '  ' }, 'destination_name', /./],
    [{ destination_name: 'x'.repeat(201) }, 'destination_name', /200/],
    [{ label: 'x'.repeat(500) }, 'label', /100/],
    [
      { method: 'BANK_ACCOUNT', destination_code: 'CRDB', destination_identifier: '01 5' },
      'destination_identifier',
      /34/,
    ],
  ]
  for (const [body, field, message] of cases) {
    const before_it = await contentOf(world, TABLES)
    const reply = await save(body)
    assert.deepEqual(codeOf(reply), [400, 'validation_failed'], JSON.stringify(body))
    const [problem] = reply.body.error.details.fields
    assert.equal(problem.field, field)
    assert.match(problem.message, message)
    assert.deepEqual(await contentOf(world, TABLES), before_it)
  }
  await clear()
})

test('a merchant saves at most 200 recipients, even with simultaneous requests, and a repeated request saves one recipient', async () => {
  const [first, again] = await Promise.all(
    [1, 2].map(() => world.post(at(), ASHA, { key: finance, idempotency_key: 'save-asha' })),
  )
  const made = [first, again].filter((reply) => reply?.status === 201)
  assert.ok(made.length >= 1)
  assert.equal((await list()).items.length, 1)
  await world.rows(
    `insert into saved_recipients (merchant_id, id, environment, label, method, destination_code, destination_identifier,
       destination_name, created_by, created_at)
     select merchant_id, gen_random_uuid(), environment, label || n, method, destination_code, '25575500' || (1000 + n),
       destination_name, created_by, created_at from saved_recipients, generate_series(1, $1::int) n`,
    [RECIPIENTS_MAX - 2],
  )
  const replies = await Promise.all(
    [1, 2, 3].map((n) => save({ destination_identifier: `075512345${n}`, label: `At once ${n}` })),
  )
  assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 409, 409])
  assert.equal((await list()).items.length, RECIPIENTS_MAX)
  await world.rows('delete from saved_recipients')
})

test('the list shows the number and time of payouts to each recipient, and includes recipients that the merchant paid but did not save', async () => {
  const pay = async (fields: object, outcome: string) => {
    const body = { amount: '1000', destination_code: 'MPESA', destination_name: 'Asha Mwinyi', ...fields }
    const made = await world.post('/v1/disbursements/mobile-money', body, { key: world.sandbox_key })
    assert.equal(made.status, 202, made.text)
    const simulate = `/v1/sandbox/disbursements/${made.body.data.id}/simulate`
    assert.equal((await world.post(simulate, { outcome }, { key: world.sandbox_key })).status, 200)
    world.deps.clock.advance(60_000)
  }
  await pay({ destination_identifier: '0754123456' }, 'SUCCESS')
  await pay({ destination_identifier: '0754123456' }, 'SUCCESS')
  await pay({ destination_identifier: '0754123456' }, 'FAILED')
  await pay({ destination_identifier: '0754999999', destination_name: 'Juma' }, 'SUCCESS')
  await pay({ destination_identifier: '0754888888', destination_name: 'Neema' }, 'REJECTED')
  const { earlier } = await list()
  assert.deepEqual(
    earlier.map((one: Record<string, unknown>) => [one.destination_identifier, one.destination_name, one.paid_count]),
    [
      ['255754999999', 'Juma', 1],
      ['255754123456', 'Asha Mwinyi', 2],
    ],
  )
  const saved = (await save()).body.data
  assert.equal(saved.paid_count, 2)
  assert.equal(saved.last_paid_at, earlier[1].last_paid_at)
  assert.equal((await list()).earlier.length, 1)
  assert.equal((await list('live')).earlier.length, 0)
  await clear()
})

test('a name check shows only whether the names agree, and a merchant may make 30 name checks a day', async () => {
  const { id } = (await save({}, finance, 'live')).body.data
  const check = () => world.post(`${PATH}/${id}/name-check?environment=live`, {}, { key: finance })
  const results: [string | null, string][] = [
    ['MWINYI ASHA', 'same'],
    ['Joseph Kimaro', 'different'],
    [null, 'unknown'],
  ]
  for (const [name, expected] of results) {
    name_at_provider = name
    const reply = await check()
    assert.equal(reply.status, 200, reply.text)
    assert.equal(reply.body.data.name_check, expected)
    assert.doesNotMatch(reply.text, /Kimaro/)
  }
  assert.equal((await list('live')).items[0].name_check, 'unknown')
  for (let count = results.length; count < NAME_CHECKS_PER_DAY; count++) assert.equal((await check()).status, 200)
  const refused = await check()
  assert.deepEqual(codeOf(refused), [429, 'rate_limited'])
  assert.ok(Number(refused.headers['retry-after']) <= 86_400)
  world.deps.clock.advance(86_400_000)
  finance = (await world.newSession('FINANCE')).token
  assert.equal((await check()).status, 200, 'the next day has a new limit')
  await clear()
})

test('the count of name checks continues after midnight when the clock of another process is behind', async () => {
  const { clock } = world.deps
  clock.advance(86_400_000 - ((clock.now().getTime() + 3 * 3_600_000) % 86_400_000))
  finance = (await world.newSession('FINANCE')).token
  const { id } = (await save({}, finance, 'live')).body.data
  const check = () => world.post(`${PATH}/${id}/name-check?environment=live`, {}, { key: finance })
  for (let count = 0; count < NAME_CHECKS_PER_DAY; count++) {
    assert.equal((await check()).status, 200)
    clock.step(count % 2 === 0 ? -1_000 : 1_000)
  }
  assert.deepEqual(codeOf(await check()), [429, 'rate_limited'])
  clock.step(-2 * 86_400_000)
  finance = (await world.newSession('FINANCE')).token
  assert.equal((await check()).status, 200, 'a count of a wrong clock ends')
  clock.step(2 * 86_400_000)
  finance = (await world.newSession('FINANCE')).token
  await clear()
})
