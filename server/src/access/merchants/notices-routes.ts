// Defines the routes for the e-mails that a member gets about a merchant.

import type { Deps } from '../../kernel/db/index.ts'
import { answerOnce, caller, MERCHANT_ROLES, type Routes, session } from '../../kernel/http/index.ts'
import { getNotices, setNotices } from './notices.ts'
import { NoticeSettingsAnswer, NoticeSettingsBody } from './schema.ts'

const tags = ['People']
const url = '/v1/merchant/notifications'

/** Adds the routes. A member reads and changes only the member's own settings. */
export function noticesRoutes(deps: Deps): Routes {
  return (app) => {
    app.get(
      url,
      {
        config: { access: { roles: MERCHANT_ROLES } },
        schema: {
          tags,
          operationId: 'getNotificationSettings',
          summary: 'Show which e-mails about the business you get',
          response: { 200: NoticeSettingsAnswer },
        },
      },
      async (request) => {
        const owner = { merchant_id: caller(request).merchant.id, user_id: session(request).user_id }
        return { success: true as const, data: await getNotices(deps.db, owner) }
      },
    )
    app.patch(
      url,
      {
        config: { access: { roles: MERCHANT_ROLES }, idempotency: 'honoured' },
        schema: {
          tags,
          operationId: 'updateNotificationSettings',
          summary: 'Change which e-mails about the business you get',
          description: 'A missing field keeps its value. You cannot switch off e-mails about security.',
          body: NoticeSettingsBody,
          response: { 200: NoticeSettingsAnswer },
        },
      },
      async (request, reply) => {
        const owner = { merchant_id: caller(request).merchant.id, user_id: session(request).user_id }
        return answerOnce(deps, request, reply, 200, (tx) => setNotices(deps, tx, owner, request.body))
      },
    )
  }
}
