// Tests the members of a merchant: the roles that may invite, change and remove members, and when each change applies.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { SignJWT } from 'jose'
import { createWorld, type Reply, type World } from '../../../test/harness.ts'
import { buttonOf } from '../../../test/mail-button.ts'
import { workBeforeCommit } from '../../../test/running-change.ts'
import { listEmails } from '../../adapters/messages/index.ts'
import { insertKey } from '../api-keys/index.ts'
import { issuerKey } from '../identity/index.ts'
import type { Merchant } from './index.ts'
import { mailedName } from './invitation-mail.ts'

let world: World
before(async () => {
  world = await createWorld()
})
after(() => world.close())

const newEmail = () => `${randomUUID()}@example.com`

/** Creates a merchant with one administrator. */
async function newTeam(): Promise<{ merchant: Merchant; admin: string; admin_id: string; email: string }> {
  const merchant = await world.newMerchant()
  const { token, email } = await world.newSession([{ role: 'MERCHANT_ADMIN', merchant }])
  const [{ id }] = (await world.get('/v1/merchant/members', token)).body.data.items
  return { merchant, admin: token, admin_id: id, email }
}

/** Returns the membership id of the user with this e-mail address. */
async function idOf(key: string, email: string): Promise<string> {
  const members = (await world.get('/v1/merchant/members', key)).body.data.items
  return members.find((member: { email: string }) => member.email === email).id
}

const invite = (key: string, body: object) => world.post('/v1/merchant/members', body, { key })
const setRole = (key: string, id: string, role: string) =>
  world.call({ method: 'PATCH', url: `/v1/merchant/members/${id}`, payload: { role }, key })
const remove = (key: string, id: string) => world.call({ method: 'DELETE', url: `/v1/merchant/members/${id}`, key })

test('the endpoint /v1/me returns the user and all memberships', async () => {
  const other = await world.newMerchant({ approved: false })
  const { token, user_id, email } = await world.newSession([
    { role: 'VIEWER' },
    { role: 'MERCHANT_ADMIN', merchant: other },
  ])
  const { status, body } = await world.get('/v1/me', token)
  assert.equal(status, 200)
  assert.deepEqual(body.data, {
    id: user_id,
    email,
    email_verified: true,
    name: 'Asha',
    language: 'sw',
    operator_role: null,
    operator_duties: [],
    super_admin: false,
    console: null,
    auth_time: world.deps.clock.now().toISOString(),
    second_factor: true,
    memberships: [
      [world.merchant, 'VIEWER', 'ACTIVE', true] as const,
      [other, 'MERCHANT_ADMIN', 'PENDING', false] as const,
    ].map(([{ id: merchant_id, merchant_code, name }, role, state, ready]) => ({
      merchant_id,
      merchant_code,
      name,
      role,
      status: state,
      verified: ready,
      priced: ready,
      second_factor_required: false,
    })),
  })
})

test('the endpoint /v1/me returns a user without a merchant, and marks an operator as super_admin', async () => {
  const { body } = await world.get('/v1/me', (await world.newSession([])).token)
  assert.deepEqual([body.data.super_admin, body.data.memberships], [false, []])
  const operator = await world.get('/v1/me', (await world.newSession('SUPER_ADMIN')).token)
  assert.equal(operator.body.data.super_admin, true)
})

test('the server refuses an API key at the endpoint that lists the members', async () => {
  assert.equal((await world.get('/v1/merchant/members')).body.error.code, 'insufficient_role')
})

