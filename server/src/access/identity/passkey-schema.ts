// Defines the schemas of passkeys: the list of a user, and the answers of an authenticator.

import Type, { type Static } from 'typebox'
import { success } from '../../kernel/http/index.ts'
import { nullable } from '../../kernel/lib/index.ts'

const BASE64URL_PATTERN = '^[A-Za-z0-9_-]*$'
const base64url = (maxLength: number) => Type.String({ maxLength, pattern: BASE64URL_PATTERN, examples: ['dGVzdA'] })

/** The id of a credential, which has at most 1,023 bytes. */
const CREDENTIAL_ID = base64url(1364)
const CredentialBase = { id: CREDENTIAL_ID, rawId: CREDENTIAL_ID, type: Type.Literal('public-key') }
const CLIENT_DATA = base64url(4096)

/** The answer of a passkey to a challenge: the result of `PublicKeyCredential.toJSON()`. */
export const PasskeyAnswer = Type.Object(
  {
    ...CredentialBase,
    response: Type.Object({
      clientDataJSON: CLIENT_DATA,
      authenticatorData: base64url(4096),
      signature: base64url(4096),
      userHandle: Type.Optional(nullable(base64url(128))),
    }),
  },
  { description: 'The answer of the passkey: `PublicKeyCredential.toJSON()` of the browser.' },
)
/** The answer of a passkey to a challenge, after validation. */
export type PasskeyAnswerBody = Static<typeof PasskeyAnswer>

/** The answer of an authenticator that made a passkey: the result of `PublicKeyCredential.toJSON()`. */
export const NewPasskeyAnswer = Type.Object({
  ...CredentialBase,
  response: Type.Object({
    clientDataJSON: CLIENT_DATA,
    attestationObject: base64url(8192),
    transports: Type.Optional(Type.Array(Type.String({ maxLength: 20 }), { maxItems: 10 })),
  }),
})

/** A passkey of the caller in the API. */
const PasskeyRecord = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: Type.String({ description: 'The name that the user chose.' }),
    created_at: Type.String({ format: 'date-time', description: 'When the user added the passkey.' }),
    used_at: nullable(
      Type.String({ format: 'date-time', description: 'When the user last used the passkey. Null means never.' }),
    ),
  },
  { title: 'Passkey' },
)
/** A passkey, as the API returns it. */
export type PasskeyView = Static<typeof PasskeyRecord>
/** A passkey in the response envelope. */
export const PasskeyResponse = success(PasskeyRecord)
/** The passkeys of the caller in the response envelope. */
export const PasskeysResponse = success(
  Type.Object({
    items: Type.Array(PasskeyRecord),
    can_add: Type.Boolean({
      description:
        'True if the built-in provider has a domain name with https, and the caller has fewer passkeys than the maximum.',
    }),
  }),
)

/** The path parameters of a passkey. */
export const PasskeyParams = Type.Object({ passkey_id: Type.String({ description: 'The id of the passkey.' }) })
