// Measures the cost of accepting payments without batches. This process writes the same rows as the server, one transaction for
// each payment. It has no HTTP and no checks.

import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { newId, systemClock, systemRandom } from '../server/src/kernel/lib/index.ts'
import { attemptReference } from '../server/src/money/collections/reference.ts'
import { serve } from './rpc.ts'

/** The database and the merchants of the baseline, and the number of its connections. */
export type BaselineOptions = {
  url: string
  connections: number
  merchants: { id: string; routing_code: number }[]
  run: string
}

/** The functions that the baseline process serves to the benchmark. `stop` returns the number of written payments. */
export type BaselineApi = {
  start(options: BaselineOptions): Promise<void>
  progress(): { at: number; answered: number; refused: number }
  stop(): Promise<number>
}

const ACCEPT_ONE = `with key as (
  insert into idempotency_keys as k (merchant_id, environment, scope, key, fingerprint, resource_id, status_code,
    response_body, locked_until, created_at)
  values ($1, 'live', 'api', $3, $4, $2, 202, $5, null, $6)
  on conflict (merchant_id, environment, scope, key) do update
    set resource_id = excluded.resource_id, locked_until = excluded.locked_until
    where k.status_code is null and k.locked_until <= excluded.created_at and k.fingerprint = excluded.fingerprint
  returning k.resource_id
), collection as (
  insert into collections (merchant_id, id, environment, origin_environment, status, version, method, amount_minor,
    currency, fee_minor, amount_received_minor, customer_name, customer_phone, customer_email, reference, description,
    failure_reason_code, created_at, updated_at)
  select $1, $2, 'live', 'live', 'processing', 0, 'wallet_push', $7, 'TZS', 0, null, 'Asha Juma', $8, null, $9, null,
    null, $6, $6
  from key where resource_id = $2
), attempt as (
  insert into collection_attempts (merchant_id, collection_id, number, environment, provider, provider_reference,
    method, phone, amount_minor, currency, simulate_status, state, asks, due_at, lease_owner, deadline_at, sent_at,
    provider_status, provider_id, payment_token, qr_payload, created_at, updated_at)
  select $1, $2, 1, 'live', 'mock', $10, 'wallet_push', $8, $7, 'TZS', null, 'to_send', 0, $6, null, $11, null, null,
    null, null, null, $6, $6
  from key where resource_id = $2
)
select resource_id as id from key`

const DEADLINE_MS = 72 * 3_600_000

let clients: pg.Client[] = []
let loops: Promise<void>[] = []
let stopping = false
let written = 0

serve({
  async start(options: BaselineOptions) {
    stopping = false
    written = 0
    clients = Array.from({ length: options.connections }, () => new pg.Client({ connectionString: options.url }))
    await Promise.all(clients.map((client) => client.connect()))
    loops = clients.map((client, i) => write(client, i, options))
  },
  progress: () => ({ at: Number(process.hrtime.bigint()) / 1e6, answered: written, refused: 0 }),
  async stop() {
    stopping = true
    await Promise.all(loops)
    await Promise.all(clients.map((client) => client.end()))
    return written
  },
} satisfies BaselineApi)

async function write(client: pg.Client, lane: number, { merchants, run }: BaselineOptions): Promise<void> {
  const seams = { clock: systemClock, random: systemRandom() }
  for (let n = lane; !stopping; n += clients.length) {
    const merchant = merchants[n % merchants.length] as BaselineOptions['merchants'][number]
    const id = newId(seams, merchant.routing_code)
    const name = `${run}-${n}`
    const answer = {
      success: true,
      data: {
        collection_id: id,
        reference: `ORDER-${name}`,
        status: 'processing',
        message: 'Payment prompt sent. The customer approves it on the phone by entering the PIN.',
      },
    }
    const now = new Date()
    const values = [
      merchant.id,
      id,
      name,
      randomBytes(32),
      JSON.stringify(answer),
      now,
      100_000 + (n % 9000) * 100,
      `255754${String(n % 1000).padStart(3, '0')}${400 + (n % 500)}`,
      `ORDER-${name}`,
      attemptReference(id, 1),
      new Date(now.getTime() + DEADLINE_MS),
    ]
    await client.query({ name: 'accept_one', text: ACCEPT_ONE, values })
    written++
  }
}