test('an invited user is a member with the role and the name from the invitation', async () => {
  const { merchant, admin } = await newTeam()
  const email = newEmail()
  const { status, body } = await invite(admin, { email: email.toUpperCase(), role: 'FINANCE', name: 'Bi. Neema' })
  assert.equal(status, 201)
  const { id, created_at, updated_at, ...rest } = body.data
  const invited = { first_seen_at: null, has_mail_server: false }
  assert.deepEqual(rest, { email, role: 'FINANCE', name: 'Bi. Neema', ...invited })
  assert.equal(created_at, updated_at)
  const list = (await world.get('/v1/merchant/members', admin)).body.data
  assert.equal(list.pagination.total_items, 2)
  const seen = list.items.map((member: { first_seen_at: string | null }) => member.first_seen_at !== null)
  assert.deepEqual(seen.sort(), [false, true], 'only the administrator has signed in')
  assert.ok(list.items.some((member: { id: string }) => member.id === id))
  const [user] = await world.rows('select email_verified, issuer, super_admin from users where email = $1', [email])
  assert.deepEqual(user, { email_verified: false, issuer: null, super_admin: false })
  const [entry] = await world.rows<{ action: string; after: unknown }>(
    'select action, after from audit_log where merchant_id = $1 order by seq desc limit 1',
    [merchant.id],
  )
  assert.deepEqual(entry, { action: 'member.invite', after: { email, name: 'Bi. Neema', role: 'FINANCE' } })
})

test('the server stores the name of an invited user without marks that change the direction of text', async () => {
  const { admin } = await newTeam()
  const email = newEmail()
  const { body } = await invite(admin, { email, role: 'VIEWER', name: '\u202eameeN\u202c \u2066محمد\u2069\u200e' })
  assert.equal(body.data.name, 'ameeN محمد')
  const [user] = await world.rows('select name from users where email = $1', [email])
  assert.deepEqual(user, { name: 'ameeN محمد' })
})

test('an invited user gets one e-mail in the language of the inviter with the merchant and the role', async () => {
  const { merchant, admin } = await newTeam()
  const email = newEmail()
  await invite(admin, { email, role: 'FINANCE' })
  const [mail, ...others] = await listEmails(world.deps, { merchant_id: merchant.id, to: email })
  assert.deepEqual(others, [])
  assert.equal(mail?.kind, 'member.invite')
  for (const part of [merchant.name, 'Umealikwa', 'Jukumu lako: Fedha']) assert.ok(mail?.text?.includes(part))
  assert.doesNotMatch(mail?.text ?? '', /FINANCE|invites you/)
  assert.deepEqual(await buttonOf(world, mail), [
    'Ingia au fungua akaunti',
    `http://127.0.0.1:8080/dashboard/?merchant=${merchant.id}`,
  ])
})

test('the server queues no e-mail for an invitation that it refuses', async () => {
  const { merchant, admin, email } = await newTeam()
  assert.equal((await invite(admin, { email, role: 'VIEWER' })).status, 409)
  assert.deepEqual(await listEmails(world.deps, { merchant_id: merchant.id }), [])
})

test('the server refuses the invitation of a 201st member, also when four invitations arrive at the same time', async () => {
  const { merchant, admin } = await newTeam()
  await world.rows(
    `with fresh as (
       insert into users (id, email, email_verified, name, language, super_admin, created_at, updated_at)
       select gen_random_uuid(), gen_random_uuid() || '@example.com', false, 'x', 'sw', false, $2, $2
       from generate_series(2, 199) returning id)
     insert into members (merchant_id, id, user_id, role, created_at, updated_at)
     select $1, gen_random_uuid(), id, 'VIEWER', $2, $2 from fresh`,
    [merchant.id, world.deps.clock.now()],
  )
  const inviteOne = () => invite(admin, { email: newEmail(), role: 'VIEWER' })
  const replies = await Promise.all([inviteOne(), inviteOne(), inviteOne(), inviteOne()])
  const results = replies.map(({ status, body }) => [status, body.error?.code ?? null]).sort()
  assert.deepEqual(results, [[201, null], ...Array(3).fill([409, 'invalid_state'])])
})

