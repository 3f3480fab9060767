// Who is signed in: authorization code with PKCE at whichever issuer the server names. Tokens live in the storage of this tab
// and end with it. They are never in an address, and nobody but `api.ts` reads them.

import { type User, UserManager, WebStorageStateStore } from 'oidc-client-ts'
import { facts, HOME } from './facts.ts'

const OWN = `malipo.${facts.console}.`
const userStore = new WebStorageStateStore({ store: sessionStorage, prefix: OWN })
// A sign-in removes from its store all that it did not write: what else the tab remembers must not lie there.
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

/** Where people go on after they signed in: a path of this console with its query. */
type Going = { to: string }

let renewing: Promise<User | null> | null = null

/** A token that is good for a while yet. Null: nobody is signed in any more. */
export async function token(): Promise<string | null> {
  const user = await manager.getUser()
  if (user === null) return null
  if ((user.expires_in ?? 0) > RENEW_S) return user.access_token
  return renew()
}

/** Tokens are renewed when they are good for no longer than this. */
const RENEW_S = 60

/** A new token for the old one, which the API refused or which runs out. Null: the session is over. */
export async function renew(): Promise<string | null> {
  renewing ??= manager
    .getUser()
    .then((user) => (user?.refresh_token ? manager.signinSilent() : null))
    .catch((error: unknown) => {
      // Without a network nothing is known about the session.
      if (error instanceof TypeError) throw error
      return null
    })
    .finally(() => {
      renewing = null
    })
  const user = await renewing
  return user?.access_token ?? null
}

/** Goes to the sign-in, and comes back to where the reader is. `again`: even if the issuer knows who this is. */
export async function signIn({ again = false } = {}): Promise<void> {
  const here_now = location.pathname + location.search
  const state: Going = { to: isCallback() ? HOME : here_now }
  const language = document.documentElement.lang
  await manager.signinRedirect({ state, ui_locales: language, ...(again ? { prompt: 'login', max_age: 0 } : {}) })
}

/** True on the address that the issuer sends people back to. */
export function isCallback(): boolean {
  return location.pathname === `${HOME}callback`
}

/** Ends the sign-in: the address, with the code in it, is replaced at once. Throws what the issuer said. */
export async function finishSignIn(): Promise<void> {
  const address = location.href
  history.replaceState(null, '', HOME)
  const user = await manager.signinCallback(address)
  const { to } = (user?.state ?? {}) as Partial<Going>
  if (to?.startsWith(HOME)) history.replaceState(null, '', to)
}

/** Tells the other tabs of this console that somebody signed out: a time, and nothing of who it was. */
const SIGNED_OUT = `malipo.${facts.console}.signed-out`

/** Forgets who is signed in, with what was typed or chosen here: it is not for whoever signs in next. */
function forget(): void {
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(OWN)) sessionStorage.removeItem(key)
  }
}

/** From now on this tab is signed out when another tab of this console is; `then` is called. */
export function signOutWithOthers(then: () => void): void {
  addEventListener('storage', ({ key, newValue }) => {
    if (key !== SIGNED_OUT || newValue === null) return
    forget()
    then()
  })
}

/** Signs out, in every tab of this console and at the issuer. */
export async function signOut(): Promise<void> {
  const user = await manager.getUser()
  await manager.removeUser()
  forget()
  localStorage.setItem(SIGNED_OUT, String(Date.now()))
  try {
    await manager.signoutRedirect(user?.id_token ? { id_token_hint: user.id_token } : {})
  } catch {
    // An issuer without a way to sign out: what is here is gone all the same.
    location.assign(HOME)
  }
}
