// One caller's heavy work: it is bounded, refused in clear words beyond that, and holds up nobody else.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authorizeUrl, newPerson, openBrowser, serve } from '../src/identity/testing.ts'
import { createWorld } from './harness.ts'

test('180 posters of one sandbox key at once: some are drawn, the rest are 503 with Retry-After, and live ones go on', async () => {
  const world = await createWorld()
  try {
    const linkOf = async (key: string) =>
      (await world.post('/v1/payment-links', { amount: 1_000 }, { key })).body.data.id as string
    const [sandbox, live] = [await linkOf(world.sandbox_key), await linkOf(world.live_key)]
    const poster = (id: string, key: string) => world.get(`/v1/payment-links/${id}/poster.pdf`, key)
    const flood = Promise.all(Array.from({ length: 180 }, () => poster(sandbox, world.sandbox_key)))
    const drawn_live = poster(live, world.live_key)
    const me = await world.get('/v1/me', (await world.newSession('FINANCE')).token)
    assert.equal(me.status, 200)
    assert.equal((await drawn_live).status, 200)
    const replies = await flood
    const refused = replies.filter(({ status }) => status === 503)
    const drawn = replies.filter(({ status }) => status === 200)
    assert.equal(drawn.length + refused.length, 180)
    assert.ok(drawn.length >= 16 && refused.length > 0, `${drawn.length} drawn, ${refused.length} refused`)
    for (const { body, headers } of refused) {
      assert.equal(body.error.code, 'service_unavailable')
      assert.ok(Number(headers['retry-after']) > 0)
    }
    assert.equal((await poster(sandbox, world.sandbox_key)).status, 200, 'later there is room again')
  } finally {
    await world.close()
  }
})

test('60 wrong sign-ins at once: few passwords are tried, the rest are 503 with Retry-After and count against nobody', async () => {
  const world = await serve()
  try {
    const person = await newPerson(world)
    const browser = openBrowser(world.base)
    const { url } = authorizeUrl(world.base)
    const form = await browser.follow(await browser.get(url))
    const tryOne = (email: string, password = 'si nenosiri langu') => browser.post(form.url, { email, password })
    const flood = Promise.all(
      Array.from({ length: 60 }, (_, at) => tryOne(at % 2 ? `a${at}@example.com` : person.email)),
    )
    assert.equal((await world.get('/v1/collections', world.live_key)).status, 200)
    const shown = await flood
    const refused = shown.filter(({ status }) => status === 503)
    assert.deepEqual(
      [...new Set(shown.map(({ status }) => status))].filter((status) => ![401, 429, 503].includes(status)),
      [],
    )
    assert.ok(refused.length >= 1, 'none was refused')
    for (const { headers, text } of refused) {
      assert.ok(Number(headers.get('retry-after')) > 0)
      assert.match(String(headers.get('content-type')), /text\/html/)
      assert.match(text, /again/)
    }
    const [{ failures }] = (await world.rows('select sum(failures)::int as failures from sign_in_attempts')) as [
      { failures: number },
    ]
    const tried = shown.filter(({ status }) => status !== 503).length
    assert.ok(failures <= tried * 3, `${failures} failures were counted for ${tried} tries`)
    await world.rows('delete from sign_in_attempts')
    assert.notEqual((await tryOne(person.email, person.password)).status, 503, 'later there is room again')
  } finally {
    await world.close()
  }
})
