/**
 * Tests the access rules of every operation. An engineer writes the rules by hand in one table. The tests compare the table
 * with the OpenAPI document, and with the answers of the app to every kind of caller.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createKey, revokeKey } from '../src/access/api-keys/index.ts'
import {
  inlineRefs,
  MERCHANT_ROLES,
  type MerchantRole,
  OPERATOR_ROLES,
  type Role,
  SCOPES,
  type Scope,
} from '../src/kernel/http/index.ts'
import { createWorld, type World } from './harness.ts'

type Rule =
  | 'public'
  | `operators: ${string}`
  | 'session'
  | 'authenticated'
  | { scopes?: readonly Scope[]; roles?: readonly MerchantRole[] }

const ALL = MERCHANT_ROLES
const ADMIN = ['MERCHANT_ADMIN'] as const
const BUILDERS = ['MERCHANT_ADMIN', 'DEVELOPER'] as const
const MONEY = ['MERCHANT_ADMIN', 'FINANCE'] as const
const PAYOUTS = { scopes: ['disbursements:write'], roles: MONEY } as const
const LINKS = { scopes: ['payment_links:write'], roles: MONEY } as const
const INVOICES = { scopes: ['invoices:write'], roles: MONEY } as const
const WEBHOOKS = { scopes: ['webhooks:manage'], roles: BUILDERS } as const
const READERS = 'operators: SUPPORT FINANCE_OPERATOR COMPLIANCE SUPER_ADMIN'
const CASHIERS = 'operators: FINANCE_OPERATOR SUPER_ADMIN'
const EXAMINERS = 'operators: COMPLIANCE SUPER_ADMIN'
const STOPPERS = 'operators: FINANCE_OPERATOR COMPLIANCE SUPER_ADMIN'
const OWNERS = 'operators: SUPER_ADMIN'

/** The callers that may use each operation. */
const RULES: Record<string, Rule> = {
  'GET /healthz': 'public',
  'GET /readyz': 'public',

  'POST /v1/collections/wallet-push': { scopes: ['collections:write'] },
  'POST /v1/collections/provider-pesa': { scopes: ['collections:write'] },
  'POST /v1/collections/stk-push': { scopes: ['collections:write'] },
  'POST /v1/collections/qr': { scopes: ['collections:write'] },
  'GET /v1/collections': { scopes: ['collections:read'], roles: ALL },
  'GET /v1/collections/export.csv': { scopes: ['collections:read'], roles: ALL },
  'GET /v1/collections/{collection_id}': { scopes: ['collections:read'], roles: ALL },
  'GET /v1/collections/{collection_id}/timeline': { scopes: ['collections:read'], roles: ALL },
  'POST /v1/collections/{collection_id}/refresh-status': {
    scopes: ['collections:read', 'collections:write'],
    roles: ALL,
  },

  'POST /v1/collections': { scopes: ['collections:write'], roles: MONEY },
  'GET /v1/payment-links': { scopes: ['payment_links:read'], roles: ALL },
  'POST /v1/payment-links': LINKS,
  'GET /v1/payment-links/export.csv': { scopes: ['payment_links:read'], roles: ALL },
  'GET /v1/payment-links/{link_id}': { scopes: ['payment_links:read'], roles: ALL },
  'GET /v1/payment-links/{link_id}/collections': { scopes: ['collections:read'], roles: ALL },
  'GET /v1/payment-links/{link_id}/poster.pdf': { scopes: ['payment_links:read'], roles: ALL },
  'POST /v1/payment-links/{link_id}/cancel': LINKS,
  'GET /public/payment-links/{public_slug}': 'public',
  'POST /public/payment-links/{public_slug}/collect': 'public',
  'POST /public/payment-links/{public_slug}/pay': 'public',
  'GET /public/payment-links/{public_slug}/collections/{collection_id}/status': 'public',

  'POST /v1/invoices': INVOICES,
  'GET /v1/invoices': { scopes: ['invoices:read'], roles: ALL },
  'GET /v1/invoices/export.csv': { scopes: ['invoices:read'], roles: ALL },
  'GET /v1/invoices/{invoice_id}': { scopes: ['invoices:read'], roles: ALL },
  'PATCH /v1/invoices/{invoice_id}': INVOICES,
  'POST /v1/invoices/{invoice_id}/send': INVOICES,
  'POST /v1/invoices/{invoice_id}/payment-link': INVOICES,
  'POST /v1/invoices/{invoice_id}/cancel': INVOICES,

  'GET /v1/destinations': 'public',
  'POST /v1/merchant/withdrawals/quote': { roles: MONEY },
  'POST /v1/merchant/withdrawals': { roles: MONEY },
  'GET /v1/merchant/withdrawals': { roles: ALL },
  'GET /v1/merchant/withdrawals/export.csv': { roles: ALL },
  'GET /v1/merchant/withdrawals/{withdrawal_id}': { roles: ALL },
  'GET /v1/merchant/withdrawals/{withdrawal_id}/timeline': { roles: ALL },
  'POST /v1/merchant/withdrawals/{withdrawal_id}/respond': { roles: MONEY },
  'POST /v1/merchant/withdrawals/{withdrawal_id}/cancel': { roles: MONEY },
  'GET /v1/merchant/recipients': { roles: MONEY },
  'POST /v1/merchant/recipients': { roles: MONEY },
  'PATCH /v1/merchant/recipients/{recipient_id}': { roles: MONEY },
  'DELETE /v1/merchant/recipients/{recipient_id}': { roles: MONEY },
  'POST /v1/merchant/recipients/{recipient_id}/name-check': { roles: MONEY },
  'POST /v1/disbursements/provider-pesa': PAYOUTS,
  'POST /v1/disbursements/mobile-money': PAYOUTS,
  'POST /v1/disbursements/bank-account': PAYOUTS,
  'GET /v1/disbursements': { scopes: ['disbursements:read'], roles: ALL },
  'GET /v1/disbursements/{disbursement_id}': { scopes: ['disbursements:read'], roles: ALL },
  'POST /v1/disbursements/{disbursement_id}/cancel': PAYOUTS,
  'POST /v1/sandbox/disbursements/{disbursement_id}/simulate': PAYOUTS,

  'GET /v1/search': { roles: ALL },
  'GET /v1/merchant/overview': { roles: ALL },
  'GET /v1/merchant/checklist': { roles: ALL },
  'GET /v1/merchant/attention': { roles: ALL },
  'GET /v1/merchant/webhook-resends': { roles: BUILDERS },
  'POST /v1/merchant/webhook-resends': { roles: BUILDERS },
  'GET /v1/me/attention': 'session',
  'GET /v1/me/recent-merchant': 'session',
  'GET /v1/merchant/balance-mark': { roles: ALL },
  'PUT /v1/merchant/balance-mark': { roles: ['MERCHANT_ADMIN', 'FINANCE'] },
  'GET /v1/merchant/webhook-status': { roles: ALL },

  'GET /v1/requests': { scopes: ['requests:read'] },
  'GET /v1/balance': { scopes: ['transactions:read'] },
  'GET /v1/merchant/balance': { roles: ALL },
  'GET /v1/merchant/payout-limits': { scopes: ['disbursements:read'], roles: ALL },
  'GET /v1/merchants/{merchant_id}/transactions': { scopes: ['transactions:read'], roles: ALL },
  'GET /v1/merchants/{merchant_id}/transactions/export': { scopes: ['transactions:read'], roles: ALL },
  'GET /v1/merchants/{merchant_id}/statements/{period}': { scopes: ['transactions:read'], roles: ALL },
  'GET /v1/transactions/{reference}': { scopes: ['transactions:read'], roles: ALL },
  'GET /v1/merchant/withdrawals/{withdrawal_id}/funding': { roles: ALL },
  'GET /v1/operator/withdrawals/{withdrawal_id}/funding': READERS,

  'GET /v1/merchant/api-keys': { roles: ALL },
  'POST /v1/merchant/api-keys': { roles: BUILDERS },
  'POST /v1/merchants/{merchant_id}/api-keys': { roles: BUILDERS },
  'PATCH /v1/merchant/api-keys/{key_id}/revoke': { roles: BUILDERS },
  'POST /v1/merchant/api-keys/{key_id}/rotate': { roles: BUILDERS },
  'GET /v1/merchant/ip-addresses': { roles: ALL },
  'POST /v1/merchant/ip-addresses': { roles: BUILDERS },
  'DELETE /v1/merchant/ip-addresses/{id}': { roles: BUILDERS },

  'GET /v1/me': 'authenticated',
  'GET /v1/session': 'session',
  'POST /v1/session/confirm': 'session',
  'POST /v1/session/password': 'session',
  'PATCH /v1/session/name': 'session',
  'PATCH /v1/session/language': 'session',
  'POST /v1/session/email': 'session',
  'GET /v1/sessions': 'session',
  'DELETE /v1/sessions/{session_id}': 'session',
  'GET /v1/passkeys': 'session',
  'DELETE /v1/passkeys/{passkey_id}': 'session',
  'POST /v1/session/passkey': 'session',
  'GET /v1/merchant/members': { roles: ALL },
  'POST /v1/merchant/members': { roles: ADMIN },
  'POST /v1/merchant/members/{member_id}/invitation': { roles: ADMIN },
  'PATCH /v1/merchant/members/{member_id}': { roles: ADMIN },
  'DELETE /v1/merchant/members/{member_id}': { roles: ALL },
  'GET /v1/merchant/audit-log': { roles: ADMIN },
  'GET /v1/merchant/security': { roles: ALL },
  'PATCH /v1/merchant/security': { roles: ADMIN },
  'GET /v1/merchant/notifications': { roles: ALL },
  'PATCH /v1/merchant/notifications': { roles: ALL },
  'GET /v1/merchant/profile': { roles: ALL },
  'PATCH /v1/merchant/profile': { roles: ADMIN },
  'PUT /v1/merchant/logo': { roles: ADMIN },
  'DELETE /v1/merchant/logo': { roles: ADMIN },
  'GET /v1/merchant/messages': { roles: ALL },

  'GET /v1/events': WEBHOOKS,
  'GET /v1/events/stream': WEBHOOKS,
  'GET /v1/merchant/webhook-config': WEBHOOKS,
  'PATCH /v1/merchant/webhook-config': WEBHOOKS,
  'POST /v1/merchant/webhook-config/test': WEBHOOKS,
  'GET /v1/merchant/webhook-endpoints': WEBHOOKS,
  'POST /v1/merchant/webhook-endpoints': WEBHOOKS,
  'GET /v1/merchant/webhook-endpoints/{id}': WEBHOOKS,
  'PATCH /v1/merchant/webhook-endpoints/{id}': WEBHOOKS,
  'DELETE /v1/merchant/webhook-endpoints/{id}': WEBHOOKS,
  'POST /v1/merchant/webhook-endpoints/{id}/test': WEBHOOKS,
  'GET /v1/merchant/webhook-deliveries': WEBHOOKS,
  'GET /v1/merchant/webhook-deliveries/{id}': WEBHOOKS,
  'POST /v1/merchant/webhook-deliveries/{id}/replay': WEBHOOKS,
  'POST /v1/merchant/webhook-deliveries/replay': WEBHOOKS,
  'GET /v1/merchant/requests': { roles: BUILDERS },
  'GET /v1/merchant/requests/{id}': { roles: BUILDERS },

  'GET /v1/operator/merchants': READERS,
  'POST /v1/operator/merchants': EXAMINERS,
  'GET /v1/operator/merchants/{merchant_id}': READERS,
  'POST /v1/operator/merchants/{merchant_id}/members/{member_id}/invitation': EXAMINERS,
  'POST /v1/operator/merchants/{merchant_id}/approve': EXAMINERS,
  'POST /v1/operator/merchants/{merchant_id}/suspend': EXAMINERS,
  'POST /v1/operator/merchants/{merchant_id}/reactivate': EXAMINERS,
  'POST /v1/operator/merchants/{merchant_id}/verify': EXAMINERS,
  'GET /v1/operator/merchants/{merchant_id}/pricing': READERS,
  'PUT /v1/operator/merchants/{merchant_id}/pricing': OWNERS,
  'PUT /v1/operator/merchants/{merchant_id}/payout-limits': EXAMINERS,
  'GET /v1/operator/merchants/{merchant_id}/adjustments': READERS,
  'POST /v1/operator/merchants/{merchant_id}/adjustments': CASHIERS,
  'GET /v1/operator/withdrawals': READERS,
  'GET /v1/operator/withdrawals/{withdrawal_id}': READERS,
  'POST /v1/operator/withdrawals/approve-batch': CASHIERS,
  'POST /v1/operator/withdrawals/{withdrawal_id}/approve': CASHIERS,
  'POST /v1/operator/withdrawals/{withdrawal_id}/reject': CASHIERS,
  'POST /v1/operator/withdrawals/{withdrawal_id}/request-info': CASHIERS,
  'POST /v1/operator/withdrawals/{withdrawal_id}/resolve': CASHIERS,
  'POST /v1/operator/withdrawals/{withdrawal_id}/retry': CASHIERS,
  'POST /v1/operator/withdrawals/{withdrawal_id}/recall': CASHIERS,
  'GET /v1/operator/payout-pauses': READERS,
  'POST /v1/operator/payout-pauses': STOPPERS,
  'POST /v1/operator/payout-pauses/{pause_id}/end': EXAMINERS,
  'POST /v1/operator/withdrawals/{withdrawal_id}/name-check': CASHIERS,
  'GET /v1/operator/collections': READERS,
  'GET /v1/operator/collections/{collection_id}': READERS,
  'POST /v1/operator/collections/{collection_id}/clear': CASHIERS,
  'GET /v1/operator/ip-addresses': READERS,
  'POST /v1/operator/ip-addresses/{address_id}/approve': EXAMINERS,
  'POST /v1/operator/ip-addresses/{address_id}/reject': EXAMINERS,
  'GET /v1/operator/audit-log': READERS,
  'GET /v1/operator/audit-log/verify': READERS,
  'GET /v1/operator/queue': READERS,
  'GET /v1/operator/search': READERS,
  'GET /v1/operator/withdrawals/{withdrawal_id}/case': READERS,
  'GET /v1/operator/webhooks/failing': READERS,
  'GET /v1/operator/verify': READERS,
  'GET /v1/operator/queues': READERS,
  'GET /v1/operator/system': READERS,
  'GET /v1/operator/providers/health': READERS,
  'POST /v1/operator/merchants/{merchant_id}/pricing/preview': READERS,
  'GET /v1/operator/messages': READERS,
  'POST /v1/operator/statements': CASHIERS,
  'POST /v1/operator/statements/{id}/withdraw': CASHIERS,
  'GET /v1/operator/statements': READERS,
  'GET /v1/operator/reconciliation': READERS,
  'GET /v1/operator/reconciliation/exceptions': READERS,
  'POST /v1/operator/reconciliation/exceptions/{id}/ask': CASHIERS,
  'POST /v1/operator/reconciliation/exceptions/{id}/resolve': CASHIERS,
  'GET /v1/operator/operators': OWNERS,
  'POST /v1/operator/operators/{user_id}/revoke': OWNERS,
  'POST /v1/operator/operators/{user_id}/disable': OWNERS,
  'GET /v1/operator/networks': READERS,
  'PUT /v1/operator/networks': OWNERS,
  'GET /v1/operator/reasons': READERS,
  'PUT /v1/operator/reasons/{action}': OWNERS,
  'GET /v1/operator/providers': READERS,
  'GET /v1/operator/waiting': READERS,
  'GET /v1/operator/decisions': READERS,
}