test('no response shows an inviter whether an e-mail address has an account', async () => {
  const { merchant, admin } = await newTeam()
  const known = await world.newSession([])
  world.deps.clock.advance(600_000)
  const unknown = newEmail()
  const answers: Reply[] = []
  for (const email of [known.email, unknown]) answers.push(await invite(admin, { email, role: 'VIEWER' }))
  const list = (await world.get('/v1/merchant/members', admin)).body.data.items
  const mails = (await listEmails(world.deps, { merchant_id: merchant.id })).map(({ text, subject, to }) => ({
    text,
    subject,
    to,
  }))
  const log = (await world.get('/v1/merchant/audit-log', admin)).body.data.items
  const [first, second] = [known.email, unknown].map((email) => {
    const pick = (items: object[]) => items.find((item) => JSON.stringify(item).includes(email))
    const seen = JSON.stringify([
      answers.find(({ text }) => text.includes(email))?.body,
      pick(list),
      pick(log),
      pick(mails),
    ])
    // The results of the two invitations may differ only in the e-mail address, the random ids and the number of the log entry.
    return seen
      .replaceAll(email, 'EMAIL')
      .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, (id) => `id at ${id.slice(0, 13)}`)
      .replaceAll(/"(seq|request_id)":("[^"]*"|\d+)/g, '')
  })
  assert.equal(first, second)
  assert.ok(!answers[0]?.text.includes(known.user_id))
})

test('an invited user who has an account can read the payments of both merchants on the next request', async () => {
  const { merchant, admin } = await newTeam()
  const { token, email } = await world.newSession('VIEWER')
  const url = `/v1/collections?merchant_id=${merchant.id}`
  assert.equal((await world.get(url, token)).body.error.code, 'merchant_mismatch')
  assert.equal((await invite(admin, { email, role: 'VIEWER' })).status, 201)
  assert.equal((await world.get(url, token)).status, 200)
  assert.equal((await world.get(`/v1/collections?merchant_id=${world.merchant.id}`, token)).status, 200)
})

test('an invitation gives access only after the invited user has proven the e-mail address', async () => {
  const { merchant, admin } = await newTeam()
  const { token, user_id, email } = await world.newSession('VIEWER')
  await world.rows('update users set email_verified = false where id = $1', [user_id])
  assert.equal((await invite(admin, { email, role: 'MERCHANT_ADMIN' })).status, 201)
  const url = `/v1/merchant/members?merchant_id=${merchant.id}`
  assert.equal((await world.get(url, token)).body.error.code, 'merchant_mismatch')
  const merchants = async () =>
    (await world.get('/v1/me', token)).body.data.memberships.map((one: { merchant_id: string }) => one.merchant_id)
  assert.deepEqual(await merchants(), [world.merchant.id], 'the membership without an invitation stays')
  await world.rows('update users set email_verified = true where id = $1', [user_id])
  assert.equal((await world.get(url, token)).status, 200)
  assert.equal((await merchants()).length, 2)
})

test('the server refuses an invitation of an existing member', async () => {
  const { admin, email } = await newTeam()
  const { status, body } = await invite(admin, { email, role: 'VIEWER' })
  assert.deepEqual([status, body.error.code], [409, 'invalid_state'])
})

test('ten simultaneous invitations of one address make one member', async () => {
  const { admin } = await newTeam()
  const email = newEmail()
  const answers = await Promise.all(Array.from({ length: 10 }, () => invite(admin, { email, role: 'VIEWER' })))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array(9).fill(409)])
})

test('the server refuses an invitation without a valid address or with an unknown role', async () => {
  const { admin } = await newTeam()
  for (const body of [
    { role: 'VIEWER' },
    { email: 'nobody', role: 'VIEWER' },
    { email: 'a\u0000@example.com', role: 'VIEWER' },
    { email: '\u202ee@b.example', role: 'VIEWER' },
    { email: '\u2066e@b.example\u2069', role: 'VIEWER' },
    { email: newEmail() },
    { email: newEmail(), role: 'SUPER_ADMIN' },
    { email: newEmail(), role: 'VIEWER', name: ' ' },
  ]) {
    const { status, body: answer } = await invite(admin, body)
    assert.deepEqual([status, answer.error.code], [400, 'validation_failed'], JSON.stringify(body))
  }
})

