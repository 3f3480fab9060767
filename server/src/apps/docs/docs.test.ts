// Tests the documentation over HTTP: every page, its links, the search, and the Markdown.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { createWorld, type World } from '../../../test/harness.ts'
import { EVENTS } from '../../adapters/webhooks/index.ts'
import { catalogue, escapeHtml } from '../../kernel/lib/index.ts'
import { GUIDES, SDK_GUIDES } from './guides.ts'

/** This quality compresses less than the quality of the server, but needs much less time. */
const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }

let world: World
before(async () => {
  world = await createWorld({
    env: { BRAND: 'duka', BRAND_NAME: `Duka <b>"Pay"</b> & Co`, BASE_URL: 'https://pay.example' },
  })
})
after(() => world.close())

const read = (url: string, headers: Record<string, string> = {}) =>
  world.call({ method: 'GET', url, key: null, headers })

type Operation = { operationId: string; summary: string }

async function operations(): Promise<Operation[]> {
  const api = JSON.parse((await read('/openapi.json')).text) as { paths: Record<string, Record<string, Operation>> }
  return Object.values(api.paths).flatMap((methods) => Object.values(methods))
}

/** Returns the addresses of all pages from llms.txt. */
async function allPaths(): Promise<string[]> {
  const { text } = await read('/llms.txt')
  const listed = [...text.matchAll(/\]\(https:\/\/pay\.example(\/docs\/\S+)\.md\)/g)].map(([, path]) => path as string)
  return ['/docs', ...listed]
}

test('the documentation has a page for each guide, each call and each event, and the navigation leads to each', async () => {
  const paths = await allPaths()
  assert.equal(new Set(paths).size, paths.length)
  const calls = await operations()
  assert.ok(calls.length > 100)
  for (const { operationId, summary } of calls) {
    assert.ok(paths.includes(`/docs/api/${operationId}`), operationId)
    const { text } = await read(`/docs/api/${operationId}`)
    assert.ok(text.includes(`<h1>${escapeHtml(summary)}</h1>`), operationId)
  }
  for (const { name } of [...GUIDES, ...SDK_GUIDES]) assert.ok(paths.includes(`/docs/${name}`), name)
  for (const event of EVENTS) assert.ok(paths.includes(`/docs/events/${event}`), event)
  const { text: start } = await read('/docs')
  for (const path of paths) assert.ok(start.includes(`href="${path}"`), path)
})

test('the errors page has each code with its message and the next step, and a row to which other pages link', async () => {
  const { text } = await read('/docs/errors')
  for (const [code, { message, to_do }] of Object.entries(catalogue)) {
    assert.ok(text.includes(`<tr role="row" id="${code}">`), code)
    assert.ok(text.includes(escapeHtml(to_do).slice(0, 40)), code)
    assert.ok(text.includes(escapeHtml(message).slice(0, 40)), code)
  }
  assert.ok((await read('/docs/webhooks')).text.includes('href="/docs/errors#webhook_endpoint_limit_reached"'))
})

test('the pages show the brand, the address and the key prefixes of this installation', async () => {
  assert.ok((await read('/docs/webhooks')).text.includes('X-Duka-Signature'))
  assert.ok((await read('/docs/api/createWalletPush')).text.includes('https://pay.example/v1/collections/wallet-push'))
  for (const path of await allPaths()) {
    for (const address of [path, path === '/docs' ? '/docs/index.md' : `${path}.md`]) {
      const { text } = await read(address)
      assert.doesNotMatch(text, /X-Service-|service_sandbox_|127\.0\.0\.1:8080/, address)
    }
  }
})

