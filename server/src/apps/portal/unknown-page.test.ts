// Tests the page that a browser receives for an unknown address, and the refusal that a program receives.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'

const BROWSER = 'text/html,application/xhtml+xml,*/*;q=0.8'
let world: World
before(async () => {
  world = await createWorld({ env: { BRAND_NAME: 'Duka <b>' } })
})
after(() => world.close())

const open = (url: string, headers: Record<string, string> = {}) =>
  world.call({ method: 'GET', url, key: null, headers: { accept: BROWSER, ...headers } })

test('a browser gets a page with links in its language for an address without a page', async () => {
  for (const [language, title, home] of [
    ['sw', 'Ukurasa huu haupo', 'Ukurasa wa kwanza'],
    ['en', 'This page does not exist', 'First page'],
  ] as const) {
    const { status, text, headers } = await open('/no/such/page', { 'accept-language': language })
    assert.equal(status, 404)
    assert.match(String(headers['content-type']), /^text\/html/)
    assert.match(String(headers['content-security-policy']), /^default-src 'none'/)
    assert.ok(text.includes(`<html lang="${language}">`) && text.includes(`<h1>${title}</h1>`) && text.includes(home))
    for (const href of [`/?lang=${language}`, '/dashboard', `/docs?lang=${language}`])
      assert.ok(text.includes(`href="${href}"`), href)
    assert.ok(text.includes('Duka &lt;b&gt;'))
  }
  assert.ok((await open('/x?lang=en', { 'accept-language': 'sw' })).text.includes('This page does not exist'))
})

test('the page for an unknown address shows no part of a hostile address', async () => {
  for (const address of ['/%3Cscript%3Ealert(1)', '/%zz?lang=%3Cscript%3Ealert', `/${'alert'.repeat(100)}`])
    assert.ok(!(await open(address)).text.includes('alert'), address)
})

test('the server answers a program, another method and an address of the API with the refusal as JSON', async () => {
  const refused = [
    await open('/no/such/page', { accept: 'application/json' }),
    await world.call({ method: 'POST', url: '/no/such/page', key: null, headers: { accept: BROWSER } }),
    ...(await Promise.all(['/v1/nothing', '/v1', '/public/nothing', '/callbacks/a/b/c'].map((url) => open(url)))),
  ]
  for (const { status, body } of refused) assert.deepEqual([status, body.error.code], [404, 'not_found'])
})
