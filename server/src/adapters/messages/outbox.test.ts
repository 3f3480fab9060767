// Tests that the server queues messages in the outbox.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createWorld, testDeps, type World } from '../../../test/harness.ts'
import { inTransaction } from '../../kernel/db/index.ts'
import { listEmails, queueEmail } from './index.ts'

let world: World
before(async () => {
  world = await createWorld()
})
after(() => world.close())

const LINK = 'http://127.0.0.1/identity/reset?token=abc'

test('the list of e-mails shows each e-mail with its merchant, and the stored body does not contain the token of a link', async () => {
  const { deps, merchant } = world
  await inTransaction(deps.db, async (tx) => {
    await queueEmail(deps, tx, {
      to: 'a@example.com',
      subject: 'One',
      text: LINK,
      kind: 'test',
      merchant_id: merchant.id,
    })
    await queueEmail(deps, tx, { to: 'b@example.com', subject: 'Two', text: LINK, kind: 'test' })
  })
  const [email, ...others] = await listEmails(deps, { merchant_id: merchant.id })
  assert.deepEqual(others, [])
  assert.deepEqual(
    [email?.to, email?.subject, email?.text, email?.merchant_id],
    ['a@example.com', 'One', LINK, merchant.id],
  )
  const platform = await listEmails(deps, { to: 'B@example.com' })
  assert.deepEqual(
    platform.map(({ to, merchant_id }) => [to, merchant_id]),
    [['b@example.com', null]],
  )
  const [stored] = await world.rows<{ body: string }>('select body from outbox_messages limit 1')
  assert.ok(!stored?.body.includes('token'))
})

test('the outbox has no e-mail of a failed transaction', async () => {
  const { deps } = world
  await assert.rejects(
    inTransaction(deps.db, async (tx) => {
      await queueEmail(deps, tx, { to: 'c@example.com', subject: 'Three', text: 'x', kind: 'test' })
      throw new Error('no')
    }),
  )
  assert.deepEqual(await listEmails(deps, { to: 'c@example.com' }), [])
})

test('the list of e-mails shows no text in production, because a text may contain a link for signing in', async () => {
  const production = testDeps(world.url)
  production.config = { ...production.config, node_env: 'production' }
  try {
    for (const { text } of await listEmails(production)) assert.equal(text, null)
  } finally {
    await production.close()
  }
})
