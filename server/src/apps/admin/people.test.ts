// Tests the commands for users in this process. server/test/people.test.ts runs the same commands on a real command line.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import { createUser } from '../../access/merchants/index.ts'
import { queueEmail } from '../../adapters/messages/index.ts'
import { inTransaction, isSuperuser } from '../../kernel/db/index.ts'
import type { OperatorRole, Role } from '../../kernel/http/index.ts'
import { Refusal } from '../../kernel/lib/index.ts'
import { grantRole, issueToken, readEmails } from './people.ts'
import { disableByEmail, dropLostSecondStep, enableByEmail, revokeOperator } from './people-rights.ts'

let world: World
before(async () => {
  world = await createWorld()
})
after(() => world.close())

test('the admin command refuses to make an account with an unconfirmed e-mail address an operator', async () => {
  const { deps } = world
  const email = 'neema@example.com'
  const taken = { email, name: 'Not Neema', language: 'sw', operator_role: null, identity: 'embedded' } as const
  await inTransaction(deps.db, (tx) => createUser(deps, tx, { ...taken, email_verified: false }))
  const person = { email, role: 'SUPER_ADMIN', merchant_id: null, name: null, language: 'sw', subject: null } as const
  await assert.rejects(grantRole(deps, person), (error) => error instanceof Refusal && error.code === 'invalid_state')
  const rights = await world.rows('select super_admin from users where email = $1', [email])
  assert.deepEqual(rights, [{ super_admin: false }])

  await world.rows('update users set email_verified = true where email = $1', [email])
  assert.equal((await grantRole(deps, person)).password, null)
})

test('the admin command shows the e-mails of an installation without a mail server and writes the audit log', async () => {
  const { deps } = world
  const sent = {
    to: 'asha@example.com',
    subject: 'Weka nywila',
    text: 'https://example.com/x',
    kind: 'password.reset',
  }
  await inTransaction(deps.db, (tx) => queueEmail(deps, tx, sent))
  const { emails } = await readEmails(deps, { to: 'asha@example.com' })
  assert.deepEqual(
    emails.map(({ to, subject, text }) => ({ to, subject, text })),
    [{ to: sent.to, subject: sent.subject, text: sent.text }],
  )
  const acts = await world.rows("select action, actor_kind from audit_log where action = 'outbox.read'")
  assert.deepEqual(acts, [{ action: 'outbox.read', actor_kind: 'command' }])
})

test('the server does not report the owner of a database as a superuser', async () => {
  const [row] = await world.rows<{ super: boolean }>(
    'select rolsuper as super from pg_roles where rolname = current_user',
  )
  assert.equal(await isSuperuser(world.deps.db), row?.super)
  assert.equal(row?.super, false)
})

/** Signs a user in at the built-in provider and stores the session. */
async function signIn(role: Role) {
  const { token, user_id, email } = await world.newSession(role)
  await world.rows(
    `insert into identity_records (model, id_hash, payload, account_id, expires_at)
     select 'RefreshToken', sha256(convert_to(subject, 'UTF8')), '', subject, '2100-01-01' from users where id = $1`,
    [user_id],
  )
  const [before] = await world.rows<{ subject: string }>('select subject from users where id = $1', [user_id])
  const left = async () =>
    (await world.rows('select 1 from identity_records where account_id = $1', [before?.subject])).length
  const status = async () => (await world.get('/v1/me', token)).status
  const acts = () =>
    world.rows('select action, actor_kind, before, after from audit_log where target_id = $1 order by seq', [user_id])
  return { user_id, email, left, status, acts }
}

const refusedAs = (code: string) => (error: unknown) => error instanceof Refusal && error.code === code

test('a disabled user loses every session, and gets an access token again only after a command enables the user', async () => {
  const { deps } = world
  const { user_id, email, left, status, acts } = await signIn('VIEWER')
  assert.deepEqual([await status(), await left()], [200, 1])
  assert.deepEqual(await disableByEmail(deps, email), { user_id, email })
  assert.deepEqual([await status(), await left()], [401, 0])
  await assert.rejects(issueToken(deps, email), refusedAs('invalid_state'))
  await assert.rejects(disableByEmail(deps, email), refusedAs('invalid_state'))
  assert.deepEqual(await enableByEmail(deps, email), { user_id, email })
  assert.equal(await status(), 401, 'the old session stays ended')
  await issueToken(deps, email)
  await assert.rejects(enableByEmail(deps, email), refusedAs('invalid_state'))
  await assert.rejects(disableByEmail(deps, 'unknown@example.com'), refusedAs('not_found'))
  const command = { actor_kind: 'command' }
  assert.deepEqual(await auditedActs(acts), [
    { ...command, action: 'user.disable' },
    { ...command, action: 'user.enable' },
    { ...command, action: 'user.token' },
  ])
})

test('the admin command removes the operator role of a user, and ends the sessions of the user', async () => {
  await world.newSession('SUPER_ADMIN')
  const { email, user_id, left, status, acts } = await signIn('SUPER_ADMIN')
  await revokeOperator(world.deps, email)
  const rights = await world.rows('select super_admin from users where id = $1', [user_id])
  assert.deepEqual([rights, await status(), await left()], [[{ super_admin: false }], 401, 0])
  await assert.rejects(revokeOperator(world.deps, email), refusedAs('invalid_state'))
  assert.deepEqual(await auditedActs(acts), [{ actor_kind: 'command', action: 'user.revoke_operator' }])
})