/** Bodies with the fields that `sample` omits, for the operations that refuse the body that `sample` makes. */
const BODIES: Record<string, object> = {
  'POST /v1/collections/wallet-push': { phone: '0754123001' },
  'POST /v1/collections/provider-pesa': { phone: '0754123001' },
  'POST /v1/collections/stk-push': { customer_phone: '0754123001' },
  'POST /v1/merchant/withdrawals': {
    destination_code: 'MPESA',
    destination_phone: '0754123001',
    destination_name: 'Asha',
  },
  'POST /v1/merchant/withdrawals/quote': { destination_code: 'MPESA' },
  'POST /v1/disbursements/provider-pesa': { destination_identifier: '0754123001' },
  'POST /v1/disbursements/mobile-money': { destination_identifier: '0754123001' },
}

// Expected results ----------------------------------------------------------------------------------------------------

/** 'through' means any status except 401 and 403. */
type Outcome = 'through' | `401 ${string}` | `403 ${string}`

const NO_ROLE = '403 insufficient_role'
const NOT_YOURS = '403 merchant_mismatch'

function forKey(rule: Rule, scopes: readonly string[]): Outcome {
  if (rule === 'authenticated') return 'through'
  if (typeof rule === 'string' || rule.scopes === undefined) return NO_ROLE
  return rule.scopes.some((scope) => scopes.includes(scope)) ? 'through' : '403 insufficient_scope'
}

