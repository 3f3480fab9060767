// Tests the headers, the pages and the files of the consoles.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { createWorld, type Reply, type World } from '../../../test/harness.ts'
import { createApp } from '../../kernel/http/index.ts'
import { CONSOLES, readBuiltConsole } from './files.ts'
import { siteRoutes } from './site.ts'

/** The highest number of compressed bytes that a console loads first. */
const FIRST_LOAD_BYTES = 230_000
/** The highest number of compressed bytes of a file that a console loads later, when a page opens. */
const CHUNK_BYTES = 40_000

let world: World
before(async () => {
  world = await createWorld({ env: { BRAND_NAME: '"><script>alert(1)</script>' } })
})
after(() => world.close())

const get = (url: string, headers: Record<string, string> = {}) =>
  world.call({ method: 'GET', url, key: null, headers: { host: '127.0.0.1', ...headers } })
const policyOf = (reply: Reply) =>
  new Map(
    String(reply.headers['content-security-policy'])
      .split('; ')
      .map((part) => [part.split(' ')[0] as string, part.split(' ').slice(1)]),
  )

for (const name of CONSOLES) {
  describe(name, () => {
    test(`the console ${name} permits only its own scripts and styles, permits no frame, and gives each page a new nonce`, async () => {
      const pages = [await get(`/${name}`), await get(`/${name}/sandbox/collections?status=failed`)]
      const nonces = pages.map((page) => {
        assert.equal(page.status, 200)
        const policy = policyOf(page)
        assert.deepEqual(policy.get('default-src'), ["'none'"])
        assert.deepEqual(policy.get('script-src'), ["'self'"])
        assert.deepEqual(policy.get('frame-ancestors'), ["'none'"])
        assert.deepEqual(policy.get('base-uri'), ["'none'"])
        const [own, nonce = ''] = policy.get('style-src') ?? []
        assert.equal(own, "'self'")
        assert.match(nonce, /^'nonce-[\w-]{22}'$/)
        assert.doesNotMatch(String(page.headers['content-security-policy']), /unsafe/)
        assert.equal(page.headers['cache-control'], 'no-store')
        assert.equal(page.headers['referrer-policy'], 'no-referrer')
        return nonce
      })
      assert.notEqual(nonces[0], nonces[1])
    })

    test(`the console ${name} has no inline script or style, and escapes HTML in a brand name`, async () => {
      const { text } = await get(`/${name}`)
      assert.doesNotMatch(text, /<script(?![^>]*\ssrc=)/)
      assert.doesNotMatch(text, /<style|\sstyle=|\son\w+=/)
      assert.doesNotMatch(text, /<script>alert/)
      const [, content = ''] = /<meta name="malipo" content="([^"]*)">/.exec(text) ?? []
      const facts = JSON.parse(content.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>'))
      assert.equal(facts.brand_name, '"><script>alert(1)</script>')
      assert.equal(facts.client_id, name)
      assert.equal(facts.console, name)
    })

    test(`the server sends the files of the console ${name} compressed and with an immutable cache header, and answers 404 for unknown files`, async () => {
      const built = readBuiltConsole(name)
      assert.ok(built, 'npm run build has built the console')
      for (const [file, { plain }] of built.assets) {
        const reply = await get(`/${name}/assets/${file}`, { 'accept-encoding': 'gzip, br' })
        assert.equal(reply.status, 200)
        assert.match(String(reply.headers['cache-control']), /immutable/)
        const zipped = await get(`/${name}/assets/${file}`, { 'accept-encoding': 'gzip' })
        assert.equal(zipped.headers['content-encoding'], 'gzip')
        assert.deepEqual(gunzipSync(zipped.bytes), plain)
        if (reply.headers['content-encoding'] === 'br') assert.deepEqual(brotliDecompressSync(reply.bytes), plain)
        const raw = await get(`/${name}/assets/${file}`)
        assert.deepEqual([raw.headers['content-encoding'], raw.bytes.equals(plain)], [undefined, true])
      }
      for (const wrong of ['none.js', '..%2findex.html', '%2e%2e%2f%2e%2e%2fpackage.json']) {
        assert.equal((await get(`/${name}/assets/${wrong}`)).status, 404, wrong)
      }
    })

    test(`the first load and each later file of the console ${name} stay below their limits`, () => {
      const built = readBuiltConsole(name)
      assert.ok(built)
      const first = [...built.page.matchAll(/assets\/([\w.-]+\.(?:js|css|woff2|svg))/g)].map(
        ([, file]) => file as string,
      )
      const bytes = (file: string) => (built.assets.get(file)?.br ?? Buffer.alloc(0)).length
      const total = first.reduce((sum, file) => sum + bytes(file), Buffer.byteLength(built.page))
      for (const kind of ['.js', '.css', '.woff2', '.svg'])
        assert.ok(
          first.some((file) => file.endsWith(kind)),
          kind,
        )
      assert.ok(total <= FIRST_LOAD_BYTES, `${total} bytes`)
      for (const file of built.assets.keys()) {
        if (!first.includes(file)) assert.ok(bytes(file) <= CHUNK_BYTES, `${file}: ${bytes(file)} bytes`)
      }
    })
  })
}

test("the dashboard contains no call of the operators' API", () => {
  const built = readBuiltConsole('dashboard')
  assert.ok(built)
  const all = [...built.assets].filter(([file]) => file.endsWith('.js')).map(([, { plain }]) => plain.toString())
  assert.ok(all.some((text) => text.includes('/v1/merchant/')))
  for (const text of all) assert.doesNotMatch(text, /\/v1\/operator/)
})

test('the server redirects a request to localhost to 127.0.0.1, and redirects no request to another host', async () => {
  const redirected = await get('/dashboard/sandbox?x=1', { host: 'localhost:8080' })
  assert.equal(redirected.status, 302)
  assert.match(String(redirected.headers.location), /^http:\/\/127\.0\.0\.1:\d+\/dashboard\/sandbox\?x=1$/)
  assert.equal((await get('/dashboard', { host: 'evil.example' })).status, 200)
})

test('when a console is not built, the server answers 503 and explains the build', async () => {
  const { deps } = world
  const app = await createApp(deps, {
    authenticate: () => Promise.reject(new Error('must not be called')),
    isKey: () => false,
    routes: [siteRoutes(deps, { rehearses: true, read: () => null })],
  })
  const reply = await app.inject({ method: 'GET', url: '/operator/', headers: { host: '127.0.0.1' } })
  assert.equal(reply.statusCode, 503)
  assert.match(reply.body, /npm run build/)
  await app.close()
})