test('the server applies the new role of a member on the next request, and writes the change to the audit log', async () => {
  const { merchant, admin } = await newTeam()
  const { token, email } = await world.newSession([{ role: 'VIEWER', merchant }])
  const id = await idOf(token, email)
  assert.equal((await invite(token, { email: newEmail(), role: 'VIEWER' })).body.error.code, 'insufficient_role')
  assert.equal((await setRole(admin, id, 'MERCHANT_ADMIN')).body.data.role, 'MERCHANT_ADMIN')
  assert.equal((await invite(token, { email: newEmail(), role: 'VIEWER' })).status, 201)
  const log = (await world.get('/v1/merchant/audit-log', admin)).body.data.items
  const change = log.find(({ action }: { action: string }) => action === 'member.change_role')
  assert.deepEqual(
    [change.before, change.after],
    [
      { email, role: 'VIEWER' },
      { email, role: 'MERCHANT_ADMIN' },
    ],
  )
  assert.equal(change.target_id, id)
})

test('a role change to the current role of a member changes nothing and adds no audit entry', async () => {
  const { admin, admin_id } = await newTeam()
  world.deps.clock.advance(1000)
  const { status, body } = await setRole(admin, admin_id, 'MERCHANT_ADMIN')
  assert.equal(status, 200)
  assert.notEqual(body.data.updated_at, world.deps.clock.now().toISOString())
  const [newest] = (await world.get('/v1/merchant/audit-log', admin)).body.data.items
  assert.equal(newest.action, 'merchant.create')
})

test('the server refuses a removed member on the next request, and answers not_found to a second removal', async () => {
  const { merchant, admin } = await newTeam()
  const { token, email } = await world.newSession([{ role: 'FINANCE', merchant }])
  const id = await idOf(admin, email)
  const removed = await remove(admin, id)
  assert.deepEqual([removed.status, removed.body.data.email], [200, email])
  assert.equal((await world.get('/v1/merchant/members', token)).body.error.code, 'insufficient_role')
  assert.equal((await remove(admin, id)).body.error.code, 'not_found')
  assert.equal((await setRole(admin, id, 'VIEWER')).body.error.code, 'not_found')
})

test('the server neither removes nor demotes the last MERCHANT_ADMIN', async () => {
  const { admin, admin_id } = await newTeam()
  for (const answer of [await remove(admin, admin_id), await setRole(admin, admin_id, 'DEVELOPER')]) {
    assert.deepEqual([answer.status, answer.body.error.code], [409, 'invalid_state'])
  }
})

test('only one of two administrators succeeds when each removes or demotes the other administrator at the same time', async () => {
  for (let round = 0; round < 10; round++) {
    const { merchant, admin, admin_id } = await newTeam()
    const { token, email } = await world.newSession([{ role: 'MERCHANT_ADMIN', merchant }])
    const other_id = await idOf(admin, email)
    const answers = await Promise.all([
      round % 2 ? remove(admin, other_id) : setRole(admin, other_id, 'VIEWER'),
      remove(token, admin_id),
    ])
    assert.equal(answers.filter(({ status }) => status === 200).length, 1, JSON.stringify(answers.map((a) => a.body)))
    const [left] = await world.rows<{ n: bigint }>(
      "select count(*) as n from members where merchant_id = $1 and role = 'MERCHANT_ADMIN'",
      [merchant.id],
    )
    assert.equal(left?.n, 1n)
  }
})

test('the server answers not_found to a request about a member of another merchant', async () => {
  const [here, there] = [await newTeam(), await newTeam()]
  assert.equal((await remove(here.admin, there.admin_id)).body.error.code, 'not_found')
  assert.equal((await setRole(here.admin, there.admin_id, 'VIEWER')).body.error.code, 'not_found')
})