const isForOperators = (rule: Rule): rule is `operators: ${string}` =>
  typeof rule === 'string' && rule.startsWith('operators: ')

function forSession(rule: Rule, role: Role | null): Outcome {
  if (isForOperators(rule)) return role !== null && rule.split(' ').includes(role) ? 'through' : NO_ROLE
  if (typeof rule === 'string') return 'through'
  return rule.roles?.some((one) => one === role) ? 'through' : NO_ROLE
}

// Callers -------------------------------------------------------------------------------------------------------------

/** A caller with a credential, and a function that returns the expected result for a rule. */
type Actor = { name: string; credential: string | null; meets(rule: Rule): Outcome; merchant_id?: string }

/** A caller that has every right in one merchant and names a different merchant in the request. */
type Stranger = { name: string; credential: string; allowed(rule: Rule): boolean }

const ALL_SCOPES = Object.keys(SCOPES) as Scope[]

let world: World
let operations: Map<string, Operation>
let actors: Actor[]
/** The merchant that operators change in this test. No other caller uses this merchant. */
let bystander: string
let strangers: Stranger[]
/** A user who is an administrator of one merchant and a viewer of another merchant. */
let divided: { credential: string; viewed: string }

before(async () => {
  world = await createWorld()
  operations = await readOperations()
  actors = [
    ...callersWithoutAccess(),
    ...(await people()),
    ...(await keys()),
    ...(await keysThatStopped()),
    ...(await membersOfBlockedMerchants()),
  ]
  const { token: administrator } = await world.newSession('MERCHANT_ADMIN')
  strangers = [
    {
      name: 'an administrator',
      credential: administrator,
      allowed: (rule) => forSession(rule, 'MERCHANT_ADMIN') === 'through',
    },
    { name: 'a sandbox key', credential: world.sandbox_key, allowed: (rule) => forKey(rule, ALL_SCOPES) === 'through' },
    { name: 'a live key', credential: world.live_key, allowed: (rule) => forKey(rule, ALL_SCOPES) === 'through' },
  ]
  bystander = (await world.newMerchant()).id
  const viewed = await world.newMerchant()
  const { token } = await world.newSession([{ role: 'MERCHANT_ADMIN' }, { role: 'VIEWER', merchant: viewed }])
  divided = { credential: token, viewed: viewed.id }
})
after(() => world.close())

