// Checks passkeys with the library @simplewebauthn/server. A passkey is a key pair in a phone, a computer or a security key,
// and a second factor after the password.

import { isIP } from 'node:net'
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import type { TSchema } from 'typebox'
import type { Deps } from '../../kernel/db/index.ts'
import { NewPasskeyAnswer, PasskeyAnswer, type PasskeyAnswerBody } from './passkey-schema.ts'
import {
  type Ceremony,
  CHALLENGE_S,
  findPasskey,
  openChallenge,
  type PasskeyKey,
  recordUse,
  takeChallenge,
  usablePasskeys,
} from './passkey-store.ts'

/**
 * Loads the library at its first use, because the import takes a tenth of a second and workers and commands do not need it.
 */
const library = () => import('@simplewebauthn/server')

/** The relying party of passkeys: the domain for which passkeys are valid, and the origin of the page that uses one. */
export type RelyingParty = { domain: string; origin: string }

/**
 * Returns the relying party for a page at `page_url`, with the domain of `base_url`. Null means that browsers allow no passkeys
 * there. The reason is an IP address, a page without TLS (except on localhost), or a page outside of the domain.
 */
export function relyingParty(base_url: string, page_url = base_url): RelyingParty | null {
  const { hostname: domain } = new URL(base_url)
  const { protocol, hostname, origin } = new URL(page_url)
  const is_local = hostname === 'localhost' || hostname.endsWith('.localhost')
  if (isIP(domain.replace(/^\[|\]$/g, '')) !== 0 || !(protocol === 'https:' || is_local)) return null
  return hostname === domain || hostname.endsWith(`.${domain}`) ? { domain, origin } : null
}

/** The accepted algorithms: EdDSA, ES256 and RS256. */
const ALGORITHMS = [-8, -7, -257]
const TIMEOUT_MS = CHALLENGE_S * 1000

/** Returns the options with which a browser makes a passkey, with a new challenge. */
export async function creationOptions(
  deps: Deps,
  { domain }: RelyingParty,
  ceremony: Ceremony,
  email: string,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await library()
  return generateRegistrationOptions({
    rpName: deps.config.brand_name,
    rpID: domain,
    userID: userHandle(ceremony.user_id),
    userName: email,
    userDisplayName: email,
    challenge: Uint8Array.from(await openChallenge(deps, ceremony)),
    timeout: TIMEOUT_MS,
    attestationType: 'none',
    excludeCredentials: await descriptors(deps, ceremony.user_id, domain),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
  })
}

/**
 * Returns the options with which a browser uses a passkey, with a new challenge. Null means that the user has no passkey for
 * this domain.
 */
export async function requestOptions(
  deps: Deps,
  { domain }: RelyingParty,
  ceremony: Ceremony,
): Promise<PublicKeyCredentialRequestOptionsJSON | null> {
  const allowCredentials = await descriptors(deps, ceremony.user_id, domain)
  if (allowCredentials.length === 0) return null
  const { generateAuthenticationOptions } = await library()
  return generateAuthenticationOptions({
    rpID: domain,
    challenge: Uint8Array.from(await openChallenge(deps, ceremony)),
    timeout: TIMEOUT_MS,
    allowCredentials,
    userVerification: 'required',
  })
}

async function descriptors(
  deps: Deps,
  user_id: string,
  domain: string,
): Promise<{ id: string; transports: string[] }[]> {
  const usable = await usablePasskeys(deps.db, user_id, domain)
  return usable.map(({ credential_id, transports }) => ({ id: credential_id.toString('base64url'), transports }))
}

/** Returns the user handle of a passkey: the bytes of the user id, so that the handle contains no e-mail address. */
function userHandle(user_id: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(user_id.replaceAll('-', ''), 'hex'))
}

/** Parses the answer of a browser in a form field. Null means that the text does not match the schema. */
async function parseAnswer<Schema extends TSchema, Answer>(schema: Schema, text: string): Promise<Answer | null> {
  // The function loads this library at the first answer, because the import of its three hundred files takes a tenth of a
  // second.
  const { Value } = await import('typebox/value')
  try {
    const answer: unknown = JSON.parse(text)
    return Value.Check(schema, answer) ? (answer as Answer) : null
  } catch {
    return null
  }
}

