// What the admin command does for and to people, beside the real command line (server/test/people.test.ts).

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createWorld, type World } from '../../test/harness.ts'
import { inTransaction, isSuperuser } from '../db/index.ts'
import { Refusal } from '../lib/index.ts'
import { createUser } from '../merchants/index.ts'
import { queueEmail } from '../messages/index.ts'
import { createPerson, readEmails } from './people.ts'

let world: World
before(async () => {
  world = await createWorld()
})
after(() => world.close())

test('an account under an address that nobody confirmed is never made an operator', async () => {
  const { deps } = world
  const email = 'neema@example.com'
  const taken = { email, name: 'Not Neema', language: 'sw', super_admin: false, identity: 'embedded' } as const
  await inTransaction(deps.db, (tx) => createUser(deps, tx, { ...taken, email_verified: false }))
  const person = { email, role: 'SUPER_ADMIN', merchant_id: null, name: null, language: 'sw', subject: null } as const
  await assert.rejects(
    createPerson(deps, person),
    (error) => error instanceof Refusal && error.code === 'invalid_state',
  )
  const rights = await world.rows('select super_admin from users where email = $1', [email])
  assert.deepEqual(rights, [{ super_admin: false }])

  await world.rows('update users set email_verified = true where email = $1', [email])
  assert.equal((await createPerson(deps, person)).password, null)
})

test('an installation without a mail server shows its letters to whoever holds the command line, and notes that it did', async () => {
  const { deps } = world
  const letter = {
    to: 'asha@example.com',
    subject: 'Weka nenosiri',
    text: 'https://example.com/x',
    kind: 'password.reset',
  }
  await inTransaction(deps.db, (tx) => queueEmail(deps, tx, letter))
  const { emails } = await readEmails(deps, { to: 'asha@example.com' })
  assert.deepEqual(
    emails.map(({ to, subject, text }) => ({ to, subject, text })),
    [{ to: letter.to, subject: letter.subject, text: letter.text }],
  )
  const acts = await world.rows("select action, actor_kind from audit_log where action = 'outbox.read'")
  assert.deepEqual(acts, [{ action: 'outbox.read', actor_kind: 'command' }])
})

test('a role that owns its database is told apart from a superuser', async () => {
  const [row] = await world.rows<{ super: boolean }>(
    'select rolsuper as super from pg_roles where rolname = current_user',
  )
  assert.equal(await isSuperuser(world.deps.db), row?.super)
  assert.equal(row?.super, false)
})