test('every role can read the members, only a MERCHANT_ADMIN can change members or read the audit log, and the server refuses API keys', async () => {
  const { merchant, admin_id } = await newTeam()
  for (const role of ['DEVELOPER', 'FINANCE', 'VIEWER'] as const) {
    const { token } = await world.newSession([{ role, merchant }])
    assert.equal((await world.get('/v1/merchant/members', token)).status, 200)
    for (const answer of [
      await invite(token, { email: newEmail(), role: 'VIEWER' }),
      await setRole(token, admin_id, 'VIEWER'),
      await remove(token, admin_id),
      await world.get('/v1/merchant/audit-log', token),
    ]) {
      assert.deepEqual([answer.status, answer.body.error.code], [403, 'insufficient_role'])
    }
  }
  for (const url of ['/v1/merchant/members', '/v1/merchant/audit-log']) {
    assert.equal((await world.get(url)).body.error.code, 'insufficient_role')
  }
})

test('two invitations with one Idempotency-Key get the same response', async () => {
  const { admin } = await newTeam()
  const body = { email: newEmail(), role: 'VIEWER' }
  const idempotency_key = randomUUID()
  const send = () => world.post('/v1/merchant/members', body, { key: admin, idempotency_key })
  const [first, second] = [await send(), await send()]
  assert.deepEqual([first.status, second.status], [201, 201])
  assert.equal(first.text, second.text)
})

test('the server refuses invitations and role changes by a user whose e-mail address is not confirmed', async () => {
  const { merchant, admin, email } = await newTeam()
  const other = await world.newSession([{ role: 'VIEWER', merchant }])
  const id = await idOf(admin, other.email)
  await world.rows('update users set email_verified = false where email = $1', [email])
  const answers = [
    await invite(admin, { email: newEmail(), role: 'MERCHANT_ADMIN' }),
    await setRole(admin, id, 'MERCHANT_ADMIN'),
  ]
  for (const { status, body } of answers) {
    assert.deepEqual([status, body.error.code], [403, 'insufficient_role'])
    assert.match(body.error.message, /Confirm your e-mail address first/)
  }
  assert.equal((await world.get('/v1/merchant/members', admin)).body.data.pagination.total_items, 2)
  await world.rows('update users set email_verified = true where email = $1', [email])
  assert.equal((await setRole(admin, id, 'DEVELOPER')).status, 200)
  assert.equal((await invite(admin, { email: newEmail(), role: 'MERCHANT_ADMIN' })).status, 201)
})

test('a member of each role can leave a merchant, even after an unwanted invitation', async () => {
  for (const role of ['MERCHANT_ADMIN', 'DEVELOPER', 'FINANCE', 'VIEWER'] as const) {
    const { merchant, admin } = await newTeam()
    const { token, email } = await world.newSession('VIEWER')
    const id = (await invite(admin, { email, role })).body.data.id
    assert.equal(
      (await world.get('/v1/collections', token)).status,
      400,
      'a user of two merchants must name the merchant',
    )
    const left = await remove(token, `${id}?merchant_id=${merchant.id}`)
    assert.deepEqual([left.status, left.body.data?.email], [200, email])
    assert.equal((await world.get('/v1/collections', token)).status, 200)
    const [entry] = (await world.get('/v1/merchant/audit-log', admin)).body.data.items
    assert.deepEqual([entry.action, entry.actor.name, entry.target_id], ['member.remove', email, id])
  }
})

test('a member who is no MERCHANT_ADMIN cannot remove another member', async () => {
  const { merchant, admin, admin_id } = await newTeam()
  const { token } = await world.newSession([{ role: 'DEVELOPER', merchant }])
  const viewer = await world.newSession([{ role: 'VIEWER', merchant }])
  for (const id of [admin_id, await idOf(admin, viewer.email)]) {
    const { status, body } = await remove(token, id)
    assert.deepEqual([status, body.error.code], [403, 'insufficient_role'])
  }
  assert.equal((await remove(token, randomUUID())).body.error.code, 'not_found')
  assert.equal((await world.get('/v1/merchant/members', admin)).body.data.pagination.total_items, 3)
})

const mailsTo = async (email: string) =>
  (await world.rows('select 1 from outbox_messages where recipient = $1', [email])).length

