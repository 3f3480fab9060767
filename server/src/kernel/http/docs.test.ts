// Tests the documentation that a merchant reads in the browser.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import { catalogue, escapeHtml } from '../lib/index.ts'

let world: World
before(async () => {
  world = await createWorld({
    env: { BRAND: 'duka', BRAND_NAME: `Duka <b>"Pay"</b> & Co`, BASE_URL: 'https://pay.example' },
  })
})
after(() => world.close())

const page = (url: string) => world.call({ method: 'GET', url, key: null })

test('the documentation page lists every endpoint, every error code and every magic number', async () => {
  const { status, text } = await page('/docs')
  assert.equal(status, 200)
  const api = JSON.parse((await page('/openapi.json')).text) as {
    paths: Record<string, Record<string, { summary: string }>>
  }
  const operations = Object.values(api.paths).flatMap((methods) => Object.values(methods))
  assert.ok(operations.length > 10)
  for (const { summary } of operations) assert.ok(text.includes(`>${escapeHtml(summary)}</h4>`), summary)
  for (const code of Object.keys(catalogue)) assert.ok(text.includes(`<code>${code}</code>`), code)
  for (const ending of ['001', '007', '014', '102', '106']) assert.ok(text.includes(`<code>${ending}</code>`), ending)
})

test('the documentation page shows the brand, the address and the key prefixes of this installation', async () => {
  const { text } = await page('/docs')
  assert.ok(text.includes('X-Duka-Signature'))
  assert.ok(text.includes('https://pay.example/v1/collections/wallet-push'))
  assert.ok(text.includes('duka_sandbox_'))
  assert.ok(!text.includes('X-Service-'))
})

test('the documentation pages run no scripts, load nothing from other sites, and escape settings', async () => {
  for (const url of ['/', '/docs']) {
    const { text, headers } = await page(url)
    assert.match(String(headers['content-type']), /^text\/html/)
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /^default-src 'none'; style-src 'self'/)
    assert.doesNotMatch(policy, /unsafe|script-src/)
    assert.doesNotMatch(text, /<script|<b>|\son\w+="|style="/)
    assert.ok(text.includes('Duka &lt;b&gt;&quot;Pay&quot;&lt;/b&gt; &amp; Co'))
    const loaded = [...text.matchAll(/<(?:link|img|iframe|source)[^>]+(?:href|src)="([^"]+)"/g)].map(
      (match) => match[1],
    )
    for (const address of loaded) assert.match(address as string, /^(?:\/assets\/page\.css\?v=[0-9a-f]{16}|data:,)$/)
    assert.match(text, /^<!doctype html>\n<html lang="en">/)
    assert.equal([...text.matchAll(/<h1>/g)].length, 1)
  }
})

test('every link of the documentation page has a target, and every anchor is unique', async () => {
  const { text } = await page('/docs')
  const ids = [...text.matchAll(/ id="([^"]+)"/g)].map((match) => match[1])
  assert.equal(new Set(ids).size, ids.length)
  for (const [, target] of text.matchAll(/ href="([^"]+)"/g)) {
    if (target === 'data:,') continue
    if (target?.startsWith('#')) assert.ok(ids.includes(target.slice(1)), target)
    else assert.equal((await page((target as string).replaceAll('&amp;', '&'))).status, 200, target)
  }
})

test('a browser may cache the style sheet for a year under its versioned address only', async () => {
  const address = /\/assets\/page\.css\?v=\w+/.exec((await page('/docs')).text)?.[0] as string
  assert.match(String((await page(address)).headers['cache-control']), /immutable/)
  assert.equal((await page('/assets/page.css?v=old')).headers['cache-control'], 'no-cache')
  assert.match(String((await page(address)).headers['content-type']), /^text\/css/)
})
