// What callers send and get about API keys.

import Type from 'typebox'
import { ENVIRONMENTS, PageQuery, page, SCOPES, success } from '../../kernel/http/index.ts'
import { line, nullable, oneOf } from '../../kernel/lib/index.ts'

const timestamp = (description: string) => Type.String({ format: 'date-time', description })

/** Body of the two routes that make a key. */
export const NewKeyBody = Type.Object({
  merchant_id: Type.Optional(line(64, 'Your own merchant id; needed by members of several merchants.')),
  name: Type.String({ ...line(100), minLength: 1, description: 'What you will know the key by.' }),
  environment: oneOf(ENVIRONMENTS, 'Of the key. Live needs a merchant that is approved, verified and priced.'),
  scopes: Type.Array(line(64), {
    maxItems: 50,
    description: `What the key may do: ${Object.keys(SCOPES).join(', ')}.`,
    examples: [['collections:write', 'collections:read']],
  }),
  ip_whitelist_enabled: Type.Optional(
    Type.Boolean({ description: 'true: a live key works from approved addresses only.' }),
  ),
  continue_without_ip_whitelist: Type.Optional(
    Type.Boolean({ description: 'true, the default: the key works from any address.' }),
  ),
  expires_at: Type.Optional(nullable(timestamp('When the key stops working. Left out: it does not.'))),
})
export type NewKeyBody = Type.Static<typeof NewKeyBody>

const fields = {
  id: Type.String({ format: 'uuid' }),
  merchant_id: Type.String({ format: 'uuid' }),
  name: Type.String(),
  environment: oneOf(ENVIRONMENTS),
  key_prefix: Type.String({ description: 'The visible beginning of the key.' }),
  key_last4: Type.String({ description: 'Its last four characters.' }),
  scopes: Type.Array(Type.String()),
  ip_whitelist_enabled: Type.Boolean(),
  continue_without_ip_whitelist: Type.Boolean(),
  status: oneOf(['active', 'revoked']),
  last_used_at: nullable(timestamp('To the minute. Null: never.')),
  expires_at: nullable(timestamp('Null: the key does not expire.')),
  revoked_at: nullable(timestamp('Null while active.')),
  created_at: timestamp('When it was made.'),
}

const KeyRecord = Type.Object(fields)
const MadeKeyRecord = Type.Object({
  ...fields,
  plaintext_key: Type.Optional(
    Type.String({ description: 'The key itself, this once. Keep it: nobody can show it again.' }),
  ),
})

/** Query of the list. */
export const KeysQuery = Type.Object({
  ...PageQuery,
  environment: Type.Optional(oneOf(ENVIRONMENTS, 'Left out: keys of both.')),
  status: Type.Optional(oneOf(['active', 'revoked'])),
})

/** Parameters of the paths that name a key. */
export const KeyParams = Type.Object({ key_id: Type.String({ description: 'The id of the key.' }) })
/** Parameters of the path that names the merchant. */
export const MerchantParams = Type.Object({
  merchant_id: Type.String({ description: 'Your own merchant id, or `me`.' }),
})
/** One key, in the envelope. */
export const KeyAnswer = success(KeyRecord)
/** A key that was just made, with its plaintext, in the envelope. */
export const MadeKeyAnswer = success(MadeKeyRecord)
/** A page of keys, in the envelope. */
export const KeysAnswer = success(page(KeyRecord))
