// Defines the request and response schemas of the caller's sessions.

import Type, { type Static } from 'typebox'
import { success } from '../../kernel/http/index.ts'
import { line, nullable, oneOf } from '../../kernel/lib/index.ts'

const Timestamp = (description: string) => Type.String({ format: 'date-time', description })

/** The ways in which a user confirms a session. */
const CONFIRMATIONS = ['code', 'password', 'sign_in'] as const

/** The session of the caller. */
const CurrentSession = Type.Object({
  auth_time: nullable(
    Timestamp('The time at which the user last entered credentials in this session. Null means unknown.'),
  ),
  confirm_with: oneOf(
    CONFIRMATIONS,
    'How the user confirms this session: with a code of the second step, with the password, or only with a new sign-in.',
  ),
})
/** The session of the caller in a response. */
export type CurrentSessionView = Static<typeof CurrentSession>
/** The response with the session of the caller. */
export const CurrentSessionAnswer = success(CurrentSession)

/** The body of POST /v1/session/confirm. */
export const ConfirmBody = Type.Object({
  code: Type.Optional(
    line(40, 'A code of the authenticator app, or a recovery code. Required if the user has a second step.'),
  ),
  password: Type.Optional(
    Type.String({ maxLength: 512, description: 'The password. Required if the user has no second step.' }),
  ),
})