function callersWithoutAccess(): Actor[] {
  const refused = (name: string, credential: string | null, outcome: Outcome) => ({
    name,
    credential,
    meets: () => outcome,
  })
  return [
    refused('a caller without a credential', null, '401 authentication_required'),
    refused('a meaningless credential', 'garbage', '401 authentication_required'),
    refused('a forged token', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.', '401 invalid_session'),
    refused('a public identifier', 'pk_live_0123456789', '401 public_key_not_accepted'),
    refused('a mistyped key', `${world.live_key}x`, '401 invalid_api_key'),
  ]
}

async function people(): Promise<Actor[]> {
  const members = MERCHANT_ROLES.map(async (role) => {
    const { token } = await world.newSession(role)
    return { name: role, credential: token, meets: (rule: Rule) => forSession(rule, role) }
  })
  const operators = OPERATOR_ROLES.map(async (role) => {
    const { token } = await world.newSession(role)
    return { name: role, credential: token, meets: (rule: Rule) => forSession(rule, role) }
  })
  const { token: outsider } = await world.newSession([])
  return [
    ...(await Promise.all(members)),
    ...(await Promise.all(operators)),
    { name: 'a member of nothing', credential: outsider, meets: (rule) => forSession(rule, null) },
  ]
}

/**
 * Makes two sandbox keys for each scope: one with only this scope, one with all other scopes. Also makes one key with all
 * scopes in each environment.
 */
async function keys(): Promise<Actor[]> {
  const key = async (name: string, scopes: readonly Scope[], environment: 'live' | 'sandbox' = 'sandbox') => {
    const credential = await world.newKey({ scopes, environment })
    return { name, credential, meets: (rule: Rule) => forKey(rule, scopes) }
  }
  const single = ALL_SCOPES.map((scope) => key(`a key with ${scope} alone`, [scope]))
  const lacking = ALL_SCOPES.map((scope) =>
    key(
      `a key without ${scope}`,
      ALL_SCOPES.filter((one) => one !== scope),
    ),
  )
  const whole = [
    key('a sandbox key with every scope', ALL_SCOPES),
    key('a live key with every scope', ALL_SCOPES, 'live'),
  ]
  return Promise.all([...single, ...lacking, ...whole])
}

async function keysThatStopped(): Promise<Actor[]> {
  const base = { merchant_id: world.merchant.id, environment: 'sandbox' as const, scopes: ALL_SCOPES, name: 'Stopped' }
  const revoked = await createKey(world.deps, base)
  await revokeKey(world.deps, world.merchant.id, revoked.record.id)
  const expired = await createKey(world.deps, { ...base, expires_at: new Date(world.deps.clock.now().getTime() + 1) })
  world.deps.clock.advance(1)
  const bound = await createKey(world.deps, { ...base, environment: 'live', ip_whitelist_enabled: true })
  return [
    { name: 'a revoked key', credential: revoked.plaintext_key, meets: () => '401 api_key_revoked' },
    { name: 'an expired key', credential: expired.plaintext_key, meets: () => '401 api_key_revoked' },
    { name: 'a live key elsewhere', credential: bound.plaintext_key, meets: () => '403 forbidden' },
  ]
}

/** Makes members and keys of a suspended merchant, and of a merchant that no operator has approved yet. */
async function membersOfBlockedMerchants(): Promise<Actor[]> {
  const suspended = await world.newMerchant()
  const pending = await world.newMerchant({ approved: false })
  const live = await world.newKey({ merchant: suspended, environment: 'live' })
  await world.rows("update merchants set status = 'SUSPENDED' where id = $1", [suspended.id])
  const found: Actor[] = [
    { name: 'a live key of a suspended merchant', credential: live, meets: () => '403 production_access_restricted' },
  ]
  for (const [status, merchant] of [
    ['suspended', suspended],
    ['PENDING', pending],
  ] as const) {
    const of = `of a ${status} merchant`
    const merchant_id = merchant.id
    const key = await world.newKey({ merchant })
    found.push({ name: `a sandbox key ${of}`, credential: key, meets: (rule) => forKey(rule, ALL_SCOPES), merchant_id })
    for (const role of MERCHANT_ROLES) {
      const { token } = await world.newSession([{ role, merchant }])
      found.push({ name: `${role} ${of}`, credential: token, meets: (rule) => forSession(rule, role), merchant_id })
    }
  }
  return found
}

// Calls ---------------------------------------------------------------------------------------------------------------

type Schema = {
  type?: string | string[]
  enum?: unknown[]
  examples?: unknown[]
  format?: string
  minLength?: number
} & {
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
}
type Operation = {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  path: string
  security: Record<string, unknown>[]
  scopes: readonly string[]
  parameters: { name: string; in: string; required?: boolean; schema: Schema }[]
  body: Schema | null
}

async function readOperations(): Promise<Map<string, Operation>> {
  const document = inlineRefs((await world.call({ method: 'GET', url: '/openapi.json', key: null })).body)
  const found = new Map<string, Operation>()
  for (const [path, methods] of Object.entries(document.paths as Record<string, Record<string, never>>)) {
    for (const [name, described] of Object.entries(methods)) {
      const {
        security = [],
        parameters = [],
        requestBody,
        'x-scopes': scopes = [],
      } = described as Record<string, never>
      const body = (requestBody as { content?: Record<string, { schema: Schema }> } | undefined)?.content
      const method = name.toUpperCase() as Operation['method']
      const schema = body?.['application/json']?.schema ?? null
      found.set(`${method} ${path}`, { method, path, security, scopes, parameters, body: schema })
    }
  }
  return found
}

/** Returns an example value for a schema. An object has only its required properties. */
function sample(schema: Schema): unknown {
  if (schema.examples?.length) return schema.examples[0]
  if (schema.enum) return schema.enum[0]
  if (schema.anyOf) return sample(schema.anyOf[0] as Schema)
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'object') {
    const { properties = {}, required = [] } = schema
    return Object.fromEntries(required.map((name) => [name, sample(properties[name] as Schema)]))
  }
  if (type === 'array') return schema.items ? [sample(schema.items)] : []
  if (type === 'boolean') return true
  if (type === 'integer' || type === 'number') return 1
  const texts: Record<string, string> = {
    email: 'asha@example.com',
    uuid: randomUUID(),
    'date-time': '2030-01-01T00:00:00Z',
  }
  return texts[schema.format ?? ''] ?? 'x'.repeat(schema.minLength ?? 1)
}

