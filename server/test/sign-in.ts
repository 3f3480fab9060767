// Helpers for tests of the sign-in: a browser without scripts, and the requests that a console makes.

import { createHash, randomBytes } from 'node:crypto'
import { DEMO_DOMAIN, setPassword } from '../src/access/identity/index.ts'
import { createUser } from '../src/access/merchants/index.ts'
import { listEmails } from '../src/adapters/messages/index.ts'
import { inTransaction } from '../src/kernel/db/index.ts'
import type { Console } from '../src/kernel/http/index.ts'
import { createWorld, type World } from './harness.ts'

/** A world whose app listens, and the address of the app. */
export type Served = World & { base: string }

/** Builds a world and lets its app listen on a free port. */
export async function serve(options: Parameters<typeof createWorld>[0] = {}): Promise<Served> {
  const world = await createWorld(options)
  await world.system.app.listen({ host: '127.0.0.1', port: 0 })
  const address = world.system.app.server.address() as { port: number }
  return { ...world, base: `http://127.0.0.1:${address.port}` }
}

/** A page in a browser. `url` is the requested address. */
export type BrowserPage = { status: number; url: string; text: string; location: string | null; headers: Headers }

/** A browser that stores cookies by path. Without a call by the test, the browser follows no redirect. */
export type Browser = {
  get(url: string): Promise<BrowserPage>
  /** Sends a form, as a page of the same site does. `headers` replace the headers of the browser. */
  post(url: string, form: Record<string, string>, headers?: Record<string, string>): Promise<BrowserPage>
  /** Follows redirects within the site until the first page, or until an address outside /identity. */
  follow(shown: BrowserPage): Promise<BrowserPage>
  cookies: { name: string; value: string; path: string }[]
}

