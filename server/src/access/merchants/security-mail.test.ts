// Tests the security e-mails to the administrators of a merchant about API keys, webhooks and members.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import { buttonOf } from '../../../test/mail-button.ts'
import { listEmails } from '../../adapters/messages/index.ts'
import { showTime } from '../../kernel/lib/index.ts'

let world: World
before(async () => {
  world = await createWorld()
})
after(() => world.close())

type Person = { token: string; email: string; user_id: string }

/** Creates a merchant with an administrator who reads Swahili, an administrator who reads English, and a developer. */
async function newTeam() {
  const merchant = await world.newMerchant()
  const member = (role: 'MERCHANT_ADMIN' | 'DEVELOPER') => world.newSession([{ role, merchant }])
  const [swahili, english, developer] = [
    await member('MERCHANT_ADMIN'),
    await member('MERCHANT_ADMIN'),
    await member('DEVELOPER'),
  ]
  await world.rows("update users set language = 'en' where id = $1", [english.user_id])
  return { merchant, swahili, english, developer }
}

/** Returns the texts of the security e-mails to a user, newest first. */
const textsTo = async ({ email }: Person) =>
  (await listEmails(world.deps, { to: email }))
    .filter(({ kind }) => kind.startsWith('security.'))
    .map(({ subject, text }) => `${subject}\n${text}`)

/** Returns the buttons of the security e-mails to a user, newest first. */
const buttonsTo = async ({ email }: Person) => {
  const mails = (await listEmails(world.deps, { to: email })).filter(({ kind }) => kind.startsWith('security.'))
  return Promise.all(mails.map((mail) => buttonOf(world, mail)))
}
const page = (path: string, { id }: { id: string }) => `http://127.0.0.1:8080/dashboard/${path}?merchant=${id}`

const KEY = { name: 'Seva kuu', environment: 'sandbox', scopes: ['webhooks:manage'] }

test('every administrator gets an e-mail in their language about a new key, without the key, and one administrator gets another e-mail after a rotation', async () => {
  const { merchant, swahili, english, developer } = await newTeam()
  const made = await world.post('/v1/merchant/api-keys', KEY, { key: developer.token })
  assert.equal(made.status, 201)
  const { id, plaintext_key, key_last4 } = made.body.data
  const [text = '', ...more] = await textsTo(english)
  assert.deepEqual(more, [])
  const facts = [`"Seva kuu" (sandbox, ...${key_last4})`, `By: ${developer.email}`, '127.0.0.1']
  const made_at = showTime(world.deps.clock.now(), 'en')
  for (const part of ['security notice: new API key', ...facts, `Time: ${made_at}`])
    assert.ok(text.includes(part), text)
  assert.match(text, /If it was not you, and you did not expect this key, revoke it immediately/)
  const [other = ''] = await textsTo(swahili)
  assert.match(other, /taarifa ya usalama: ufunguo mpya wa API/)
  assert.match(other, /Kama si wewe, na hukutarajia ufunguo huu, uzime mara moja/)
  assert.deepEqual(await buttonsTo(english), [['See the API keys', page('sandbox/keys', merchant)]])
  assert.deepEqual(await buttonsTo(swahili), [['Angalia funguo za API', page('sandbox/keys', merchant)]])
  for (const one of [text, other]) assert.ok(!one.includes(plaintext_key))
  assert.deepEqual(await textsTo(developer), [])
  world.deps.clock.advance(1)
  const rotated = await world.post(`/v1/merchant/api-keys/${id}/rotate`, {}, { key: developer.token })
  assert.equal(rotated.status, 201)
  assert.equal((await textsTo(english)).length, 2)
})

test('an administrator gets an e-mail about a change of the webhook, with the host but without the path and the secret', async () => {
  const { merchant, english, developer } = await newTeam()
  const patch = (payload: object, key = developer.token) =>
    world.call({ method: 'PATCH', url: '/v1/merchant/webhook-config', payload, key })
  const webhook_url = 'http://127.0.0.1:9/path?token=siri'
  const saved = await patch({ webhook_url })
  assert.equal(saved.status, 200, saved.text)
  const [text = ''] = await textsTo(english)
  for (const part of ['webhook configuration changed', 'Receiving server: 127.0.0.1:9', 'Signing secret: new']) {
    assert.ok(text.includes(part), text)
  }
  assert.deepEqual(await buttonsTo(english), [['See the webhooks', page('live/webhooks', merchant)]])
  for (const hidden of ['siri', '/path', saved.body.data.secret]) assert.ok(!text.includes(hidden))
  assert.equal((await patch({ webhook_url })).status, 200)
  assert.equal((await textsTo(english)).length, 1, 'the same configuration sends no e-mail')
  world.deps.clock.advance(1)
  const { plaintext_key } = (await world.post('/v1/merchant/api-keys', KEY, { key: developer.token })).body.data
  world.deps.clock.advance(1)
  assert.equal((await patch({ events: ['collection.failed'] }, plaintext_key)).status, 200)
  const [by_key = ''] = await textsTo(english)
  assert.match(by_key, /By: Seva kuu/)
  assert.ok(!by_key.includes('Signing secret'))
})

test('every administrator gets an e-mail about a new member, and no e-mail about a refused invitation', async () => {
  const { merchant, swahili, english, developer } = await newTeam()
  const email = `${randomUUID()}@example.com`
  const invite = (key: string) => world.post('/v1/merchant/members', { email, role: 'FINANCE' }, { key })
  assert.equal((await invite(developer.token)).status, 403)
  assert.deepEqual(await textsTo(english), [])
  assert.equal((await invite(swahili.token)).status, 201)
  assert.equal((await invite(swahili.token)).status, 409)
  const [text = '', ...more] = await textsTo(english)
  assert.deepEqual(more, [])
  for (const part of ['member added', `Member: ${email} (Finance)`, `By: ${swahili.email}`])
    assert.ok(text.includes(part))
  assert.match((await textsTo(swahili))[0] ?? '', /mtumiaji ameongezwa/)
  assert.deepEqual(await buttonsTo(swahili), [['Angalia watumiaji', page('live/members', merchant)]])
})