test('all merchants together send at most three invitation e-mails a day to one address, and no response shows the limit', async () => {
  const teams = [await newTeam(), await newTeam()]
  const email = newEmail()
  const inviteAndRemove = async (admin: string) => {
    const { status, body } = await invite(admin, { email: email.toUpperCase(), role: 'VIEWER' })
    const { id, created_at, updated_at, ...rest } = body.data
    assert.equal(status, 201)
    assert.deepEqual(rest, { email, role: 'VIEWER', name: email, first_seen_at: null, has_mail_server: false })
    assert.equal((await remove(admin, body.data.id)).status, 200)
  }
  for (let i = 0; i < 6; i++) for (const { admin } of teams) await inviteAndRemove(admin)
  assert.equal(await mailsTo(email), 3)
  await inviteAt(86_400_000 - 1)
  assert.equal(await mailsTo(email), 3)
  await inviteAt(1)
  assert.equal(await mailsTo(email), 4)

  async function inviteAt(later: number) {
    world.deps.clock.advance(later)
    const { token } = await world.newSession([{ role: 'MERCHANT_ADMIN', merchant: await world.newMerchant() }])
    await inviteAndRemove(token)
  }
})

test('an invitation with a slightly earlier time does not restart the limit of its address', async () => {
  const email = newEmail()
  for (let i = 0; i < 6; i++) {
    const { admin } = await newTeam()
    assert.equal((await invite(admin, { email, role: 'VIEWER' })).status, 201)
    world.deps.clock.step(-1)
  }
  assert.equal(await mailsTo(email), 3)
})

test('ten merchants that invite one address at the same time send three e-mails in total', async () => {
  const admins = await Promise.all(Array.from({ length: 10 }, async () => (await newTeam()).admin))
  const email = newEmail()
  const answers = await Promise.all(admins.map((admin) => invite(admin, { email, role: 'VIEWER' })))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
  assert.equal(await mailsTo(email), 3)
})

test('a merchant sends at most fifty invitation e-mails a day, and a later invitation adds the member without an e-mail', async () => {
  const { merchant, admin } = await newTeam()
  for (let i = 0; i < 52; i++) assert.equal((await invite(admin, { email: newEmail(), role: 'VIEWER' })).status, 201)
  assert.equal((await listEmails(world.deps, { merchant_id: merchant.id })).length, 50)
  assert.equal((await world.get('/v1/merchant/members', admin)).body.data.pagination.total_items, 53)
})

test('mailedName returns the name of a business on one line and without links', () => {
  const cases: [string, string][] = [
    ['Duka la Asha', 'Duka la Asha'],
    ['M.K. & Sons Ltd.', 'M.K. & Sons Ltd.'],
    ['Win at https://evil.example/x?y=1 now', 'Win at now'],
    ['www.evil.example', '-'],
    ['evil.example/login', 'evil example/login'],
    ['Duka\r\nBcc: all@evil.example\u2028x', 'Duka Bcc: all@evil example x'],
  ]
  for (const [name, mailed] of cases) assert.equal(mailedName(name), mailed)
})

test('an invitation e-mail shows the name of the business without links', async () => {
  const { merchant, admin } = await newTeam()
  await world.rows("update merchants set name = 'Win https://evil.example/x' where id = $1", [merchant.id])
  const email = newEmail()
  await invite(admin, { email, role: 'VIEWER' })
  const [mail] = await listEmails(world.deps, { merchant_id: merchant.id, to: email })
  assert.match(mail?.subject ?? '', /"Win"$/)
  assert.ok(!mail?.text?.includes('evil'))
})