/** Opens a browser without cookies. */
export function openBrowser(base: string, language = 'en'): Browser {
  const cookies: Browser['cookies'] = []
  const ask = async (url: string, init: RequestInit = {}): Promise<BrowserPage> => {
    const { pathname } = new URL(url, base)
    const sent = cookies.filter(
      ({ path }) => pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`),
    )
    const reply = await fetch(new URL(url, base), {
      redirect: 'manual',
      ...init,
      headers: {
        'accept-language': language,
        ...(sent.length > 0 ? { cookie: sent.map(({ name, value }) => `${name}=${value}`).join('; ') } : {}),
        ...init.headers,
      },
    })
    for (const line of reply.headers.getSetCookie()) keep(cookies, line)
    const { status, headers } = reply
    return {
      status,
      headers,
      url: new URL(url, base).href,
      text: await reply.text(),
      location: headers.get('location'),
    }
  }
  const browser: Browser = {
    cookies,
    get: (url) => ask(url),
    post: (url, form, headers = { origin: base }) =>
      ask(url, { method: 'POST', body: new URLSearchParams(form), headers }),
    async follow(shown) {
      let at = shown
      while (at.location !== null && new URL(at.location, at.url).pathname.startsWith('/identity')) {
        at = await ask(new URL(at.location, at.url).href)
      }
      return at
    },
  }
  return browser
}

function keep(cookies: Browser['cookies'], line: string): void {
  const [pair = '', ...attributes] = line.split(/;\s*/)
  const [name = '', value = ''] = pair.split(/=(.*)/s)
  const path = attributes.find((part) => /^path=/i.test(part))?.slice(5) ?? '/'
  const known = cookies.findIndex((cookie) => cookie.name === name && cookie.path === path)
  if (known >= 0) cookies.splice(known, 1)
  if (value !== '') cookies.push({ name, value, path })
}

/** Creates a person with a password. An operator is a demo operator, who needs no second factor, unless `demo` is false. */
export async function newPerson(
  world: Pick<World, 'deps'>,
  options: { password?: string; super_admin?: boolean; email_verified?: boolean; demo?: boolean } = {},
): Promise<{ id: string; email: string; password: string }> {
  const { password = 'mvua ya vuli', super_admin = false, email_verified = true, demo = super_admin } = options
  const email = `${randomBytes(8).toString('hex')}${demo ? DEMO_DOMAIN : '@example.com'}`
  const { deps } = world
  const id = await inTransaction(deps.db, async (tx) => {
    const base = { name: 'Asha Juma', language: 'sw', identity: 'embedded' } as const
    const user = await createUser(deps, tx, {
      ...base,
      email,
      email_verified,
      operator_role: super_admin ? 'SUPER_ADMIN' : null,
    })
    await setPassword(deps, tx, user.id, password)
    return user.id
  })
  return { id, email, password }
}

/** The values that a console stores while the browser shows the sign-in. */
export type SignInRequest = { verifier: string; url: string; redirect_uri: string; client_id: Console }

/** Returns the address to which a console sends the browser for the sign-in. */
export function authorizeUrl(
  base: string,
  more: Record<string, string> = {},
  client_id: Console = 'dashboard',
): SignInRequest {
  const verifier = randomBytes(32).toString('base64url')
  const redirect_uri = `${base}/${client_id}/callback`
  const query = new URLSearchParams({
    client_id,
    response_type: 'code',
    scope: 'openid email profile',
    redirect_uri,
    state: 'xyz',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...more,
  })
  return { verifier, url: `${base}/identity/authorize?${query}`, redirect_uri, client_id }
}

/** The token response to a console. `expires_in` is in seconds. */
export type Tokens = { access_token: string; refresh_token: string; id_token: string; expires_in: number }
// biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
type TokenReply = { status: number; body: any }

/** Sends a request to the token endpoint. */
export async function requestToken(base: string, form: Record<string, string>): Promise<TokenReply> {
  const body = new URLSearchParams({ client_id: 'dashboard', ...form })
  const reply = await fetch(`${base}/identity/token`, { method: 'POST', body })
  return { status: reply.status, body: await reply.json() }
}

/** Exchanges the code that the browser brought back for tokens. */
export function exchange(
  base: string,
  asking: SignInRequest,
  shown: BrowserPage,
  more: Record<string, string> = {},
): Promise<TokenReply> {
  const code = new URL(shown.location ?? '', base).searchParams.get('code') ?? ''
  const { redirect_uri, client_id, verifier: code_verifier } = asking
  return requestToken(base, { grant_type: 'authorization_code', client_id, code, redirect_uri, code_verifier, ...more })
}

/** Exchanges a refresh token for new tokens. */
export function refresh(base: string, refresh_token: string, client_id: Console = 'dashboard'): Promise<TokenReply> {
  return requestToken(base, { grant_type: 'refresh_token', client_id, refresh_token })
}

/** Signs in with a password, and returns the tokens. */
export async function signIn(
  { base }: Pick<Served, 'base'>,
  person: { email: string; password: string },
  browser = openBrowser(base),
  client_id: Console = 'dashboard',
): Promise<Tokens> {
  const asking = authorizeUrl(base, {}, client_id)
  const page = await browser.follow(await browser.get(asking.url))
  const { email, password } = person
  const back = await browser.follow(await browser.post(page.url, { email, password }))
  const { status, body } = await exchange(base, asking, back)
  if (status !== 200)
    throw new Error(
      `the sign-in returned no tokens: ${status} ${JSON.stringify(body)} after ${back.status} ${back.url}`,
    )
  return body
}

/** Returns the link in the newest e-mail to this recipient. */
export async function mailedUrl(world: World, to: string): Promise<string> {
  const merchants = await world.rows<{ merchant_id: string }>(
    'select distinct merchant_id from outbox_messages where recipient = $1',
    [to],
  )
  const emails = await Promise.all(merchants.map(({ merchant_id }) => listEmails(world.deps, { merchant_id, to })))
  const [newest] = emails.flat().sort((a, b) => (a.id < b.id ? 1 : -1))
  return /https?:\/\/\S+/.exec(newest?.text ?? '')?.[0] ?? ''
}
