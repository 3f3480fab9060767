// Makes operators for tests, and tokens of users who signed in to a console at a chosen time.

import { SignJWT } from 'jose'
import { issuerKey } from '../src/access/identity/index.ts'
import type { Console, Role } from '../src/kernel/http/index.ts'
import type { World } from './harness.ts'

/**
 * Returns a token as the built-in identity provider issues it to a person who signed in to a console `age_s` seconds ago. If
 * `age_s` is null, the token has no time of the sign-in.
 */
export async function consoleToken(
  world: World,
  user_id: string,
  { client = 'operator', age_s = 0 }: { client?: Console; age_s?: number | null } = {},
): Promise<string> {
  const { kid, issuer, private_key } = await issuerKey(world.deps, 'http://127.0.0.1/identity')
  const now = Math.floor(world.deps.clock.now().getTime() / 1000)
  const signed_in = age_s === null ? {} : { auth_time: now - age_s }
  return new SignJWT({ amr: ['pwd', 'otp'], client_id: client, ...signed_in })
    .setProtectedHeader({ alg: 'ES256', kid, typ: 'at+jwt' })
    .setIssuer(issuer)
    .setAudience('malipo-api')
    .setSubject(user_id)
    .setIssuedAt(now)
    .setExpirationTime(now + 900)
    .sign(private_key)
}

/** An operator, and a function that returns a token for the current time. */
export type Operator = { user_id: string; email: string; token(): Promise<string> }

/** Makes a new operator, optionally with roles in merchants. */
export async function newOperator(
  world: World,
  roles: { role: Role; merchant?: World['merchant'] }[] = [],
): Promise<Operator> {
  const { user_id, email } = await world.newSession([{ role: 'SUPER_ADMIN' }, ...roles])
  return { user_id, email, token: () => consoleToken(world, user_id) }
}