const withRole = (email: string, role: OperatorRole) =>
  grantRole(world.deps, { email, role, merchant_id: null, name: null, language: 'sw', subject: null })
const rolesOf = (user_id: string) => world.rows('select super_admin, operator_role from users where id = $1', [user_id])

test('a new role of an operator replaces the earlier role, ends the sessions and is in the audit log', async () => {
  await world.newSession('SUPER_ADMIN')
  const { email, user_id, left, status, acts } = await signIn('SUPER_ADMIN')
  const { note } = await withRole(email, 'SUPPORT')
  assert.match(note ?? '', /had the role SUPER_ADMIN and has the role SUPPORT .*sessions of the user ended/)
  assert.deepEqual(await rolesOf(user_id), [{ super_admin: false, operator_role: 'SUPPORT' }])
  assert.deepEqual([await status(), await left()], [401, 0])
  await withRole(email, 'SUPPORT')
  await withRole(email, 'SUPER_ADMIN')
  assert.deepEqual(await rolesOf(user_id), [{ super_admin: true, operator_role: null }])
  await withRole(email, 'COMPLIANCE')
  await revokeOperator(world.deps, email)
  assert.deepEqual(await rolesOf(user_id), [{ super_admin: false, operator_role: null }])
  type Roles = { operator_role: OperatorRole | null }
  const found = (await acts()) as { action: string; actor_kind: string; before: Roles; after: Roles }[]
  assert.deepEqual(
    found.map(({ action, actor_kind, before, after }) => [
      action,
      actor_kind,
      before.operator_role,
      after.operator_role,
    ]),
    [
      ['user.change', 'command', 'SUPER_ADMIN', 'SUPPORT'],
      ['user.change', 'command', 'SUPPORT', 'SUPER_ADMIN'],
      ['user.change', 'command', 'SUPER_ADMIN', 'COMPLIANCE'],
      ['user.revoke_operator', 'command', 'COMPLIANCE', null],
    ],
  )
})

test('no command removes the last enabled SUPER_ADMIN, not even two commands at the same time', async () => {
  const { deps } = world
  await world.rows('update users set super_admin = false')
  const [one, two] = [await signIn('SUPER_ADMIN'), await signIn('SUPER_ADMIN')]
  const both = await Promise.allSettled([revokeOperator(deps, one.email), disableByEmail(deps, two.email)])
  assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  const [last] = await world.rows<{ email: string }>(
    'select email from users where super_admin and disabled_at is null',
  )
  const email = last?.email ?? assert.fail('no SUPER_ADMIN is left')
  for (const remove of [
    () => revokeOperator(deps, email),
    () => disableByEmail(deps, email),
    () => withRole(email, 'FINANCE_OPERATOR'),
  ]) {
    await assert.rejects(remove(), /last enabled SUPER_ADMIN/)
  }
  const { user_id } = await signIn('SUPPORT')
  assert.deepEqual(await rolesOf(user_id), [{ super_admin: false, operator_role: 'SUPPORT' }])
})

test('a command disables a demo user who is the last SUPER_ADMIN, because production does not start with demo users', async () => {
  const { deps } = world
  await world.rows('update users set super_admin = false')
  const { email: made } = await signIn('SUPER_ADMIN')
  const email = 'super-admin@demo.malipo.example'
  await world.rows('update users set email = $2 where email = $1', [made, email])
  await disableByEmail(deps, email)
  const enabled = 'select email from users where super_admin and disabled_at is null'
  assert.deepEqual(await world.rows(enabled), [])
})

test('the admin command deletes the authenticator app and the passkeys of a user, and ends the sessions of the user', async () => {
  const { deps } = world
  const { email, user_id, left, status, acts } = await signIn('VIEWER')
  await assert.rejects(dropLostSecondStep(deps, email), refusedAs('invalid_state'))
  await world.rows("insert into second_steps (user_id, secret, last_counter, created_at) values ($1, 'x', 0, now())", [
    user_id,
  ])
  await world.rows(
    `insert into passkeys (id, user_id, domain, credential_id, public_key, sign_count, transports, name, created_at)
     values ($1, $1, 'example.tz', 'x', 'x', 0, '{}', 'Simu', now())`,
    [user_id],
  )
  await dropLostSecondStep(deps, email)
  const steps = await world.rows(
    'select user_id from second_steps where user_id = $1 union all select user_id from passkeys where user_id = $1',
    [user_id],
  )
  assert.deepEqual([steps.length, await status(), await left()], [0, 401, 0])
  assert.deepEqual(await auditedActs(acts), [{ actor_kind: 'command', action: 'user.drop_second_step' }])
  const mails = await world.rows('select kind from outbox_messages where recipient = $1', [email])
  assert.deepEqual(mails, [{ kind: 'identity.second_step_removed' }])
})

test('when the admin command disables a user of a foreign issuer, the user keeps the issuer and the subject', async () => {
  const { email, user_id } = await signIn('VIEWER')
  await world.rows("update users set issuer = 'https://id.example.tz', subject = 'asha' where id = $1", [user_id])
  await disableByEmail(world.deps, email)
  const people = await world.rows('select issuer, subject, disabled_at is null as active from users where id = $1', [
    user_id,
  ])
  assert.deepEqual(people, [{ issuer: 'https://id.example.tz', subject: 'asha', active: false }])
})

async function auditedActs(acts: () => Promise<Record<string, unknown>[]>) {
  return (await acts()).map(({ actor_kind, action }) => ({ actor_kind, action }))
}