test('the removal of a member revokes and lists the keys that the member made, except the keys that the request names', async () => {
  const { merchant, admin } = await newTeam()
  const { token, email, user_id } = await world.newSession([{ role: 'DEVELOPER', merchant }])
  const make = async (name: string, key: string) => {
    const body = { name, environment: 'sandbox', scopes: ['collections:read'] }
    const { id, plaintext_key } = (await world.post('/v1/merchant/api-keys', body, { key })).body.data
    return { id, plaintext_key } as { id: string; plaintext_key: string }
  }
  const [lost, kept, other] = [await make('Lost', token), await make('Kept', token), await make('Other', admin)]
  const member = await idOf(admin, email)
  for (const keep of ['nonsense', other.id]) {
    const refused = await remove(admin, `${member}?keep_keys=${keep}`)
    assert.deepEqual([refused.status, refused.body.error.details.fields[0].field], [400, 'keep_keys'], refused.text)
  }
  const own = await remove(token, `${member}?keep_keys=${kept.id}`)
  assert.deepEqual([own.status, own.body.error.code], [403, 'insufficient_role'], 'a developer who leaves keeps no key')
  // A request of the member creates another key during the removal.
  const scopes = ['collections:read']
  const late = {
    merchant_id: merchant.id,
    environment: 'sandbox',
    scopes,
    name: 'Late',
    created_by_id: user_id,
  } as const
  const removed = await workBeforeCommit(
    world,
    (tx) => insertKey(world.deps, tx, late, world.deps.config.keys_per_merchant),
    () => remove(admin, `${member}?keep_keys=${kept.id}`),
  )
  assert.equal(removed.status, 200, removed.text)
  const revoked: { id: string; name: string }[] = removed.body.data.revoked_keys
  assert.deepEqual(revoked.map(({ name }) => name).sort(), ['Late', 'Lost'])
  assert.ok(revoked.some(({ id }) => id === lost.id))
  const works = async ({ plaintext_key }: { plaintext_key: string }) =>
    (await world.get('/v1/collections', plaintext_key)).status
  assert.deepEqual([await works(lost), await works(kept), await works(other)], [401, 200, 200])
  const audited = await world.rows<{ target_id: string; reason: string }>(
    "select target_id, reason from audit_log where merchant_id = $1 and action = 'api_key.revoke' order by target_id",
    [merchant.id],
  )
  const reason = `Made by ${email}, who is no longer a member.`
  assert.deepEqual(
    audited,
    revoked.map(({ id }) => ({ target_id: id, reason })),
  )
})

/** Returns a token like those of a sign-in at the dashboard. The tokens of `newSession` are tokens of the admin command. */
async function signIn(user_id: string): Promise<string> {
  const key = await issuerKey(world.deps, 'http://127.0.0.1/identity')
  const now = Math.floor(world.deps.clock.now().getTime() / 1000)
  return new SignJWT({ amr: ['pwd', 'otp'], client_id: 'dashboard', auth_time: now, jti: randomUUID() })
    .setProtectedHeader({ alg: 'ES256', kid: key.kid, typ: 'at+jwt' })
    .setIssuer(key.issuer)
    .setAudience('malipo-api')
    .setSubject(user_id)
    .setIssuedAt(now)
    .setExpirationTime(now + 900)
    .sign(key.private_key)
}

const inviteAgain = (key: string, id: string) => world.post(`/v1/merchant/members/${id}/invitation`, {}, { key })

/** Returns when the member first used the membership. Null means never. */
async function firstUse(key: string, id: string): Promise<string | null> {
  const { items } = (await world.get('/v1/merchant/members', key)).body.data
  return items.find((member: { id: string }) => member.id === id).first_seen_at
}

test('an invited user counts as signed in from the first request for the merchant, and no other request changes this time', async () => {
  const { merchant, admin } = await newTeam()
  const { token: script, email, user_id } = await world.newSession('VIEWER')
  const token = await signIn(user_id)
  const { id } = (await invite(admin, { email, role: 'VIEWER' })).body.data
  assert.equal((await world.get('/v1/me', token)).body.data.memberships.length, 2)
  assert.equal((await world.get(`/v1/collections?merchant_id=${world.merchant.id}`, token)).status, 200)
  const url = `/v1/collections?merchant_id=${merchant.id}`
  assert.equal((await world.get(url, script)).status, 200)
  assert.equal(await firstUse(admin, id), null, 'neither another merchant nor a script of the admin command counts')
  world.deps.clock.advance(60_000)
  const used_at = world.deps.clock.now().toISOString()
  const replies = await Promise.all(Array.from({ length: 5 }, () => world.get(url, token)))
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]))
  assert.equal(await firstUse(admin, id), used_at)
  const version = () => world.rows('select xmin::text as xmin from members where id = $1', [id])
  const written = await version()
  world.deps.clock.advance(60_000)
  assert.equal((await world.get(url, token)).status, 200)
  assert.deepEqual(await version(), written, 'the second request writes no row')
})

