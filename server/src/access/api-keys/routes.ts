// The merchant's keys, for the dashboard: make, list, revoke, rotate. No API key may call these.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { actOf, recordAudit } from '../../books/audit/index.ts'
import type { Deps } from '../../kernel/db/index.ts'
import { answerOnce, answerShowingOnce, caller, MERCHANT_ROLES, pageOf, type Routes } from '../../kernel/http/index.ts'
import { insertKey, type MadeKey } from './create.ts'
import { listKeys } from './list.ts'
import { presentKey } from './present.ts'
import { lockKey, revokeLocked } from './revoke.ts'
import { rotateKey } from './rotate.ts'
import { KeyAnswer, KeyParams, KeysAnswer, KeysQuery, MadeKeyAnswer, MerchantParams, NewKeyBody } from './schema.ts'

const tags = ['API keys']
const WRITE = { roles: ['MERCHANT_ADMIN', 'DEVELOPER'] } as const
const READ = { roles: MERCHANT_ROLES }

/** Adds the routes about API keys. */
export function apiKeyRoutes(deps: Deps): Routes {
  const making = {
    tags,
    summary: 'Create an API key',
    description: 'The key is shown in this answer only. Repeating the Idempotency-Key shows the record without it.',
    body: NewKeyBody,
    response: { 201: MadeKeyAnswer },
  }
  const config = { access: WRITE, idempotency: 'honoured', refusals: ['production_access_restricted'] } as const

  return (app) => {
    app.post('/v1/merchant/api-keys', { config, schema: making }, async (request, reply) =>
      create(deps, request, reply),
    )
    app.post(
      '/v1/merchants/:merchant_id/api-keys',
      { config, schema: { ...making, summary: 'Create an API key of a named merchant', params: MerchantParams } },
      async (request, reply) => create(deps, request, reply),
    )
    app.get(
      '/v1/merchant/api-keys',
      {
        config: { access: READ },
        schema: { tags, summary: 'List API keys, newest first', querystring: KeysQuery, response: { 200: KeysAnswer } },
      },
      async (request) => {
        const { environment = null, status = null } = request.query
        const filter = { environment, status }
        const { keys, total } = await listKeys(deps.db, caller(request).merchant.id, filter, request.query)
        return { success: true as const, data: pageOf(keys.map(presentKey), total, request.query) }
      },
    )
    app.patch(
      '/v1/merchant/api-keys/:key_id/revoke',
      {
        config: { access: WRITE, idempotency: 'honoured' },
        schema: {
          tags,
          summary: 'Revoke an API key',
          description: 'It stops working at once. Revoking it again changes nothing.',
          params: KeyParams,
          response: { 200: KeyAnswer },
        },
      },
      async (request, reply) => revoke(deps, request, reply),
    )
    app.post(
      '/v1/merchant/api-keys/:key_id/rotate',
      {
        config: { ...config, refusals: ['production_access_restricted', 'invalid_state'] },
        schema: {
          tags,
          summary: 'Replace an API key',
          description:
            'Revokes the key and makes one with the same name, environment, scopes, IP choice and expiry. The new key is shown in this answer only.',
          params: KeyParams,
          response: { 201: MadeKeyAnswer },
        },
      },
      async (request, reply) => rotate(deps, request, reply),
    )
  }
}

function create(deps: Deps, request: FastifyRequest<{ Body: NewKeyBody }>, reply: FastifyReply) {
  const { name, environment, scopes, expires_at, ip_whitelist_enabled, continue_without_ip_whitelist } = request.body
  const { merchant } = caller(request)
  return answerShowingOnce(deps, request, reply, 201, async (tx) => {
    const made = await insertKey(deps, tx, {
      merchant_id: merchant.id,
      name,
      environment,
      scopes,
      ip_whitelist_enabled,
      continue_without_ip_whitelist,
      expires_at: expires_at == null ? null : new Date(expires_at),
    })
    const after = presentKey(made.record)
    await recordAudit(deps, tx, {
      ...actOf(request),
      merchant_id: merchant.id,
      action: 'api_key.create',
      target_type: 'api_key',
      target_id: made.record.id,
      after,
    })
    return shownOnce(made)
  })
}

type KeyRequest = FastifyRequest<{ Params: { key_id: string } }>

function revoke(deps: Deps, request: KeyRequest, reply: FastifyReply) {
  const { merchant } = caller(request)
  return answerOnce(deps, request, reply, 200, async (tx) => {
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

function rotate(deps: Deps, request: KeyRequest, reply: FastifyReply) {
  const { merchant } = caller(request)
  return answerShowingOnce(deps, request, reply, 201, async (tx) => {
    const made = await rotateKey(deps, tx, merchant.id, request.params.key_id)
    await recordAudit(deps, tx, {
      ...actOf(request),
      merchant_id: merchant.id,
      action: 'api_key.rotate',
      target_type: 'api_key',
      target_id: made.old.id,
      before: presentKey(made.old),
      after: presentKey(made.record),
    })
    return shownOnce(made)
  })
}

/** The plaintext is in the first answer only: what is stored for a repetition does not hold it. */
function shownOnce({ record, plaintext_key }: MadeKey) {
  const stored = presentKey(record)
  return { stored, fresh: { ...stored, plaintext_key } }
}
