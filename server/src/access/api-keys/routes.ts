// Defines the routes that create, list, revoke and rotate the keys of a merchant. Only sessions may call these routes, not API
// keys.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { actOf, recordAudit } from '../../books/audit/index.ts'
import type { Deps, Tx } from '../../kernel/db/index.ts'
import {
  type App,
  answerOnce,
  answerShowingOnce,
  caller,
  type LockMerchantOfCaller,
  MERCHANT_ROLES,
  pageOf,
  type Routes,
} from '../../kernel/http/index.ts'
import { notifyAdmins } from '../merchants/index.ts'
import { type CreatedKey, insertKey } from './create.ts'
import { listKeys } from './list.ts'
import { presentKey } from './present.ts'
import { lockKey, revokeLocked } from './revoke.ts'
import { rotateKey } from './rotate.ts'
import { CreatedKeyReply, KeyParams, KeyReply, KeysQuery, KeysReply, MerchantParams, NewKeyBody } from './schema.ts'

const tags = ['API keys']
const WRITE = { roles: ['MERCHANT_ADMIN', 'DEVELOPER'] } as const
const READ = { roles: MERCHANT_ROLES }

const CHANGE = { access: WRITE, idempotency: 'honoured', step_up: 'always' } as const

/** Adds the routes of API keys. `lockMerchant` locks the merchant and checks the caller again. */
export function apiKeyRoutes(deps: Deps, { lockMerchant }: { lockMerchant: LockMerchantOfCaller }): Routes {
  return (app) => {
    creationRoutes(deps, app, lockMerchant)
    keyListRoute(deps, app)
    keyEndRoutes(deps, app, lockMerchant)
  }
}

function creationRoutes(deps: Deps, app: App, lockMerchant: LockMerchantOfCaller): void {
  const creation = {
    tags,
    operationId: 'createApiKey',
    summary: 'Create an API key',
    description:
      'Only this reply shows the key. A repetition with the same Idempotency-Key shows the record without the key.',
    body: NewKeyBody,
    response: { 201: CreatedKeyReply },
  }
  const refusals = ['production_access_restricted', 'key_limit_reached'] as const
  app.post('/v1/merchant/api-keys', { config: { ...CHANGE, refusals }, schema: creation }, async (request, reply) =>
    createMerchantKey(deps, request, reply, lockMerchant),
  )
  app.post(
    '/v1/merchants/:merchant_id/api-keys',
    {
      config: { ...CHANGE, refusals },
      schema: {
        ...creation,
        operationId: 'createMerchantApiKey',
        summary: 'Create an API key of a named merchant',
        params: MerchantParams,
      },
    },
    async (request, reply) => createMerchantKey(deps, request, reply, lockMerchant),
  )
}

function keyListRoute(deps: Deps, app: App): void {
  app.get(
    '/v1/merchant/api-keys',
    {
      config: { access: READ },
      schema: {
        tags,
        operationId: 'listApiKeys',
        summary: 'List API keys, newest first',
        querystring: KeysQuery,
        response: { 200: KeysReply },
      },
    },
    async (request) => {
      const { environment = null, status = null, made_by = null } = request.query
      const filter = { environment, status, made_by }
      const { keys, total } = await listKeys(deps.db, caller(request).merchant.id, filter, request.query)
      return { success: true as const, data: pageOf(keys.map(presentKey), total, request.query) }
    },
  )
}

function keyEndRoutes(deps: Deps, app: App, lockMerchant: LockMerchantOfCaller): void {
  app.patch(
    '/v1/merchant/api-keys/:key_id/revoke',
    {
      config: { access: WRITE, idempotency: 'honoured' },
      schema: {
        tags,
        operationId: 'revokeApiKey',
        summary: 'Revoke an API key',
        description: 'The key stops working on the next request. A second revocation changes nothing.',
        params: KeyParams,
        response: { 200: KeyReply },
      },
    },
    async (request, reply) => revokeMerchantKey(deps, request, reply, lockMerchant),
  )
  app.post(
    '/v1/merchant/api-keys/:key_id/rotate',
    {
      config: { ...CHANGE, refusals: ['production_access_restricted', 'invalid_state'] },
      schema: {
        tags,
        operationId: 'rotateApiKey',
        summary: 'Replace an API key',
        description:
          'Revokes the key and creates a key with the same name, environment, scopes, IP flags and expiry. Only this reply shows the new key.',
        params: KeyParams,
        response: { 201: CreatedKeyReply },
      },
    },
    async (request, reply) => rotateMerchantKey(deps, request, reply, lockMerchant),
  )
}

