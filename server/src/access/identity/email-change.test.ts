// Tests the change of a user's own e-mail address: the request, the page of the mailed link, and all refusals.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import { codeOf, type Reply } from '../../../test/harness.ts'
import { buttonOf } from '../../../test/mail-button.ts'
import { workBeforeCommit } from '../../../test/running-change.ts'
import {
  type BrowserPage,
  mailedUrl,
  newPerson,
  openBrowser,
  type Served,
  serve,
  signIn,
} from '../../../test/sign-in.ts'
import { listEmails } from '../../adapters/messages/index.ts'
import { PLATFORM, recordAudit } from '../../books/audit/index.ts'
import { inTransaction, sql, type Tx } from '../../kernel/db/index.ts'
import { disableUser, inviteMember, replaceEmail } from '../merchants/index.ts'
import { sendResetLink } from './accounts.ts'
import { mayMailInvitation } from './invitation-limit.ts'
import { MAIL_ANSWER } from './mail-answers.ts'

let world: Served
before(async () => {
  MAIL_ANSWER.ms = 1
  world = await serve()
})
after(() => world.close())
beforeEach(async () => {
  await world.rows('delete from sign_in_attempts')
  // E-mails of different times have different ids, so that the newest one is known.
  world.deps.clock.advance(1)
})

let addresses = 0
const newAddress = () => `mpya${++addresses}@example.com`

/** Creates a user who has signed in. */
async function comes(options: Parameters<typeof newPerson>[1] = {}) {
  const person = await newPerson(world, options)
  return { person, ...(await signIn(world, person)) }
}

const ask = (key: string | null, email: unknown): Promise<Reply> =>
  world.call({ method: 'POST', url: '/v1/session/email', payload: { email }, key })
const open = (url: string, language = 'en') => openBrowser(world.base, language).get(url)
const confirm = (url: string, password: string): Promise<BrowserPage> => openBrowser(world.base).post(url, { password })
const me = (key: string) => world.call({ method: 'GET', url: '/v1/me', key })
/** Asks for a new password, later than all e-mails of the sign-in. Returns the mailed link. */
async function resetLink(email: string): Promise<string> {
  world.deps.clock.advance(1)
  await openBrowser(world.base).post('/identity/forgot', { email })
  return mailedUrl(world, email)
}
const OPERATOR = { actor: { kind: 'operator', id: randomUUID(), name: 'operator@example.com' } } as const
const invite = (tx: Tx, email: string) => {
  const invitation = { merchant_id: world.merchant.id, email, name: 'Neema', role: 'VIEWER' } as const
  return inviteMember(world.deps, tx, OPERATOR, invitation, mayMailInvitation)
}
const addressOf = async (id: string) =>
  (await world.rows<{ email: string }>('select email from users where id = $1', [id]))[0]?.email
/** Returns when this number of transactions wait for a lock. */
async function untilWaiting(count: number) {
  const waits = 'select 1 from pg_stat_activity where cardinality(pg_blocking_pids(pid)) > 0'
  while ((await world.rows(waits)).length < count);
}
const kindsTo = async (to: string) => (await listEmails(world.deps, { to })).map(({ kind }) => kind)