/**
 * Checks the answer for a new passkey and uses up the challenge. Returns the data to store. Null means that the answer is
 * wrong, or that its challenge is not open.
 */
export async function checkNewPasskey(
  deps: Deps,
  { domain, origin }: RelyingParty,
  ceremony: Ceremony,
  text: string,
): Promise<PasskeyKey | null> {
  const response = await parseAnswer<typeof NewPasskeyAnswer, RegistrationResponseJSON>(NewPasskeyAnswer, text)
  const challenge = await takeChallenge(deps, ceremony)
  if (response === null || challenge === null) return null
  const verified = await orRefused(deps, ceremony, async () => {
    await refuseCertificates(response)
    const { verifyRegistrationResponse } = await library()
    return verifyRegistrationResponse({
      response,
      expectedChallenge: challenge.toString('base64url'),
      expectedOrigin: origin,
      expectedRPID: domain,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    })
  })
  if (!verified?.verified) return null
  const { id, publicKey, counter } = verified.registrationInfo.credential
  return {
    domain,
    credential_id: Buffer.from(id, 'base64url'),
    public_key: Buffer.from(publicKey),
    sign_count: counter,
    transports: response.response.transports ?? [],
  }
}

/**
 * If the answer contains certificates or has an unexpected format, throws. The server requests no certificates, and the library
 * would send requests to other servers to check their revocation.
 */
async function refuseCertificates({ response }: RegistrationResponseJSON): Promise<void> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers')
  const attestation = decodeAttestationObject(Uint8Array.from(Buffer.from(response.attestationObject, 'base64url')))
  const is_plain = ['none', 'packed'].includes(attestation.get('fmt'))
  if (!is_plain || attestation.get('attStmt').get('x5c') !== undefined) throw new Error('the answer has certificates')
}

/** Checks the answer of a passkey in a form field. See `usePasskey`. */
export async function usePasskeyText(
  deps: Deps,
  party: RelyingParty,
  ceremony: Ceremony,
  text: string,
): Promise<boolean> {
  const answer = await parseAnswer<typeof PasskeyAnswer, PasskeyAnswerBody>(PasskeyAnswer, text)
  return usePasskey(deps, party, ceremony, answer)
}

/**
 * Checks the answer of a passkey and uses up the challenge. Returns true only if the challenge was open and the answer is right
 * for a passkey of this user. The device must also have verified the user, and the counter must have grown or stayed zero.
 */
export async function usePasskey(
  deps: Deps,
  { domain, origin }: RelyingParty,
  ceremony: Ceremony,
  answer: PasskeyAnswerBody | null,
): Promise<boolean> {
  const challenge = await takeChallenge(deps, ceremony)
  if (answer === null || challenge === null) return false
  const passkey = await findPasskey(deps.db, ceremony.user_id, domain, Buffer.from(answer.id, 'base64url'))
  if (passkey === null) return false
  const handle = answer.response.userHandle
  if (handle && !Buffer.from(handle, 'base64url').equals(userHandle(ceremony.user_id))) return false
  const verified = await orRefused(deps, ceremony, async () => {
    const { verifyAuthenticationResponse } = await library()
    return verifyAuthenticationResponse({
      response: answer as unknown as AuthenticationResponseJSON,
      expectedChallenge: challenge.toString('base64url'),
      expectedOrigin: origin,
      expectedRPID: domain,
      requireUserVerification: true,
      credential: {
        id: passkey.credential_id.toString('base64url'),
        publicKey: Uint8Array.from(passkey.public_key),
        counter: passkey.sign_count,
      },
    })
  })
  return verified?.verified === true && recordUse(deps, passkey.id, verified.authenticationInfo.newCounter)
}

/** Returns the result of a check. If the check throws, logs the reason and returns null. */
async function orRefused<Result>(
  deps: Deps,
  { purpose, user_id }: Ceremony,
  check: () => Promise<Result>,
): Promise<Result | null> {
  try {
    return await check()
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).slice(0, 200)
    deps.log.warn({ component: 'identity', user_id, purpose, reason }, 'the server refused the answer of a passkey')
    return null
  }
}
