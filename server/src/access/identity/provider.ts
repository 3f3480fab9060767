// Configures oidc-provider as the built-in OpenID provider of the two consoles. Each console is a public client with PKCE and
// rotating refresh tokens. A token is valid at one console only. The operator console requires a new sign-in each time.

import { hkdfSync } from 'node:crypto'
import type {
  Adapter,
  ClientMetadata,
  Configuration,
  interactionPolicy,
  KoaContextWithOIDC,
  Provider,
} from 'oidc-provider'
import { type Deps, isUnavailable, sql } from '../../kernel/db/index.ts'
import { CONSOLES, type Console } from '../../kernel/http/index.ts'
import { createAdapter, type SignInResult } from './adapter.ts'
import { BROWSER_SESSION_S, extendConsoleSession, openConsoleSession } from './console-sessions.ts'
import { deviceName } from './device-name.ts'
import { ALGORITHM, type IssuerKey } from './keys.ts'
import { errorPage, RETRY_AFTER_S, signedOutPage, signOutPage } from './pages-provider.ts'
import { ACCESS_TOKEN_S, AUDIENCE, EMBEDDED } from './tokens.ts'

/** The path of the provider and of its pages. */
export const MOUNT = '/identity'

const RESOURCE = 'urn:malipo:api'
const SCOPES = 'openid profile email offline_access'
/** The lifetime of an unused refresh token, in seconds. */
const REFRESH_S = 7 * 86_400
const SIGN_IN_S = 3600

/**
 * The type of the library. `createProvider` imports the library itself, because the import takes a fifth of the start time, and
 * workers and commands do not need it.
 */
type Library = typeof import('oidc-provider')

/** Makes the provider for a public URL such as https://api.example.com. */
export async function createProvider(deps: Deps, base_url: string, key: IssuerKey): Promise<Provider> {
  const library: Library = await import('oidc-provider')
  const secret = Buffer.from(hkdfSync('sha256', key.private_jwk.d ?? '', '', 'identity cookies', 32))
  const provider = new library.Provider(key.issuer, {
    ...protocol(deps, base_url, library),
    ...lifetimes,
    adapter: createAdapter(deps) as (name: string) => Adapter,
    jwks: { keys: [key.private_jwk as never] },
    cookies: cookies(secret.toString('base64url'), base_url.startsWith('https:')),
    findAccount: (_ctx, subject) => findAccount(deps, subject),
    loadExistingGrant: (ctx) => grantFor(ctx),
    interactions: { policy: policy(library), url: (_ctx, { uid }) => `${MOUNT}/sign-in/${uid}` },
    renderError: async (ctx, out, error) => {
      setUnavailable(ctx, error)
      deps.log.info(
        {
          component: 'identity',
          oidc_error: out.error,
          oidc_route: ctx.oidc?.route,
          detail: errorDetail(error, library),
        },
        'the identity provider refused a request',
      )
      errorPage(deps, ctx)
    },
  })
  // A client cannot set the X-Forwarded headers that the provider reads, because `mountProvider` overwrites them.
  provider.proxy = true
  // The console then stays in the language that the user has just chosen on the page of the sign-in.
  provider.on('authorization.success', (ctx, answer) => {
    const { language } = (ctx.oidc.result ?? {}) as SignInResult
    if (answer !== undefined && language !== undefined) answer.language = language
  })
  provider.on('server_error', (ctx, error) => {
    setUnavailable(ctx, error)
    deps.log.error({ component: 'identity', err: error }, 'the identity provider failed to answer a request')
  })
  const events: import('node:events').EventEmitter = provider
  events.on('error', (error: Error) =>
    deps.log.error({ component: 'identity', err: error }, 'the identity provider failed to answer a request'),
  )
  return provider
}

/** If the database does not answer, changes the status 500 to 503, so that the client retries. */
function setUnavailable(ctx: KoaContextWithOIDC, error: unknown): void {
  if (!isUnavailable(error)) return
  ctx.status = 503
  ctx.set('retry-after', String(RETRY_AFTER_S))
}

function errorDetail(error: Error, { errors }: Library): string | undefined {
  return error instanceof errors.OIDCProviderError ? error.error_detail : undefined
}

