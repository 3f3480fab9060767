// Manages the endpoints of a merchant other than the default endpoint. Each endpoint has its own URL, events and secret.

import { type Deps, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import type { Environment } from '../../kernel/http/index.ts'
import { isId, newId, refuse } from '../../kernel/lib/index.ts'
import { type ConfigChange, lockEndpoints, newSecret, storeSecret, type WebhookOwner } from './config.ts'
import { DEFAULT_ENDPOINT_ID } from './enqueue.ts'
import { DEFAULT_EVENTS } from './events.ts'
import { DEFAULT_ENDPOINT, ENDPOINTS_MAX, type EndpointView, endpointName } from './schema.ts'

/** A checked change of an endpoint. Null as `description` removes the description. */
export type EndpointChange = ConfigChange & { description?: string | null }

type StoredEndpointRow = Omit<EndpointView, 'created_at'> & { created_at: Date }

const COLUMNS = 'id, environment, description, webhook_url, events, secret_last4, created_at'

// The default endpoint has the lowest id (zeros), so it is the first endpoint of each environment in the list.
const LIST = sql(
  'webhook_endpoint_list',
  `select ${COLUMNS} from webhook_configs
   where merchant_id = $1 and environment = any($2::text[]) order by environment, id`,
)

const FIND = sql(
  'webhook_endpoint_find',
  `select ${COLUMNS} from webhook_configs
   where merchant_id = $1 and environment = any($2::text[]) and id = $3`,
)

const COUNT = sql(
  'webhook_endpoint_count',
  `select count(*)::int as total from webhook_configs where merchant_id = $1 and environment = $2 and id <> $3`,
)

const INSERT = sql(
  'webhook_endpoint_insert',
  `insert into webhook_configs (merchant_id, environment, id, description, webhook_url, events, secret, secret_last4,
     created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)
   returning ${COLUMNS}`,
)

const UPDATE = sql(
  'webhook_endpoint_update',
  `update webhook_configs
   set webhook_url = coalesce($4, webhook_url), events = coalesce($5, events),
     description = case when $6 then $7 else description end, updated_at = $8
   where merchant_id = $1 and environment = $2 and id = $3`,
)

const DELETE = sql(
  'webhook_endpoint_delete',
  'delete from webhook_configs where merchant_id = $1 and environment = $2 and id = $3',
)

/**
 * Reads the endpoints of a merchant without secrets, in the order of environments. In each environment, the default endpoint
 * comes first.
 */
export async function listEndpoints(
  reader: Reader,
  merchant_id: string,
  environments: readonly Environment[],
): Promise<EndpointView[]> {
  const rows = await reader.query<StoredEndpointRow>(LIST, [merchant_id, environments])
  return rows.map(presentEndpoint)
}

/**
 * Reads one endpoint without its secret. If the merchant has no such endpoint in `environments`, refuses with not_found. The
 * function also refuses the default endpoint, because other routes manage it.
 */
export async function getEndpoint(
  reader: Reader,
  merchant_id: string,
  environments: readonly Environment[],
  id: string,
): Promise<EndpointView> {
  if (id === DEFAULT_ENDPOINT) {
    refuse('not_found', { message: 'Use /v1/merchant/webhook-config for the default endpoint.' })
  }
  const [row] =
    isId(id) && id !== DEFAULT_ENDPOINT_ID
      ? await reader.query<StoredEndpointRow>(FIND, [merchant_id, environments, id])
      : []
  return row
    ? presentEndpoint(row)
    : refuse('not_found', { message: 'There is no such webhook endpoint. Check the id.' })
}

/**
 * Adds an endpoint with a new secret. ENDPOINTS_MAX always includes the default endpoint, even if the merchant has not
 * configured it. If the limit is reached, refuses with webhook_endpoint_limit_reached.
 */
export async function addEndpoint(
  deps: Deps,
  tx: Tx,
  owner: WebhookOwner,
  environment: Environment,
  change: EndpointChange & { webhook_url: string },
): Promise<{ endpoint: EndpointView; secret: string }> {
  await lockEndpoints(tx, owner.id)
  const [counted] = await tx.query<{ total: number }>(COUNT, [owner.id, environment, DEFAULT_ENDPOINT_ID])
  const endpoints = (counted?.total ?? 0) + 1
  if (endpoints >= ENDPOINTS_MAX) {
    refuse('webhook_endpoint_limit_reached', {
      message: `This merchant has ${endpoints} webhook endpoints in the ${environment} environment, with the default endpoint, and the limit is ${ENDPOINTS_MAX}. Delete an endpoint that no server uses, then add the endpoint again.`,
      details: { environment, endpoints, limit: ENDPOINTS_MAX },
    })
  }
  const { secret, sealed, last4 } = newSecret(deps)
  const { webhook_url, events = DEFAULT_EVENTS, description = null } = change
  const id = newId(deps, owner.routing_code)
  const values = [owner.id, environment, id, description, webhook_url, events, sealed, last4, deps.clock.now()]
  const [row] = await tx.query<StoredEndpointRow>(INSERT, values)
  return { endpoint: presentEndpoint(row as StoredEndpointRow), secret }
}

/** An endpoint before and after a change. Null as `secret` means that the change made no secret. */
export type ChangedEndpoint = { before: EndpointView; after: EndpointView; secret: string | null }

/**
 * Changes an endpoint. If `rotate_secret` is true, makes a new secret, and the previous secret also signs for 24 hours. If the
 * endpoint does not exist, refuses with not_found.
 */
export async function changeEndpoint(
  deps: Deps,
  tx: Tx,
  merchant_id: string,
  environments: readonly Environment[],
  id: string,
  change: EndpointChange,
): Promise<ChangedEndpoint> {
  await lockEndpoints(tx, merchant_id)
  const before = await getEndpoint(tx, merchant_id, environments, id)
  const { webhook_url = null, events = null, description, rotate_secret } = change
  const now = deps.clock.now()
  const described = [description !== undefined, description ?? null]
  await tx.query(UPDATE, [merchant_id, before.environment, id, webhook_url, events, ...described, now])
  const made = rotate_secret ? newSecret(deps) : null
  if (made !== null) await storeSecret(tx, merchant_id, [before.environment], id, made, now)
  const after = await getEndpoint(tx, merchant_id, environments, id)
  return { before, after, secret: made?.secret ?? null }
}

/**
 * Deletes an endpoint and returns it. If the endpoint does not exist, refuses with not_found. When the next attempt of a
 * pending delivery is due, the server cancels the delivery.
 */
export async function deleteEndpoint(
  tx: Tx,
  merchant_id: string,
  environments: readonly Environment[],
  id: string,
): Promise<EndpointView> {
  await lockEndpoints(tx, merchant_id)
  const before = await getEndpoint(tx, merchant_id, environments, id)
  await tx.query(DELETE, [merchant_id, before.environment, id])
  return before
}

function presentEndpoint({ created_at, ...row }: StoredEndpointRow): EndpointView {
  return { ...row, id: endpointName(row.id), created_at: created_at.toISOString() }
}
