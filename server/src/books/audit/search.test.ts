// Tests the search for audit entries by actor, action, target and time: in the chain of one merchant, of the platform, or in
// all chains.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'
import { inTransaction } from '../../kernel/db/index.ts'
import { type AuditEntry, PLATFORM } from './list.ts'
import { recordAudit } from './record.ts'

type Item = {
  merchant_id: string | null
  seq: number
  at: string
  actor: { id: string | null; name: string }
  action: string
}

let world: World
let operator: string
let [mine, theirs] = ['', '']
const person = { user_id: '', email: '' }
/** The recorded entries, oldest first. */
const done: { merchant_id: string; action: string; target_id: string; actor: string; at: string }[] = []
before(async () => {
  world = await createWorld()
  Object.assign(person, await world.newSession('SUPER_ADMIN'))
  ;[mine, theirs] = [(await world.newMerchant()).id, (await world.newMerchant()).id]
  const actors = {
    person: { kind: 'operator', id: person.user_id, name: person.email },
    other: { kind: 'user', id: 'aaaaaaaa-0000-8000-8000-000000000000', name: 'other@example.com' },
    command: { kind: 'command', id: null, name: 'nightly' },
  } as const satisfies Record<string, AuditEntry['actor']>
  const names = ['person', 'other', 'command'] as const
  const actions = ['invoice.send', 'invoice.cancel'] as const
  for (let i = 0; i < 36; i++) {
    world.deps.clock.advance(60_000)
    const merchant_id = [mine, theirs, PLATFORM, mine][i % 4] as string
    const [action, target_id, actor] = [
      actions[i % 2] as (typeof actions)[number],
      `door-${i % 5}`,
      names[i % 3] as 'person',
    ]
    await inTransaction(world.deps.db, (tx) =>
      recordAudit(world.deps, tx, { merchant_id, actor: actors[actor], action, target_type: 'shop', target_id }),
    )
    done.push({ merchant_id, action, target_id, actor, at: world.deps.clock.now().toISOString() })
  }
  operator = (await world.newSession('SUPER_ADMIN')).token
})
after(() => world.close())

const read = async (query: string): Promise<{ items: Item[]; pagination: { total_items: number } }> => {
  const reply = await world.get(`/v1/operator/audit-log?page_size=100&${query}`, operator)
  assert.equal(reply.status, 200, reply.text)
  return reply.body.data
}

/** Asserts that the query returns exactly the entries that `keep` selects, newest first. */
async function finds(query: string, keep: (act: (typeof done)[number]) => boolean): Promise<void> {
  const { items, pagination } = await read(query)
  const expected = done.filter(keep).reverse()
  assert.deepEqual(
    items.map(({ at }) => at),
    expected.map(({ at }) => at),
    query,
  )
  assert.equal(pagination.total_items, expected.length, query)
  assert.ok(expected.length > 0, `${query} matches at least one action`)
}

const SCOPES: [string, (merchant_id: string) => boolean][] = [
  ['', () => true],
  ['scope=platform&', (id) => id === PLATFORM],
]

test('an operator finds the actions of a user by id and by e-mail address, and the actions of a command by its name', async () => {
  for (const [scope, within] of [...SCOPES, [`merchant_id=${mine}&`, (id: string) => id === mine] as const]) {
    for (const name of [person.user_id, person.email, person.email.toUpperCase()]) {
      await finds(`${scope}actor=${name}`, (act) => act.actor === 'person' && within(act.merchant_id))
    }
    await finds(`${scope}actor=nightly`, (act) => act.actor === 'command' && within(act.merchant_id))
  }
  assert.deepEqual((await read('actor=nobody')).items, [])
})

test('a search by an e-mail address finds the entries of its present user and of the earlier user who acted with it', async () => {
  const moved = await world.newSession('SUPER_ADMIN')
  const earlier = '00000000-0000-8000-8000-0000000000aa'
  const act = { merchant_id: PLATFORM, action: 'user.change_name', target_type: 'user', target_id: earlier } as const
  for (const id of [earlier, moved.user_id]) {
    world.deps.clock.advance(60_000)
    const actor = { kind: 'user', id, name: moved.email } as const
    await inTransaction(world.deps.db, (tx) => recordAudit(world.deps, tx, { ...act, actor }))
  }
  for (const [query, ids] of [
    [moved.email.toUpperCase(), [moved.user_id, earlier]],
    [moved.user_id, [moved.user_id]],
    [earlier, [earlier]],
  ] as const) {
    for (const scope of ['', 'scope=platform&']) {
      const { items, pagination } = await read(`${scope}actor=${query}&action=user.change_name`)
      assert.deepEqual(
        items.map(({ actor }) => actor.id),
        ids,
      )
      assert.equal(pagination.total_items, ids.length)
    }
  }
})

test('an operator filters audit entries by action, by target, by time, and by several of these filters together', async () => {
  const [from, to] = [done[6]?.at as string, done[30]?.at as string]
  await finds('action=invoice.send', ({ action }) => action === 'invoice.send')
  await finds('target_id=door-2', ({ target_id }) => target_id === 'door-2')
  await finds(
    `action=invoice.cancel&from=${from}&to=${to}`,
    ({ action, at }) => action === 'invoice.cancel' && at >= from && at < to,
  )
  await finds(
    `target_id=door-1&actor=${person.email}&to=${to}`,
    (act) => act.target_id === 'door-1' && act.actor === 'person' && act.at < to,
  )
  await finds(
    `merchant_id=${theirs.toUpperCase()}&action=invoice.cancel`,
    (act) => act.merchant_id === theirs && act.action === 'invoice.cancel',
  )
})

test('the pages of a search omit no entry and repeat no entry', async () => {
  const all = (await read('action=invoice.send')).items
  const pages: Item[] = []
  for (let page = 1; pages.length < all.length; page++) {
    const reply = await world.get(`/v1/operator/audit-log?action=invoice.send&page_size=4&page=${page}`, operator)
    assert.ok(reply.body.data.items.length > 0)
    pages.push(...reply.body.data.items)
  }
  assert.deepEqual(pages, all)
})

test('the server refuses a search with an invalid time, and a search with both a merchant and the platform', async () => {
  for (const query of ['from=yesterday', 'to=x', `scope=platform&merchant_id=${mine}&action=a`]) {
    assert.deepEqual(codeOf(await world.get(`/v1/operator/audit-log?${query}`, operator)), [400, 'validation_failed'])
  }
})

test("the audit log marks an action of an operator with a user account as an operator's action, and does not mark a member's action", async () => {
  const boss = await world.newSession('SUPER_ADMIN')
  const member = await world.newSession('MERCHANT_ADMIN')
  for (const { user_id, email } of [boss, member]) {
    const actor = { kind: 'user', id: user_id, name: email } as const
    const act = { merchant_id: PLATFORM, actor, action: 'user.confirm_session', target_type: 'user' } as const
    await inTransaction(world.deps.db, (tx) => recordAudit(world.deps, tx, { ...act, target_id: user_id }))
  }
  const marked = async ({ user_id }: { user_id: string }) =>
    (await read(`target_id=${user_id}`)).items.map((item) => [
      (item.actor as { kind?: string }).kind,
      (item as { actor_is_operator?: boolean }).actor_is_operator,
    ])
  assert.deepEqual(await marked(boss), [['user', true]])
  assert.deepEqual(await marked(member), [['user', false]])
  const { items } = await read(`actor=${person.user_id}`)
  assert.ok(items.every((item) => (item as { actor_is_operator?: boolean }).actor_is_operator))
})