/**
 * Returns the redirect URLs of a console. If the settings name none, the result outside production includes URLs of the local
 * machine.
 */
export function consoleRedirectUris({ config }: Deps, base_url: string, client: Console): string[] {
  const given = client === 'operator' ? config.operator_redirect_uris : config.dashboard_redirect_uris
  if (given.length > 0) return given
  if (client === 'operator' && config.operator_url !== '') return [`${config.operator_url}/operator/callback`]
  const { port } = new URL(base_url)
  const own =
    config.node_env === 'production'
      ? []
      : ['127.0.0.1', 'localhost'].map((host) => `http://${host}${port && `:${port}`}`)
  return [...new Set([base_url, ...own])].map((origin) => `${origin}/${client}/callback`)
}

/** Returns the origins of the redirect URLs of both consoles. */
export function consoleOrigins(deps: Deps, base_url: string): string[] {
  const uris = CONSOLES.flatMap((client) => consoleRedirectUris(deps, base_url, client))
  return [...new Set(uris.map((uri) => new URL(uri).origin))]
}

function clientOf(deps: Deps, base_url: string, client_id: Console): ClientMetadata {
  const redirect_uris = consoleRedirectUris(deps, base_url, client_id)
  return {
    client_id,
    client_name: deps.config.brand_name,
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    redirect_uris,
    post_logout_redirect_uris: redirect_uris.map((uri) => new URL('./', uri).href),
    id_token_signed_response_alg: ALGORITHM,
  }
}

function protocol(deps: Deps, base_url: string, { errors }: Library): Configuration {
  const origins = consoleOrigins(deps, base_url)
  return {
    clients: CONSOLES.map((client) => clientOf(deps, base_url, client)),
    clientDefaults: { id_token_signed_response_alg: ALGORITHM },
    clientBasedCORS: (_ctx, origin) => origins.includes(origin),
    routes: { authorization: '/authorize', token: '/token', jwks: '/jwks', end_session: '/sign-out' },
    scopes: SCOPES.split(' '),
    claims: { openid: ['sub'], profile: ['name', 'locale'], email: ['email', 'email_verified'] },
    // A console sends enrol=totp or enrol=passkey with prompt=login to set up the second step or a passkey.
    extraParams: ['enrol'],
    pkce: { required: () => true },
    responseTypes: ['code'],
    enabledJWA: { idTokenSigningAlgValues: [ALGORITHM] },
    rotateRefreshToken: true,
    issueRefreshToken: async () => true,
    // A sign-out also revokes the refresh tokens of the session.
    expiresWithSession: async () => true,
    extraTokenClaims: (ctx) => tokenClaims(deps, ctx, errors),
    formats: { customizers: { jwt: (_ctx, _token, jwt) => stamp(deps, jwt.payload) } },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      userinfo: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: async () => RESOURCE,
        useGrantedResource: async () => true,
        getResourceServerInfo: async (_ctx, resource) => {
          if (resource !== RESOURCE) throw new errors.InvalidTarget()
          const jwt = { sign: { alg: ALGORITHM } } as const
          return { scope: '', audience: AUDIENCE, accessTokenTTL: ACCESS_TOKEN_S, accessTokenFormat: 'jwt', jwt }
        },
      },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: async (ctx) => signOutPage(deps, ctx),
        postLogoutSuccessSource: async (ctx) => signedOutPage(deps, ctx),
      },
    },
  }
}

const lifetimes: Configuration = {
  ttl: {
    AccessToken: ACCESS_TOKEN_S,
    AuthorizationCode: 60,
    IdToken: ACCESS_TOKEN_S,
    RefreshToken: REFRESH_S,
    Interaction: SIGN_IN_S,
    Session: BROWSER_SESSION_S,
    Grant: BROWSER_SESSION_S,
  },
}

/** Returns the full name of a cookie. If `secure` is true, browsers accept a cookie with this name only over TLS. */
export function cookieName(name: string, secure: boolean): string {
  return secure ? `__Secure-${name}` : name
}