test('every page is complete, escapes settings, runs one script of this server, and has less than 60 KB compressed', async () => {
  for (const path of ['/docs/search', '/docs/search?q=webhook', ...(await allPaths())]) {
    const { status, text, headers } = await read(path)
    assert.equal(status, 200, path)
    assert.match(String(headers['content-type']), /^text\/html/, path)
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'/)
    assert.doesNotMatch(policy, /unsafe|http|\*/)
    assert.doesNotMatch(
      text,
      /<script(?! src="\/docs\/assets\/docs\.js\?v=[0-9a-f]{16}"><\/script>)|<b>|\son\w+="|style="/,
    )
    assert.ok(text.includes('Duka &lt;b&gt;&quot;Pay&quot;&lt;/b&gt; &amp; Co'), path)
    assert.match(text, /^<!doctype html>\n<html lang="(?:en|sw)">/)
    assert.equal([...text.matchAll(/<h1>/g)].length, 1, path)
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map((match) => match[1])
    assert.equal(new Set(ids).size, ids.length, path)
    const loaded = [
      ...text.matchAll(/<(?:link rel="(?:icon|stylesheet)"|script|img|iframe|source)[^>]+(?:href|src)="([^"]+)"/g),
    ]
    assert.ok(loaded.length >= 2, path)
    for (const [, address] of loaded)
      assert.match(
        address as string,
        /^(?:\/(?:docs\/)?assets\/\w+\.\w+\?v=[0-9a-f]{16}|data:image\/svg\+xml,[\w%.'()-]+)$/,
      )
    for (const packed of [brotliCompressSync(text, FAST), gzipSync(text)])
      assert.ok(packed.length < 60_000, `${path} has ${packed.length} bytes`)
  }
})

test('every link of every page to this server leads to a page, and every anchor exists', async () => {
  const texts = new Map<string, string>()
  const textOf = async (path: string) => {
    if (!texts.has(path)) {
      const { status, text } = await read(path)
      texts.set(path, [200, 503].includes(status) ? text : '')
    }
    return texts.get(path) as string
  }
  let anchors = 0
  for (const path of await allPaths()) {
    for (const [, address = ''] of (await textOf(path)).matchAll(/ href="([^"]+)"/g)) {
      if (/^(?:data:|https:|mailto:)/.test(address)) continue
      const [target = '', anchor] = address.replaceAll('&amp;', '&').split('#')
      const there = await textOf(target === '' ? path : target)
      assert.notEqual(there, '', `${path}: ${address}`)
      if (anchor === undefined) continue
      anchors += 1
      assert.ok(there.includes(` id="${anchor}"`), `${path}: ${address}`)
    }
  }
  assert.ok(anchors > 500)
})

test('the start page has anchors of the earlier documentation of one page', async () => {
  const { text } = await read('/docs')
  const OLD = [
    'authentication',
    'first-payment',
    'idempotency',
    'statuses',
    'endpoints',
    'payment-links',
    'errors',
    'sandbox',
  ]
  for (const anchor of [...OLD, 'receiving-webhooks', 'verify', 'post-v1-collections-wallet-push', 'get-v1-me'])
    assert.ok(text.includes(` id="${anchor}"`), anchor)
})

