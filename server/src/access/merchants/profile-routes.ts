// Defines the routes of a merchant's public profile: contact, colour and logo.

import { actOf } from '../../books/audit/index.ts'
import type { Deps } from '../../kernel/db/index.ts'
import { answerOnce, caller, type LockMerchantOfCaller, MERCHANT_ROLES, type Routes } from '../../kernel/http/index.ts'
import { changeProfile, getProfile, removeLogo, replaceLogo } from './profile.ts'
import { LogoBody, ProfileAnswer, ProfileBody } from './schema.ts'

const tags = ['People']
const write = { access: { roles: ['MERCHANT_ADMIN'] }, idempotency: 'honoured' } as const

/** Adds the routes of the public profile. `lockMerchant` locks the merchant and checks the caller again. */
export function profileRoutes(deps: Deps, { lockMerchant }: { lockMerchant: LockMerchantOfCaller }): Routes {
  return (app) => {
    app.get(
      '/v1/merchant/profile',
      {
        config: { access: { roles: MERCHANT_ROLES } },
        schema: {
          tags,
          operationId: 'getProfile',
          summary: 'Show what payers see of the business: contact, colour and logo',
          response: { 200: ProfileAnswer },
        },
      },
      async (request) => ({ success: true as const, data: await getProfile(deps.db, caller(request).merchant.id) }),
    )
    app.patch(
      '/v1/merchant/profile',
      {
        config: write,
        schema: {
          tags,
          operationId: 'updateProfile',
          summary: 'Change the contact and the colour that payers see',
          description: 'Null removes a field, and a missing field keeps its value.',
          body: ProfileBody,
          response: { 200: ProfileAnswer },
        },
      },
      async (request, reply) => {
        const input = { merchant_id: caller(request).merchant.id, change: request.body }
        return answerOnce(deps, request, reply, 200, async (tx) => {
          await lockMerchant(tx, request)
          return changeProfile(deps, tx, actOf(request), input)
        })
      },
    )
    app.put(
      '/v1/merchant/logo',
      {
        config: write,
        schema: {
          tags,
          operationId: 'replaceLogo',
          summary: 'Replace the logo that payers see',
          body: LogoBody,
          response: { 200: ProfileAnswer },
        },
      },
      async (request, reply) => {
        const input = { merchant_id: caller(request).merchant.id, upload: request.body.png }
        return answerOnce(deps, request, reply, 200, async (tx) => {
          await lockMerchant(tx, request)
          return replaceLogo(deps, tx, actOf(request), input)
        })
      },
    )
    app.delete(
      '/v1/merchant/logo',
      {
        config: write,
        schema: { tags, operationId: 'removeLogo', summary: 'Remove the logo', response: { 200: ProfileAnswer } },
      },
      async (request, reply) => {
        const { id } = caller(request).merchant
        return answerOnce(deps, request, reply, 200, async (tx) => {
          await lockMerchant(tx, request)
          return removeLogo(deps, tx, actOf(request), id)
        })
      },
    )
  }
}