describe('a change of the own e-mail address', () => {
  test('the address changes only when the user confirms the mailed link with the password, and all sessions and links then end', async () => {
    const { person, access_token } = await comes()
    const other = await signIn(world, person)
    const address = newAddress()
    const asked = await ask(access_token, address.toUpperCase())
    assert.deepEqual([asked.status, asked.body.data], [200, { email: address, has_mail_server: false }])
    const url = await mailedUrl(world, address)
    assert.match(url, /\/identity\/email\?token=/)
    const [mail] = await listEmails(world.deps, { to: address })
    assert.deepEqual(await buttonOf(world, mail), ['Thibitisha anwani', url])
    assert.ok(!mail?.text?.includes(person.email), 'the owner of a mistyped address does not learn the account')
    const asking = (await listEmails(world.deps, { to: person.email })).find(
      ({ kind }) => kind === 'identity.email_requested',
    )
    assert.match(asking?.text ?? '', /iwe m\*\*\*@example\.com\./)
    assert.match(
      asking?.text ?? '',
      /\nWakati: \d+ \S+ \d{4}, \d\d:\d\d \(EAT\)\nKifaa: hakijulikani\nAnwani ya IP: \S+\n/,
    )
    assert.ok(!asking?.text?.includes(address) && !asking?.text?.includes('token='))
    const [button] = await buttonOf(world, asking)
    assert.equal(button, 'Weka nywila mpya')
    const reset = await resetLink(person.email)

    const page = await open(url)
    assert.equal(page.status, 200)
    assert.ok(page.text.includes(address) && !page.text.includes(person.email))
    assert.equal((await confirm(url, 'another one')).status, 401)
    assert.equal((await confirm(url, '')).status, 401)
    assert.equal(await addressOf(person.id), person.email)
    assert.equal((await me(access_token)).body.data.email, person.email)

    world.deps.clock.advance(1)
    const done = await confirm(url, person.password)
    assert.equal(done.status, 200)
    assert.match(done.text, /Sasa ingia kwa anwani mpya/)
    assert.equal(await addressOf(person.id), address)
    for (const key of [access_token, other.access_token])
      assert.deepEqual(codeOf(await me(key)), [401, 'invalid_session'])
    assert.equal((await open(reset)).status, 400, 'the earlier mailbox gets no new password')
    await assert.rejects(signIn(world, person), /returned no tokens/)
    const again = await signIn(world, { ...person, email: address })
    const { email, email_verified } = (await me(again.access_token)).body.data
    assert.deepEqual([email, email_verified], [address, true])

    const notice = (await listEmails(world.deps, { to: person.email })).find(
      (one) => one.kind === 'identity.email_changed',
    )
    assert.deepEqual(await buttonOf(world, notice), ['', ''])
    assert.match(
      notice?.text ?? '',
      /\nWakati: \d+ \S+ \d{4}, \d\d:\d\d \(EAT\)\nKifaa: hakijulikani\nAnwani ya IP: \S+\n/,
    )
    assert.ok(!notice?.text?.includes(address), 'the earlier mailbox does not learn the new address')
    const log = await world.rows<{ action: string }>(
      `select action, actor_name, before, after from audit_log
       where target_id = $1 and action in ('user.request_email', 'user.change_email') order by seq`,
      [person.id],
    )
    const [before, actor_name] = [{ email: person.email }, person.email]
    assert.deepEqual(log, [
      {
        action: 'user.request_email',
        actor_name,
        before,
        after: { email: person.email, new_email: 'm***@example.com' },
      },
      { action: 'user.change_email', actor_name, before, after: { email: address } },
    ])
  })

  test('a link works once, also for two requests at once, and for 1 hour', async () => {
    const first = await comes()
    await ask(first.access_token, newAddress())
    const url = await mailedUrl(world, `mpya${addresses}@example.com`)
    const statuses = await Promise.all([1, 2].map(() => confirm(url, first.person.password)))
    assert.deepEqual(statuses.map(({ status }) => status).sort(), [200, 400])
    assert.equal((await open(url)).status, 400)
    assert.equal((await confirm(url, first.person.password)).status, 400)

    // The worker does not run, so that the server sends no e-mail.
    const own = await serve({ env: { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'pay@example.com' } })
    try {
      const person = await newPerson(own)
      const { access_token } = await signIn(own, person)
      const send = (email: string) =>
        own.call({ method: 'POST', url: '/v1/session/email', payload: { email }, key: access_token })
      assert.equal((await send('siku7@example.com')).body.data.has_mail_server, true)
      const late = await mailedUrl(own, 'siku7@example.com')
      own.deps.clock.advance(3_600_000 - 1)
      const browser = openBrowser(own.base)
      assert.doesNotMatch((await browser.get(late)).text, /class="for-operators"/)
      await own.rows("update users set operator_role = 'SUPPORT' where id = $1", [person.id])
      const page = await browser.get(late)
      assert.equal(page.status, 200)
      assert.match(page.text, /class="for-operators"/, 'the page leads an operator to the console of operators')
      own.deps.clock.advance(1)
      assert.equal((await browser.post(late, { password: person.password })).status, 400)
      assert.deepEqual(await own.rows('select email from users where id = $1', [person.id]), [{ email: person.email }])
    } finally {
      await own.close()
    }
  })

  test('the end of any session of the user ends the link, and a request that waits for this end stores nothing', async () => {
    const { person, access_token } = await comes()
    const thief = await signIn(world, person)
    const address = newAddress()
    await ask(thief.access_token, address)
    const url = await mailedUrl(world, address)
    const sessions: { id: string; current: boolean }[] = (await world.get('/v1/sessions', access_token)).body.data.items
    const ended = sessions.find(({ current }) => !current)?.id ?? ''
    const end = (id: string) => world.call({ method: 'DELETE', url: `/v1/sessions/${id}`, key: access_token })
    assert.equal((await end(randomUUID())).status, 404)
    assert.equal((await open(url)).status, 200, 'a refused end of a session ends no link')
    const target = { target_type: 'user', target_id: person.id }
    let asking: Promise<Reply> | null = null
    const done = await workBeforeCommit(
      world,
      // The end of the session waits for the audit log before its commit.
      (tx) => recordAudit(world.deps, tx, { ...OPERATOR, ...target, merchant_id: PLATFORM, action: 'user.change' }),
      () => end(ended),
      async () => {
        asking = ask(thief.access_token, newAddress())
        await untilWaiting(2)
      },
    )
    assert.equal(done.status, 200)
    assert.deepEqual(codeOf(await (asking ?? done)), [401, 'invalid_session'])
    assert.equal((await open(url)).status, 400)
    assert.deepEqual(await world.rows('select kind from mailed_links where user_id = $1', [person.id]), [])
    assert.deepEqual(await kindsTo(`mpya${addresses}@example.com`), [])
  })

  test('a newer request, a new password or the end of the user ends the link, and each page takes only its own links', async () => {
    const { person, access_token } = await comes()
    const [older, newer] = [newAddress(), newAddress()]
    await ask(access_token, older)
    const old = await mailedUrl(world, older)
    await ask(access_token, newer)
    const url = await mailedUrl(world, newer)
    assert.deepEqual([(await open(old)).status, (await open(url)).status], [400, 200])
    for (const page of ['reset', 'confirm']) assert.equal((await open(url.replace('/email?', `/${page}?`))).status, 400)
    const reset = await resetLink(person.email)
    assert.equal((await open(reset.replace('/reset?', '/email?'))).status, 400)

    const disable = (at: Date | null) => world.rows('update users set disabled_at = $2 where id = $1', [person.id, at])
    await disable(world.deps.clock.now())
    assert.equal((await confirm(url, person.password)).status, 400)
    await disable(null)
    assert.equal((await confirm(reset, 'ndege juu ya mti')).status, 200)
    assert.equal((await confirm(url, 'ndege juu ya mti')).status, 400)
    assert.equal(await addressOf(person.id), person.email)
  })

  test('a user whom another transaction disables during the confirmation keeps the address', async () => {
    const { person, access_token } = await comes()
    await ask(access_token, newAddress())
    const url = await mailedUrl(world, `mpya${addresses}@example.com`)
    const page = await workBeforeCommit(
      world,
      (tx) => disableUser(world.deps, tx, person.id),
      () => confirm(url, person.password),
    )
    assert.equal(page.status, 400)
    assert.equal(await addressOf(person.id), person.email)
  })

  test('a request gets the same answer when another user has the address, ends the earlier link too, and the server mails that address', async () => {
    const { person, access_token } = await comes()
    const other = await newPerson(world)
    const [first, free] = [newAddress(), newAddress()]
    const answerOf = ({ status, body, headers }: Reply) => [
      status,
      Object.keys(body.data),
      body.data.has_mail_server,
      Object.keys(headers).sort(),
    ]
    await ask(access_token, first)
    const url = await mailedUrl(world, first)
    const taken = await ask(access_token, other.email)
    assert.equal((await open(url)).status, 400)
    assert.deepEqual(answerOf(taken), answerOf(await ask(access_token, free)))
    assert.deepEqual(await kindsTo(other.email), ['identity.email_taken'])
    const own = (await kindsTo(person.email)).filter((kind) => kind === 'identity.email_requested')
    assert.equal(own.length, 3, 'the user gets the same notice for a taken and for a free address')
    assert.doesNotMatch((await listEmails(world.deps, { to: other.email }))[0]?.text ?? '', /token=/)
    assert.equal(await addressOf(person.id), person.email)
    MAIL_ANSWER.ms = 400
    try {
      for (const email of [other.email, newAddress()]) {
        const begin = performance.now()
        assert.equal((await ask(access_token, email)).status, 200)
        assert.ok(performance.now() - begin >= 395)
      }
    } finally {
      MAIL_ANSWER.ms = 1
    }
  })

  test('the page refuses an address that another user got after the request, also by an invitation at the same time', async () => {
    const { person, access_token } = await comes()
    const address = newAddress()
    await ask(access_token, address)
    const url = await mailedUrl(world, address)
    const page = await workBeforeCommit(
      world,
      (tx) => invite(tx, address),
      () => confirm(url, person.password),
    )
    for (const shown of [page, await confirm(url, person.password)]) {
      assert.equal(shown.status, 409)
      assert.match(shown.text, /Mtumiaji mwingine ana anwani hii/)
    }
    assert.equal(await addressOf(person.id), person.email)
    assert.equal((await me(access_token)).status, 200, 'the session goes on')
    assert.ok(!(await kindsTo(person.email)).includes('identity.email_changed'))
  })

  /** Confirms a link, and posts a form after the change of the address and before its commit. Returns both pages. */
  async function confirmWhile(person: { id: string; password: string }, url: string, path: string, form: object) {
    let posting: Promise<BrowserPage> | null = null
    const target = { target_type: 'user', target_id: person.id }
    const confirmed = await workBeforeCommit(
      world,
      // The confirmation waits for the audit log after it has changed the address.
      (tx) => recordAudit(world.deps, tx, { ...OPERATOR, ...target, merchant_id: PLATFORM, action: 'user.change' }),
      () => confirm(url, person.password),
      async () => {
        posting = openBrowser(world.base).post(path, { ...form })
        await untilWaiting(2)
      },
    )
    return [confirmed.status, (await (posting ?? confirmed)).status]
  }
  const SIGN_UP = { business_name: 'Duka', name: 'Neema', password: 'samaki wa ziwa' }

  test('a sign-up with the new address during its confirmation waits, and then gets the answer for an address with an account', async () => {
    const { person, access_token } = await comes()
    const address = newAddress()
    await ask(access_token, address)
    const url = await mailedUrl(world, address)
    const form = { ...SIGN_UP, email: address }
    assert.deepEqual(await confirmWhile(person, url, '/identity/sign-up', form), [200, 200])
    assert.deepEqual((await kindsTo(address)).sort(), ['identity.email_change', 'identity.known'])
    assert.equal(await addressOf(person.id), address)
  })

  for (const [path, kind] of [
    ['/identity/forgot', 'identity.unknown'],
    ['/identity/sign-up', 'identity.confirm'],
  ] as const) {
    test(`${path} with the earlier address during the confirmation waits, and then mails no link of the account`, async () => {
      const { person, access_token } = await comes()
      const address = newAddress()
      await ask(access_token, address)
      const url = await mailedUrl(world, address)
      const form = { ...SIGN_UP, email: person.email }
      assert.deepEqual(await confirmWhile(person, url, path, form), [200, 200])
      assert.equal(await addressOf(person.id), address)
      assert.deepEqual(await world.rows('select kind from mailed_links where user_id = $1', [person.id]), [])
      const kinds = await kindsTo(person.email)
      assert.ok(kinds.includes(kind) && !kinds.includes('identity.reset') && !kinds.includes('identity.known'))
    })
  }

  test('a confirmation during a request for a new password waits, and then ends the link of that request', async () => {
    const { person, access_token } = await comes()
    const address = newAddress()
    await ask(access_token, address)
    const url = await mailedUrl(world, address)
    const mail = { brand: 'Malipo', base_url: world.base }
    const { deps } = world
    const page = await workBeforeCommit(
      world,
      (tx) => sendResetLink({ ...deps, db: { ...deps.db, transaction: (work) => work(tx) } }, person.email, 'en', mail),
      () => confirm(url, person.password),
    )
    assert.equal(page.status, 200)
    assert.equal(await addressOf(person.id), address)
    const reset = (await listEmails(deps, { to: person.email })).find(({ kind }) => kind === 'identity.reset')
    const link = /https?:\S+/.exec(reset?.text ?? '')?.[0] ?? ''
    assert.match(link, /\/identity\/reset\?token=/)
    assert.equal((await open(link)).status, 400)
  })

  test('two requests at once leave only the link of the second one', async () => {
    const { person, access_token } = await comes()
    const target = { target_type: 'user', target_id: person.id }
    const replies = await workBeforeCommit(
      world,
      // Each request writes the audit log last, so this lock keeps the first one before its commit.
      (tx) => recordAudit(world.deps, tx, { ...OPERATOR, ...target, merchant_id: PLATFORM, action: 'user.change' }),
      () => Promise.all([newAddress(), newAddress()].map((address) => ask(access_token, address))),
      () => untilWaiting(2),
    )
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200],
    )
    const links = await world.rows<{ new_email: string }>('select new_email from mailed_links where user_id = $1', [
      person.id,
    ])
    assert.equal(links.length, 1)
    const url = await mailedUrl(world, links[0]?.new_email ?? '')
    assert.equal((await confirm(url, person.password)).status, 200)
  })

  test('a change of the address and a new password at once take the user before the links, so that they do not deadlock', async () => {
    const { person, access_token } = await comes()
    const address = newAddress()
    await ask(access_token, address)
    const url = await mailedUrl(world, address)
    const reset = await resetLink(person.email)
    let free: object[] = []
    const pages = await workBeforeCommit(
      world,
      (tx) => tx.query(sql('', 'select 1 from users where id = $1 for no key update'), [person.id]),
      () => Promise.all([confirm(url, person.password), confirm(reset, 'ndege juu ya mti')]),
      async (tx) => {
        await untilWaiting(2)
        const links = sql('', 'select kind from mailed_links where user_id = $1 order by kind for update skip locked')
        free = await tx.query(links, [person.id])
      },
    )
    assert.deepEqual(free, [{ kind: 'change' }, { kind: 'reset' }])
    assert.deepEqual(pages.map(({ status }) => status).sort(), [200, 400])
  })

  test('an invitation to an address that becomes free between its statements creates a user', async () => {
    const person = await newPerson(world)
    const { deps } = world
    const moved = newAddress()
    await inTransaction(deps.db, (tx) => {
      const query: typeof tx.query = async (statement, values) => {
        const rows = await tx.query(statement, values)
        if (statement.name === 'users_invite' && (await addressOf(person.id)) === person.email)
          await inTransaction(deps.db, (other) => replaceEmail(deps, other, person.id, moved))
        return rows as never
      }
      return invite({ ...tx, query }, person.email)
    })
    assert.equal(await addressOf(person.id), moved)
    const [invited] = await world.rows<{ id: string }>('select id from users where email = $1', [person.email])
    const members = await world.rows('select user_id from members where merchant_id = $1', [world.merchant.id])
    assert.ok(members.some(({ user_id }) => user_id === invited?.id))
  })
})