function createMerchantKey(
  deps: Deps,
  request: FastifyRequest<{ Body: NewKeyBody }>,
  reply: FastifyReply,
  lockMerchant: LockMerchantOfCaller,
) {
  const { name, environment, scopes, expires_at, ip_whitelist_enabled, continue_without_ip_whitelist } = request.body
  const { merchant } = caller(request)
  return answerShowingOnce(deps, request, reply, 201, async (tx) => {
    await lockMerchant(tx, request)
    const input = {
      merchant_id: merchant.id,
      name,
      environment,
      scopes,
      ip_whitelist_enabled,
      continue_without_ip_whitelist,
      expires_at: expires_at == null ? null : new Date(expires_at),
      created_by_id: actOf(request).actor.id,
    }
    const created = await insertKey(deps, tx, input, deps.config.keys_per_merchant)
    const after = presentKey(created.record)
    await recordAudit(deps, tx, {
      ...actOf(request),
      merchant_id: merchant.id,
      action: 'api_key.create',
      target_type: 'api_key',
      target_id: created.record.id,
      after,
    })
    await notifyNewKey(deps, tx, request, created)
    return withPlaintextOnce(created)
  })
}

type KeyRequest = FastifyRequest<{ Params: { key_id: string } }>

function revokeMerchantKey(deps: Deps, request: KeyRequest, reply: FastifyReply, lockMerchant: LockMerchantOfCaller) {
  const { merchant } = caller(request)
  return answerOnce(deps, request, reply, 200, async (tx) => {
    await lockMerchant(tx, request)
    const before = await lockKey(tx, merchant.id, request.params.key_id)
    const after = await revokeLocked(deps, tx, before)
    if (before.revoked_at === null) {
      await recordAudit(deps, tx, {
        ...actOf(request),
        merchant_id: merchant.id,
        action: 'api_key.revoke',
        target_type: 'api_key',
        target_id: after.id,
        before: presentKey(before),
        after: presentKey(after),
      })
    }
    return presentKey(after)
  })
}

function rotateMerchantKey(deps: Deps, request: KeyRequest, reply: FastifyReply, lockMerchant: LockMerchantOfCaller) {
  const { merchant } = caller(request)
  return answerShowingOnce(deps, request, reply, 201, async (tx) => {
    await lockMerchant(tx, request)
    const created = await rotateKey(deps, tx, merchant.id, request.params.key_id, actOf(request).actor.id)
    await recordAudit(deps, tx, {
      ...actOf(request),
      merchant_id: merchant.id,
      action: 'api_key.rotate',
      target_type: 'api_key',
      target_id: created.old.id,
      before: presentKey(created.old),
      after: presentKey(created.record),
    })
    await notifyNewKey(deps, tx, request, created)
    return withPlaintextOnce(created)
  })
}

/** Queues e-mails to the administrators of the merchant about a new key. */
function notifyNewKey(deps: Deps, tx: Tx, request: FastifyRequest, { record }: CreatedKey): Promise<void> {
  const { merchant_id, name, environment, key_last4: last4 } = record
  return notifyAdmins(deps, tx, actOf(request), merchant_id, { kind: 'key_created', name, environment, last4 })
}

/** Only the first answer contains the plaintext. The stored answer to a repeated request contains none. */
function withPlaintextOnce({ record, plaintext_key }: CreatedKey) {
  const stored = presentKey(record)
  return { stored, fresh: { ...stored, plaintext_key } }
}