test('the server also sends each page as Markdown, and llms-full.txt contains the guides and the calls of merchants, but no calls of operators', async () => {
  for (const path of await allPaths()) {
    const { status, text, headers } = await read(path === '/docs' ? '/docs/index.md' : `${path}.md`)
    assert.equal(status, 200, path)
    assert.match(String(headers['content-type']), /^text\/markdown/)
    assert.match(text, /^# \S/m, path)
  }
  const { text } = await read('/llms-full.txt')
  assert.ok(text.includes('`POST /v1/collections/wallet-push`'))
  assert.ok(text.includes('\n# Webhooks\n'))
  assert.ok(!text.includes('`GET /v1/operator/queue`'))
  for (const name of ['none', '../../package', 'api/none', 'errors.md', '..%2f..%2fpackage', '%00'])
    assert.equal((await read(`/docs/${name}.md`)).status, 404, name)
  assert.equal((await read('/docs/none')).status, 404)
})

test('the search finds pages by words, in the page without scripts and for the script', async () => {
  const first = async (query: string) => (await read(`/docs/search.json?q=${query}`)).body.results[0]
  assert.equal((await first('webhooks')).path, '/docs/webhooks')
  assert.equal((await first('insufficient_balance')).path, '/docs/errors')
  assert.equal((await first('send+a+mobile-money+prompt')).path, '/docs/api/createWalletPush')
  assert.equal((await first('rotate+secret')).anchor, 'rotate-a-secret')
  assert.equal((await first('payment')).path, '/docs/payments')
  const { text } = await read('/docs/search?q=rotate+secret')
  assert.ok(text.includes('href="/docs/webhooks#rotate-a-secret"'))
  assert.ok(text.includes('value="rotate secret"'))
  const none = await read('/docs/search?q=%3Cscript%3Ezzz')
  assert.ok(none.text.includes('No page contains all words of “&lt;script&gt;zzz”'))
  for (const query of ['', '?q=', '?q=%20', `?q=${'a'.repeat(5000)}`, '?q=a&q=b', '?q=%25%ff'])
    assert.equal((await read(`/docs/search${query}`)).status, 200, query)
})

test('the search answers common questions of merchants with the right page among the first three results', async () => {
  for (const [query, path] of [
    ['payment link', 'pages'],
    ['pay out', 'withdrawals'],
    ['payouts', 'withdrawals'],
    ['webhook signature', 'webhooks'],
    ['refund', 'payments'],
    ['how do I refund a payment?', 'payments'],
    ['reversal', 'payments'],
    ['sandbox numbers', 'sandbox'],
    ['API key', 'authentication'],
    ['QR', 'api/createQrCollection'],
    ['invoice', 'invoices'],
    ['statement', 'api/getStatement'],
    ['fees', 'payments'],
  ] as const) {
    const { results } = (await read(`/docs/search.json?q=${encodeURIComponent(query)}`)).body
    const first = results.slice(0, 3).map((one: { path: string }) => one.path)
    assert.ok(first.includes(`/docs/${path}`), `${query}: ${first}`)
  }
  const { results } = (await read('/docs/search.json?q=pay+out')).body
  assert.equal(results[0].path, '/docs/withdrawals')
  const of_operators = (await read('/docs/search.json?q=pause+payouts')).body.results
  assert.equal(of_operators[0].path, '/docs/api/createPayoutPause', 'the title of a call of operators finds its page')
})

test('for an address without a page, the server shows similar pages to a browser, and answers a program with the error as JSON', async () => {
  const browser = await read('/docs/api/createWalletPushes', { accept: 'text/html,*/*' })
  assert.equal(browser.status, 404)
  assert.ok(browser.text.includes('<h1>This page does not exist</h1>'))
  assert.ok((await read('/docs/webhook', { accept: 'text/html' })).text.includes('href="/docs/webhooks'))
  const hostile = await read('/docs/%3Cscript%3E', { accept: 'text/html' })
  assert.ok(hostile.text.includes('<code>/docs/&lt;script&gt;</code>'))
  assert.equal((await read('/docs/none')).body.error.code, 'not_found')
})

test('a similar page has the words of the missing address in its title or address, and a Swahili frame names its language', async () => {
  const browser = { accept: 'text/html' }
  for (const path of ['no-such-page', 'signature-header'])
    assert.doesNotMatch((await read(`/docs/${path}`, browser)).text, /id="similar"|docs-results/, path)
  for (const [path, found] of [
    ['webhook', '/docs/webhooks'],
    ['wallet-push', '/docs/api/createWalletPush'],
    ['going/reading', '/docs/reading-events'],
  ] as const) {
    const english = (await read(`/docs/${path}`, browser)).text
    assert.ok(english.includes(`<ol class="docs-results">`) && english.includes(`href="${found}"`), path)
    const swahili = (await read(`/docs/${path}?lang=sw`, browser)).text
    assert.match(swahili, /Kurasa zinazofanana<\/h2>\n<p>Kurasa hizi ziko kwa Kiingereza\.<\/p>\n<ol/, path)
  }
})

test('the path of a guide in the repository leads to its page, for browsers and for programs', async () => {
  const browser = { accept: 'text/html,*/*' }
  for (const [path, target] of [
    ['/docs/guides/webhooks.md', '/docs/webhooks'],
    ['/docs/guides/webhooks', '/docs/webhooks'],
    ['/docs/guides/events.md', '/docs/reading-events'],
  ] as const) {
    const { status, headers } = await read(path, browser)
    assert.deepEqual([status, headers.location], [302, target], path)
  }
  const program = await read('/docs/guides/webhooks.md')
  assert.deepEqual([program.status, program.headers.location], [302, '/docs/webhooks.md'])
  for (const name of ['none', '../../SECURITY.md', '..%2f..%2fSECURITY.md', '%00'])
    assert.equal((await read(`/docs/guides/${name}`, browser)).status, 404, name)
})

test('each field that a merchant sees has a description, and a table without descriptions has no column for descriptions', async () => {
  // Only the browser and its authenticator use the fields of these calls, so the test allows fields without a meaning.
  const of_passkeys = ['/docs/api/confirmSession', '/docs/api/createPasskeyChallenge']
  for (const path of await allPaths()) {
    if (!/^\/docs\/(?:api|events)\//.test(path)) continue
    const markdown = (await read(`${path}.md`)).text
    for (const table of markdown.match(/(?:^\|.*\n)+/gm) ?? []) {
      if (!table.includes('| Meaning |')) continue
      const rows = table.trim().split('\n').slice(2)
      const empty = rows.filter((row) => / \|\s*\|$/.test(row))
      assert.ok(empty.length < rows.length, `${path}: ${empty[0]}`)
      const is_operator = markdown.includes('/v1/operator/')
      if (!is_operator && !of_passkeys.includes(path))
        assert.deepEqual(empty, [], `${path}: describe these fields in their schema, or in meanings.ts`)
    }
  }
})

test('a search result shows text without Markdown, and the start page describes each page', async () => {
  for (const query of ['idempotency', 'invoice', 'webhook+signature', 'rotate+secret', 'payout']) {
    const { results } = (await read(`/docs/search.json?q=${query}`)).body
    assert.ok(results.length > 3)
    for (const { path, excerpt } of results) {
      assert.doesNotMatch(excerpt, /\*\*|\]\(|`|curl |-H "|\|---/, `${path}: ${excerpt}`)
      assert.notEqual(excerpt.trim(), '', path)
    }
  }
  const { text } = await read('/docs')
  const cards = [
    ...text.matchAll(/<li[^>]*>(?:<span[^>]*><\/span>)*<a href="([^"]+)"[^>]*><strong>[^<]*<\/strong>\n<span>([^<]*)/g),
  ]
  assert.ok(cards.length > 30)
  for (const [, path = '', summary = ''] of cards) assert.doesNotMatch(summary, /[{}]|&quot;|^$/, path)
})

test('style sheets and the script have an immutable cache header under their versioned addresses only', async () => {
  const { text } = await read('/docs')
  const addresses = [...text.matchAll(/"(\/(?:docs\/)?assets\/[^"]+)"/g)].map(([, address]) => address as string)
  assert.equal(addresses.length, 3)
  for (const address of addresses) {
    assert.match(String((await read(address)).headers['cache-control']), /immutable/, address)
    assert.equal((await read(`${address.split('?')[0]}?v=old`)).headers['cache-control'], 'no-cache')
    assert.match(String((await read(address)).headers['content-type']), /^text\/(?:css|javascript)/)
    assert.equal((await read(address, { 'accept-encoding': 'br' })).headers['content-encoding'], 'br')
  }
})

test('the quickstart in Swahili has the same commands and programs as the quickstart in English', async () => {
  const code = async (name: string) => [...(await read(`/docs/${name}.md`)).text.matchAll(/^```(\w+)\n[\s\S]*?^```$/gm)]
  const english = (await code('quickstart')).map(([text]) => text)
  assert.ok(english.length > 12)
  assert.deepEqual(
    (await code('kuanza')).map(([text]) => text),
    english,
  )
  const { text } = await read('/docs/kuanza')
  assert.match(text, /<html lang="sw">/)
  const trail = /<nav class="docs-trail"[\s\S]*?<\/nav>/.exec(text)?.[0] ?? ''
  assert.deepEqual(trail.match(/>[^<\s][^<]*/g), ['>Mwongozo', '>Kuanza'], 'the trail names the guide once')
  const menu_entry = (frame: string) => /<a href="\/docs\/kuanza[^>]*><span>[^<]*<\/span>/.exec(frame)?.[0]
  assert.equal(
    menu_entry((await read('/docs/quickstart')).text),
    '<a href="/docs/kuanza" hreflang="sw"><span>Quickstart (Kiswahili)</span>',
  )
  assert.match(
    (await read('/docs/quickstart')).text,
    /<a rel="next" href="\/docs\/kuanza[^>]*><span>Next<\/span> <bdi>Quickstart \(Kiswahili\)<\/bdi>/,
  )
  assert.match(menu_entry((await read('/docs/webhooks?lang=sw')).text) ?? '', /<span>Kuanza<\/span>/)
  assert.match(text, /<a href="\/docs\/quickstart\?lang=en" lang="en" hreflang="en">In English<\/a>/)
  assert.match(
    (await read('/docs/quickstart')).text,
    /<a href="\/docs\/kuanza\?lang=sw" lang="sw" hreflang="sw">Kwa Kiswahili<\/a>/,
  )
})

test('a reader of Swahili has every frame, the start page and the search in Swahili, and the links keep the language', async () => {
  const swahili = { 'accept-language': 'sw-TZ,sw;q=0.9,en;q=0.8' }
  for (const path of await allPaths()) {
    const { text, headers } = await read(path, swahili)
    assert.match(text, /^<!doctype html>\n<html lang="sw">/, path)
    assert.match(String(headers.vary), /accept-language/i, path)
    const [, header = '', navigation = ''] =
      /<header[^>]*>([\s\S]*?)<\/header>[\s\S]*?<nav class="docs-nav"[^>]*>([\s\S]*?)<\/nav>/.exec(text) ?? []
    assert.ok(header.includes('>Tafuta</button>') && header.includes('>Dashibodi</a>'), path)
    assert.doesNotMatch(
      `${header}${navigation}`,
      />(?:Documentation|Guides|API reference|Versions|Start page|Close|Menu|Search)</,
      path,
    )
    for (const [, address] of text.matchAll(/<a[^>]* href="(\/docs[^"]*)"/g))
      assert.match(address as string, /\.md$|[?&;]lang=(?:sw|en)(?:#|$)/, `${path}: ${address}`)
    const is_english = !['/docs', '/docs/kuanza'].includes(path)
    assert.equal(text.includes('Ukurasa huu uko kwa Kiingereza.'), is_english, path)
    assert.equal(/<h1 lang="en">/.test(text), is_english, path)
  }
  const { text: start } = await read('/docs?lang=sw')
  assert.match(start, /<h2 id="group-guides">Miongozo<\/h2>/)
  const found = (await read('/docs/search?q=webhook&lang=sw')).text
  assert.match(found, /<p role="status">Matokeo \d+ ya “webhook”<\/p>/)
  assert.match(found, /<input type="hidden" name="lang" value="sw">/)
  assert.ok(found.includes('href="/docs/search?q=webhook&amp;lang=en"'))
  assert.ok((await read('/docs/none?lang=sw', { accept: 'text/html' })).text.includes('<h1>Ukurasa huu haupo</h1>'))
})

test('the server prefers `lang` in the address to the language of the browser, and shows readers of other languages the frame in English', async () => {
  const swahili = { 'accept-language': 'sw' }
  const english = (await read('/docs/webhooks?lang=en', swahili)).text
  assert.match(english, /<html lang="en">/)
  assert.ok(english.includes('href="/docs/errors?lang=en"'))
  for (const [query, accept] of [
    ['', 'fr'],
    ['?lang=xx', 'en-GB,sw;q=0.5'],
    ['?lang=sw&lang=sw', 'en'],
  ]) {
    const { text } = await read(`/docs/webhooks${query}`, { 'accept-language': accept as string })
    assert.match(text, /<html lang="en">/, `${query} ${accept}`)
    assert.ok(text.includes('href="/docs/errors"'), `${query} ${accept}`)
  }
})

test('the page of a call with a sandbox key has a form, and the pages of a stream, a console call and a payer call have none', async () => {
  for (const [name, has_form] of Object.entries({
    createWalletPush: true,
    streamEvents: false,
    listMembers: false,
    payPublicPaymentLink: false,
  }))
    assert.equal((await read(`/docs/api/${name}`)).text.includes('class="docs-try"'), has_form, name)
})

test('a guide shows its curl commands in tabs with TypeScript and PHP', async () => {
  const { text } = await read('/docs/quickstart')
  assert.ok([...text.matchAll(/<fieldset class="code tabs">/g)].length >= 5)
  assert.ok(text.includes('>TypeScript</label>') && text.includes('>PHP</label>'))
})

test('the file of every guide exists in the repository', async () => {
  for (const { file } of [...GUIDES, ...SDK_GUIDES])
    assert.ok(existsSync(new URL(`../../../../${file}`, import.meta.url)), file)
})
