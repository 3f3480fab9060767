// Signs the user in at the issuer that the server names, with an authorization code and PKCE. Only the storage of this tab
// contains the tokens. No address contains a token.

import { type User, UserManager, WebStorageStateStore } from 'oidc-client-ts'
import { facts, HOME } from './facts.ts'
import { keepLanguage } from './language.ts'

const OWN = `malipo.${facts.console}.`
const userStore = new WebStorageStateStore({ store: sessionStorage, prefix: OWN })
// A sign-in deletes unknown entries in its storage. With a separate prefix, it deletes no draft of the tab.
const stateStore = new WebStorageStateStore({ store: sessionStorage, prefix: `${OWN}sign-in.` })
const here = `${location.origin}${HOME}`

const manager = new UserManager({
  authority: facts.issuer,
  client_id: facts.client_id,
  redirect_uri: `${here}callback`,
  post_logout_redirect_uri: here,
  response_type: 'code',
  scope: facts.scope,
  userStore,
  stateStore,
  automaticSilentRenew: false,
  monitorSession: false,
  loadUserInfo: false,
})

/** The address to which a sign-in returns: a path of this console with its query. */
type SignInState = { to: string }

let renewing: Promise<User | null> | null = null

/**
 * Returns an access token. If the token expires within RENEW_S seconds, renews it first. Null means that the session has ended.
 */
export async function token(): Promise<string | null> {
  const user = await manager.getUser()
  if (user === null) return null
  if ((user.expires_in ?? 0) > RENEW_S) return user.access_token
  return renew()
}

/** If a token expires within this time in seconds, the page renews the token. */
const RENEW_S = 60

/**
 * Renews a token that the API refused or that will soon expire. Simultaneous calls share one renewal. Null means that the
 * session has ended.
 */
export async function renew(): Promise<string | null> {
  renewing ??= manager
    .getUser()
    .then((user) => (user?.refresh_token ? manager.signinSilent() : null))
    .catch((error: unknown) => {
      // Without a network, the page cannot know whether the session has ended, so the call fails.
      if (error instanceof TypeError) throw error
      return null
    })
    .finally(() => {
      renewing = null
    })
  const user = await renewing
  return user?.access_token ?? null
}

/**
 * Redirects to the sign-in, which returns to this page. If `again` is true, the issuer asks for the credentials even in a
 * session. `enrol` also sets up the authenticator app, or adds a passkey.
 */
export async function signIn({
  again = false,
  enrol = null,
}: {
  again?: boolean
  enrol?: 'totp' | 'passkey' | null
} = {}): Promise<void> {
  const here_now = location.pathname + location.search
  const state: SignInState = { to: isCallback() ? HOME : here_now }
  const language = document.documentElement.lang
  await manager.signinRedirect({
    state,
    ui_locales: language,
    ...(again || enrol ? { prompt: 'login', max_age: 0 } : {}),
    ...(enrol ? { extraQueryParams: { enrol } } : {}),
  })
}

/** Returns true if the page is at the address to which the issuer redirects. */
export function isCallback(): boolean {
  return location.pathname === `${HOME}callback`
}

/**
 * Removes the code from the address, and then completes the sign-in. If the issuer reports an error, throws the error.
 */
export async function finishSignIn(): Promise<void> {
  const address = location.href
  history.replaceState(null, '', HOME)
  const user = await manager.signinCallback(address)
  // The built-in provider adds the language that the user chose on its page, if this console asked for another one.
  const language = new URL(address).searchParams.get('language')
  if (language === 'sw' || language === 'en') keepLanguage(language)
  const { to } = (user?.state ?? {}) as Partial<SignInState>
  if (to?.startsWith(HOME)) history.replaceState(null, '', to)
}

/**
 * The storage key by which a tab reports a sign-out to the other tabs. The value is a time and does not name the user.
 */
const SIGNED_OUT = `malipo.${facts.console}.signed-out`

/** Deletes the session, the drafts and the choices of this tab, so that the next user of the tab cannot see them. */
function deleteSession(): void {
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(OWN)) sessionStorage.removeItem(key)
  }
}

/** If another tab of this console signs out, signs this tab out and calls `then`. */
export function signOutWithOthers(then: () => void): void {
  addEventListener('storage', ({ key, newValue }) => {
    if (key !== SIGNED_OUT || newValue === null) return
    deleteSession()
    then()
  })
}

/**
 * Ends the session at an issuer of the same origin: answers the question of its sign-out page, because the user has already
 * pressed the button. A page of another site cannot read this question. False means that the issuer must ask the user.
 */
async function endSession(id_token: string | undefined): Promise<boolean> {
  const address = await manager.metadataService.getEndSessionEndpoint()
  if (!address || !id_token || new URL(address).origin !== location.origin) return false
  const question = await fetch(`${address}?${new URLSearchParams({ id_token_hint: id_token })}`)
  const page = new DOMParser().parseFromString(await question.text(), 'text/html')
  const form = page.querySelector('form')
  const secret = form?.querySelector('input[name=xsrf]')?.getAttribute('value')
  const action = form?.getAttribute('action')
  if (!secret || !action) return false
  const body = new URLSearchParams({ xsrf: secret, logout: 'yes' })
  const done = await fetch(new URL(action, address), { method: 'POST', body, redirect: 'manual' })
  return done.type === 'opaqueredirect'
}

/** Signs out in every tab of this console and at the issuer. */
export async function signOut(): Promise<void> {
  const user = await manager.getUser()
  await manager.removeUser()
  deleteSession()
  localStorage.setItem(SIGNED_OUT, String(Date.now()))
  try {
    if (await endSession(user?.id_token).catch(() => false)) return location.assign(HOME)
    await manager.signoutRedirect(user?.id_token ? { id_token_hint: user.id_token } : {})
  } catch {
    // If the issuer has no sign-out endpoint, only this console deletes the session.
    location.assign(HOME)
  }
}