test('an administrator sends an invitation again, at most three a day to one address, until the invited user has signed in', async () => {
  const { merchant, admin } = await newTeam()
  const known = await world.newSession('VIEWER')
  const answers: unknown[] = []
  for (const email of [known.email, newEmail()]) {
    const { id } = (await invite(admin, { email, role: 'VIEWER' })).body.data
    const replies = await Promise.all(Array.from({ length: 4 }, () => inviteAgain(admin, id)))
    assert.equal(await mailsTo(email), 3, 'the first invitation and two more')
    answers.push(replies.map(({ status, text }) => [status, text.replaceAll(email, '').replaceAll(id, '')]))
    const log = await world.rows(
      "select action from audit_log where target_id = $1 and action = 'member.invite_again'",
      [id],
    )
    assert.equal(log.length, 4)
    if (email !== known.email) continue
    assert.equal(
      (await world.get(`/v1/collections?merchant_id=${merchant.id}`, await signIn(known.user_id))).status,
      200,
    )
    const late = await inviteAgain(admin, id)
    assert.deepEqual([late.status, late.body.error.code], [409, 'invalid_state'])
  }
  assert.deepEqual(answers[0], answers[1], 'no answer shows whether the address has an account')
})

test('only an administrator with a confirmed address sends an invitation of the own merchant again', async () => {
  const { merchant, admin, email } = await newTeam()
  const { id } = (await invite(admin, { email: newEmail(), role: 'VIEWER' })).body.data
  const { token } = await world.newSession([{ role: 'FINANCE', merchant }])
  assert.equal((await inviteAgain(token, id)).body.error.code, 'insufficient_role')
  assert.equal((await inviteAgain((await newTeam()).admin, id)).body.error.code, 'not_found')
  await world.rows('update users set email_verified = false where email = $1', [email])
  assert.match((await inviteAgain(admin, id)).body.error.message, /Confirm your e-mail address first/)
})

test('the upgrade counts only people who have signed in as members who used an invitation', async () => {
  const { merchant, admin } = await newTeam()
  const ids: string[] = []
  for (let i = 0; i < 4; i++) ids.push((await invite(admin, { email: newEmail(), role: 'VIEWER' })).body.data.id)
  const [signed_in, unproven, first_password] = ids
  const user = 'where id = (select user_id from members where id = $1)'
  const set = (id: string | undefined, values: string) => world.rows(`update users set ${values} ${user}`, [id])
  await set(signed_in, "issuer = 'embedded', subject = id::text, email_verified = true")
  await set(unproven, "issuer = 'embedded', subject = id::text")
  await set(first_password, "issuer = 'embedded', subject = id::text, email_verified = true")
  await world.rows(
    `insert into credentials (user_id, password_hash, changed_at, is_first)
     select user_id, 'x', created_at, true from members where id = $1`,
    [first_password],
  )
  const migration = await readFile(
    new URL('../../../../db/migrations/0118_first_use_of_membership.sql', import.meta.url),
    'utf8',
  )
  await world.rows('update members set first_seen_at = null where merchant_id = $1', [merchant.id])
  await world.rows(migration.slice(migration.indexOf('update members')))
  const found = await world.rows<{ id: string; created: boolean }>(
    'select id, first_seen_at = created_at as created from members where merchant_id = $1 and first_seen_at is not null',
    [merchant.id],
  )
  const own = await idOf(admin, (await world.get('/v1/me', admin)).body.data.email)
  assert.deepEqual(found.map(({ id }) => id).sort(), [own, signed_in].sort())
  assert.ok(found.every(({ created }) => created))
})