function cookies(secret: string, secure: boolean): NonNullable<Configuration['cookies']> {
  const options = { httpOnly: true, sameSite: 'lax', signed: true, secure } as const
  return {
    keys: [secret],
    names: {
      session: cookieName('identity_session', secure),
      interaction: cookieName('identity_sign_in', secure),
      resume: cookieName('identity_resume', secure),
    },
    long: { ...options, path: MOUNT },
    short: options,
  }
}

/** Sets the times of an access token from the server's clock, because the server later checks them with this clock. */
function stamp(deps: Deps, payload: Record<string, unknown>): void {
  const now = Math.floor(deps.clock.now().getTime() / 1000)
  Object.assign(payload, { iat: now, exp: now + ACCESS_TOKEN_S })
}

/**
 * Returns the authentication methods, the time of the sign-in and the session for a new token. A refresh does not change the
 * time of the sign-in. If the session has ended, throws InvalidGrant.
 */
async function tokenClaims(
  deps: Deps,
  ctx: KoaContextWithOIDC,
  errors: Library['errors'],
): Promise<{ amr: string[]; auth_time?: number; sid: string }> {
  const { AuthorizationCode: code, RefreshToken: refresh } = ctx.oidc.entities
  const source = code ?? refresh
  const console = CONSOLES.find((client) => client === ctx.oidc.client?.clientId)
  const { amr = [], authTime: auth_time, sessionUid: provider_uid, accountId: subject } = source ?? {}
  if (provider_uid === undefined || subject === undefined || console === undefined) {
    throw new errors.InvalidGrant('no session of a console')
  }
  const signed_in_at = auth_time === undefined ? deps.clock.now() : new Date(auth_time * 1000)
  const client = { device: deviceName(ctx.get('user-agent')), address: ctx.ip }
  const sid = code
    ? await openConsoleSession(deps, { subject, provider_uid, console, signed_in_at, ...client })
    : await extendConsoleSession(deps, { provider_uid, console })
  if (sid === null) throw new errors.InvalidGrant('the session has ended')
  return { amr: [...amr], sid, ...(auth_time === undefined ? {} : { auth_time }) }
}

/**
 * Returns the prompts of a sign-in without the consent prompt. If the user of the session does not exist, or the client is the
 * operator console, the user must sign in again.
 */
function policy({ interactionPolicy: policies }: Library): interactionPolicy.Prompt[] {
  const prompts = policies.base()
  prompts.remove('consent')
  const message = 'End-User authentication is required'
  const { checks } = prompts.get('login') as interactionPolicy.Prompt
  checks.add(
    new policies.Check('account_gone', message, (ctx) => Boolean(ctx.oidc.session?.accountId && !ctx.oidc.account)),
  )
  const operator: Console = 'operator'
  checks.add(
    new policies.Check(
      'operator_console',
      message,
      'login_required',
      (ctx) => ctx.oidc.client?.clientId === operator && !ctx.oidc.result?.login,
    ),
  )
  return prompts
}

/**
 * Returns the grant of this browser's session. The first sign-in creates the grant, and the grant expires with the session.
 * If the request has no session, client or account, returns undefined.
 */
async function grantFor(ctx: KoaContextWithOIDC) {
  const { provider, session, client, account } = ctx.oidc
  if (!session || !client || !account) return undefined
  const grant_id = session.grantIdFor(client.clientId)
  const existing = grant_id ? await provider.Grant.find(grant_id) : undefined
  if (existing?.accountId === account.accountId) {
    if (session.exp && (existing.exp ?? 0) < session.exp) {
      existing.exp = session.exp
      await existing.save()
    }
    return existing
  }
  const grant = new provider.Grant({ clientId: client.clientId, accountId: account.accountId })
  grant.addOIDCScope(SCOPES)
  await grant.save()
  return grant
}

const ACCOUNT = sql(
  'identity_account',
  `select email, email_verified, name, language from users where issuer = $1 and subject = $2 and disabled_at is null`,
)

type AccountRow = { email: string; email_verified: boolean; name: string; language: string }

async function findAccount(deps: Deps, subject: string) {
  const [row] = await deps.db.query<AccountRow>(ACCOUNT, [EMBEDDED, subject])
  if (!row) return undefined
  const { language: locale, ...rest } = row
  return { accountId: subject, claims: async () => ({ sub: subject, ...rest, locale }) }
}
