// Defines the request and response schemas of API keys.

import Type from 'typebox'
import { ENVIRONMENTS, PageQuery, page, SCOPES, success } from '../../kernel/http/index.ts'
import { enumOf, line, listedLine, listedText, nullable, oneOf } from '../../kernel/lib/index.ts'

const SCOPE_NAMES = Object.keys(SCOPES)
const dateTime = (description: string) => Type.String({ format: 'date-time', description })

/** The body of the two requests that create a key. */
export const NewKeyBody = Type.Object(
  {
    merchant_id: Type.Optional(line(64, 'Your own merchant id. A member of several merchants must send this field.')),
    name: Type.String({ ...line(100), minLength: 1, description: 'A name for the key.' }),
    environment: enumOf(
      'Environment',
      ENVIRONMENTS,
      'The environment of the key. A live key needs a merchant that is approved, verified and priced.',
    ),
    scopes: Type.Array(listedLine('Scope', 64, SCOPE_NAMES), {
      maxItems: 50,
      description: 'The scopes of the key.',
      examples: [['collections:write', 'collections:read']],
    }),
    ip_whitelist_enabled: Type.Optional(
      Type.Boolean({ description: 'true: a live key works from approved addresses only.' }),
    ),
    continue_without_ip_whitelist: Type.Optional(
      Type.Boolean({ description: 'true, the default: the key works from any address.' }),
    ),
    expires_at: Type.Optional(
      nullable(dateTime('The key stops working at this time. Default: the key does not expire.')),
    ),
  },
  { title: 'ApiKeyRequest' },
)
export type NewKeyBody = Type.Static<typeof NewKeyBody>

const fields = {
  id: Type.String({ format: 'uuid' }),
  merchant_id: Type.String({ format: 'uuid' }),
  name: Type.String(),
  environment: enumOf('Environment', ENVIRONMENTS),
  key_prefix: Type.String({ description: 'The visible prefix of the key.' }),
  key_last4: Type.String({ description: 'The last four characters of the key.' }),
  scopes: Type.Array(listedText('Scope', SCOPE_NAMES)),
  ip_whitelist_enabled: Type.Boolean(),
  continue_without_ip_whitelist: Type.Boolean(),
  status: oneOf(['active', 'revoked']),
  last_used_at: nullable(
    dateTime('The time of the last use, to the minute. Null means that no request has used the key.'),
  ),
  expires_at: nullable(dateTime('Null means that the key does not expire.')),
  revoked_at: nullable(dateTime('Null means that the key is active.')),
  created_at: dateTime('The creation time of the key.'),
}

const KeyRecord = Type.Object(fields, { title: 'ApiKey' })
const CreatedKeyRecord = Type.Object(
  {
    ...fields,
    plaintext_key: Type.Optional(
      Type.String({ description: 'The key itself. Store the key: the server cannot show the key again.' }),
    ),
  },
  { title: 'CreatedApiKey' },
)

/** The query parameters of the list of keys. */
export const KeysQuery = Type.Object({
  ...PageQuery,
  environment: Type.Optional(enumOf('Environment', ENVIRONMENTS, 'Default: keys of both environments.')),
  status: Type.Optional(oneOf(['active', 'revoked'])),
  made_by: Type.Optional(line(64, 'Only keys that this member made: the id of the member.')),
})

/** The path parameters of a key. */
export const KeyParams = Type.Object({ key_id: Type.String({ description: 'The id of the key.' }) })
/** The path parameters of a merchant. */
export const MerchantParams = Type.Object({
  merchant_id: Type.String({ description: 'Your own merchant id, or `me`.' }),
})
/** A key in the response envelope. */
export const KeyReply = success(KeyRecord)
/** A new key in the response envelope. Only the first answer has the plaintext. */
export const CreatedKeyReply = success(CreatedKeyRecord)
/** A page of keys in the response envelope. */
export const KeysReply = success(page(KeyRecord))