type Naming = { path?: string; query?: string; body?: object | null }

/**
 * Calls an operation, for the world's merchant by default. Returns 'through', or the status and the error code of the refusal.
 */
async function outcome(operation: Operation, credential: string | null, naming: Naming = {}): Promise<string> {
  const url = operation.path
    .replace('{merchant_id}', naming.path ?? world.merchant.id)
    .replaceAll(/\{\w+\}/g, () => randomUUID())
  const body = naming.body ?? (operation.body ? {} : null)
  const needed = operation.parameters
    .filter((one) => one.in === 'query' && one.required)
    .map((one) => `${one.name}=${sample(one.schema)}`)
  const reply = await world.call({
    method: operation.method,
    url: needed.length === 0 ? `${url}${naming.query ?? ''}` : `${url}${naming.query ?? '?'}&${needed.join('&')}`,
    key: credential,
    idempotency_key: randomUUID(),
    // The answer of a stream has no end. The server refuses this event id, so a caller that may open the stream gets an error
    // response, which ends.
    headers: operation.path.endsWith('/stream') ? { 'last-event-id': 'no event' } : {},
    ...(body === null ? {} : { payload: body }),
  })
  assert.ok(reply.status < 500, `${operation.method} ${operation.path} broke: ${reply.text}`)
  assert.notEqual(reply.status, 405)
  return [401, 403].includes(reply.status) ? `${reply.status} ${reply.body.error.code}` : 'through'
}