describe('refused requests for a new e-mail address', () => {
  test('the server refuses a wrong address, the own one and one of a demo user at the field', async () => {
    const { person, access_token } = await comes()
    const cases: [unknown, RegExp][] = [
      [undefined, /required/],
      [7, /string/],
      ['neema', /e-mail address/],
      ['neema@example', /must be an e-mail address/],
      ['neema mushi@example.com', /e-mail address/],
      ['neema@exam\u200bple.com', /e-mail address/],
      [`${'x'.repeat(250)}@example.com`, /at most 254/],
      [person.email.toUpperCase(), /must not be your current e-mail address/],
      ['boss@demo.malipo.example', /must not be an address of a demo user/],
    ]
    for (const [email, problem] of cases) {
      const refused = await ask(access_token, email)
      assert.deepEqual(codeOf(refused), [400, 'validation_failed'], String(email))
      const [{ field, message }] = refused.body.error.details.fields
      assert.equal(field, 'email')
      assert.match(message, problem)
    }
    assert.deepEqual(
      await world.rows("select 1 from mailed_links where kind = 'change' and user_id = $1", [person.id]),
      [],
    )
  })

  test('the server refuses API keys, callers without credentials, and a sign-in that is too old', async () => {
    assert.deepEqual(codeOf(await ask(world.sandbox_key, newAddress())), [403, 'insufficient_role'])
    assert.deepEqual(codeOf(await ask(null, newAddress())), [401, 'authentication_required'])
    const { person, access_token: key } = await comes()
    world.deps.clock.advance(world.deps.config.step_up_s * 1000)
    assert.deepEqual(codeOf(await ask(key, newAddress())), [403, 'step_up_required'])
    const payload = { password: person.password }
    assert.equal((await world.call({ method: 'POST', url: '/v1/session/confirm', payload, key })).status, 200)
    assert.equal((await ask(key, newAddress())).status, 200)
  })

  test('the server refuses demo users and users with an unproven address', async () => {
    const demo = await comes({ demo: true })
    const unproven = await comes({ email_verified: false })
    for (const [{ person, access_token }, reason] of [
      [demo, /The e-mail address of a demo user does not change/],
      [unproven, /Confirm your e-mail address first/],
    ] as const) {
      const address = newAddress()
      const refused = await ask(access_token, address)
      assert.deepEqual(codeOf(refused), [409, 'invalid_state'])
      assert.match(refused.body.error.message, reason)
      assert.deepEqual(await kindsTo(address), [])
      assert.ok(!(await kindsTo(person.email)).includes('identity.email_requested'))
    }
  })

  test('the server refuses the sixth request of a user in an hour, and sends at most four e-mails to one address', async () => {
    const { access_token } = await comes()
    const address = newAddress()
    for (let i = 0; i < 5; i++) assert.equal((await ask(access_token, address)).status, 200)
    const refused = await ask(access_token, newAddress())
    assert.deepEqual(codeOf(refused), [429, 'rate_limited'])
    assert.equal(refused.headers['retry-after'], '300')
    assert.equal((await kindsTo(address)).length, 4)
  })

  test('the page counts wrong passwords as failed sign-ins', async () => {
    const { person, access_token } = await comes()
    await ask(access_token, newAddress())
    const url = await mailedUrl(world, `mpya${addresses}@example.com`)
    for (let i = 0; i < 5; i++) assert.equal((await confirm(url, 'not this one')).status, 401)
    assert.equal((await confirm(url, person.password)).status, 429)
    assert.equal(await addressOf(person.id), person.email)
  })
})
