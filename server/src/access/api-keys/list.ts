// Lists the keys of a merchant, newest first, and reads when one of them was made.

import { type Reader, sql } from '../../kernel/db/index.ts'
import type { Environment, PageChoice } from '../../kernel/http/index.ts'
import { type ApiKeyRecord, KEY_COLUMNS } from './present.ts'

/** The filter of a list of keys. Null in a field means every value. */
export type KeyFilter = {
  environment: Environment | null
  status: 'active' | 'revoked' | null
  /** The membership id of the user who made the key. */
  made_by: string | null
}

const CONDITIONS = `k.merchant_id = $1 and ($2::text is null or k.environment = $2)
     and ($3::text is null or (k.revoked_at is null) = ($3 = 'active'))
     and ($4::text is null
       or k.created_by_id = (select m.user_id from members m where m.merchant_id = $1 and m.id::text = lower($4)))`

// Ids begin with their creation time, so the primary key sorts the keys by age.
const LIST = sql(
  'api_keys_list',
  `select ${KEY_COLUMNS} from api_keys k where ${CONDITIONS} order by k.id desc limit $5 offset $6`,
)
const COUNT = sql('api_keys_count', `select count(*)::int as total from api_keys k where ${CONDITIONS}`)

/** Returns a page of the keys of a merchant, newest first. `total` is the number of keys that match the filter. */
export async function listKeys(
  reader: Reader,
  merchant_id: string,
  filter: KeyFilter,
  { page = 1, page_size = 20 }: PageChoice,
): Promise<{ keys: ApiKeyRecord[]; total: number }> {
  const matching = [merchant_id, filter.environment, filter.status, filter.made_by]
  const [keys, counted] = await Promise.all([
    reader.query<ApiKeyRecord>(LIST, [...matching, page_size, (page - 1) * page_size]),
    reader.query<{ total: number }>(COUNT, matching),
  ])
  return { keys, total: counted[0]?.total ?? 0 }
}

const CREATED_AT = sql('api_key_created_at', 'select created_at from api_keys where merchant_id = $1 and id = $2')

/** Returns when a key was made. Null means that the merchant has no such key. */
export async function keyCreatedAt(reader: Reader, merchant_id: string, id: string): Promise<Date | null> {
  const [key] = await reader.query<{ created_at: Date }>(CREATED_AT, [merchant_id, id])
  return key?.created_at ?? null
}