// Tests ---------------------------------------------------------------------------------------------------------------

test('each operation has a rule in this file, and each rule has an operation', () => {
  const unruled = [...operations.keys()].filter((name) => !(name in RULES))
  const idle = Object.keys(RULES).filter((name) => !operations.has(name))
  assert.deepEqual({ unruled, idle }, { unruled: [], idle: [] }, 'add a rule to RULES that names the callers')
})

for (const [name, rule] of Object.entries(RULES)) {
  const found = () => operations.get(name) ?? assert.fail(`no operation ${name}`)

  if (rule === 'public') {
    test(`${name} accepts a caller without a credential, and documents no credential`, async () => {
      assert.equal(await outcome(found(), null), 'through')
      assert.deepEqual(found().security, [])
    })
    continue
  }

  test(`${name} accepts the callers that its rule names, and refuses each other caller with the right error code`, async () => {
    const operation = found()
    const wrong: string[] = []
    for (const actor of actors) {
      const path = isForOperators(rule) ? bystander : (actor.merchant_id ?? world.merchant.id)
      const got = await outcome(operation, actor.credential, { path })
      const expected = actor.meets(rule)
      if (got !== expected) wrong.push(`${actor.name}: ${got}, expected ${expected}`)
    }
    assert.equal(wrong.length, 0, `\n${wrong.join('\n')}\n`)
  })

  test(`${name} documents the kinds of credentials that it accepts`, () => {
    const { security } = found()
    const takes_keys = rule === 'authenticated' || (typeof rule === 'object' && rule.scopes !== undefined)
    const takes_sessions = typeof rule === 'string' || rule.roles !== undefined
    const expected = [...(takes_keys ? ['api_key', 'api_key_header'] : []), ...(takes_sessions ? ['session'] : [])]
    assert.deepEqual([...new Set(security.flatMap((way) => Object.keys(way)))], expected)
    assert.deepEqual(found().scopes, typeof rule === 'object' ? (rule.scopes ?? []) : [])
  })

  if (typeof rule === 'string') continue

  test(`${name} refuses the merchant_id of another merchant in the path, the query and the body`, async () => {
    const operation = found()
    const foreign = (await world.newMerchant()).id
    const sound = operation.body ? { ...(sample(operation.body) as object), ...BODIES[name] } : {}
    for (const { name: caller, credential, allowed } of strangers) {
      if (!allowed(rule)) continue
      for (const merchant_id of [foreign, randomUUID()]) {
        const namings: [string, Naming][] = [['query', { query: `?merchant_id=${merchant_id}` }]]
        if (operation.path.includes('{merchant_id}')) namings.push(['path', { path: merchant_id }])
        if (operation.method !== 'GET') namings.push(['body', { body: { ...sound, merchant_id } }])
        for (const [place, naming] of namings) {
          const got = await outcome(operation, credential, { body: operation.body ? sound : null, ...naming })
          assert.equal(got, NOT_YOURS, `${caller} names another merchant in the ${place}`)
        }
      }
    }
  })

  test(`${name} checks the user's role in the named merchant, not a higher role in another merchant`, async () => {
    const operation = found()
    const sound = operation.body ? { ...(sample(operation.body) as object), ...BODIES[name] } : null
    const in_path = operation.path.includes('{merchant_id}')
    const naming = in_path ? { path: divided.viewed } : { query: `?merchant_id=${divided.viewed}` }
    assert.equal(await outcome(operation, divided.credential, { body: sound, ...naming }), forSession(rule, 'VIEWER'))
  })

  if (rule.roles === undefined) continue

  test(`${name} documents how a user session chooses the environment and the merchant`, () => {
    const { parameters, body } = found()
    const named = [...parameters.map((parameter) => parameter.name), ...Object.keys(body?.properties ?? {})]
    for (const choice of ['environment', 'merchant_id']) assert.ok(named.includes(choice), choice)
  })
}
