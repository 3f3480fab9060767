// Defines the request and response schemas of the caller's sessions.

import Type, { type Static } from 'typebox'
import { CONSOLES, success } from '../../kernel/http/index.ts'
import { line, nullable, oneOf } from '../../kernel/lib/index.ts'
import { PasskeyAnswer } from './passkey-schema.ts'

const Timestamp = (description: string) => Type.String({ format: 'date-time', description })

/** The ways in which a user confirms a session. */
const CONFIRMATIONS = ['code', 'password', 'sign_in'] as const

/** The session of the caller. */
const CurrentSession = Type.Object(
  {
    auth_time: nullable(
      Timestamp('The time at which the user last entered credentials in this session. Null means unknown.'),
    ),
    confirm_with: oneOf(
      CONFIRMATIONS,
      'How the user confirms this session: with a code of the second step, with the password, or only with a new sign-in.',
    ),
    passkey: Type.Boolean({
      description:
        'True if the user can also confirm this session with a passkey: `POST /v1/session/passkey` returns the options for the browser.',
    }),
  },
  { title: 'CurrentSession' },
)
/** The session of the caller in a response. */
export type CurrentSessionView = Static<typeof CurrentSession>
/** The response with the session of the caller. */
export const CurrentSessionAnswer = success(CurrentSession)

/** A session of the caller in the list. */
const SessionRecord = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    console: oneOf(CONSOLES, 'The console of the session.'),
    device: Type.String({ description: 'Browser and system of the sign-in. Empty means unknown.' }),
    address: Type.String({ description: 'The IP address of the last recorded request.' }),
    signed_in_at: Timestamp('When the user entered the credentials.'),
    seen_at: Timestamp('When the user last used the session, to the minute.'),
    current: Type.Boolean({ description: 'True for the session of this request.' }),
  },
  { title: 'Session' },
)
/** A session of the caller in a response. */
export type SessionView = Static<typeof SessionRecord>
/** The response with one session. */
export const SessionAnswer = success(SessionRecord)
/** The response with the sessions of the caller. */
export const SessionsAnswer = success(Type.Object({ items: Type.Array(SessionRecord) }))

/** The parameters of the path that names a session. */
export const SessionParams = Type.Object({ session_id: Type.String({ description: 'The id of the session.' }) })

/** The body of POST /v1/session/confirm. */
export const ConfirmBody = Type.Object(
  {
    code: Type.Optional(
      line(40, 'A code of the authenticator app, or a recovery code. Required if the user has a second step.'),
    ),
    password: Type.Optional(
      Type.String({ maxLength: 512, description: 'The password. Required if the user has no second step.' }),
    ),
    passkey: Type.Optional(PasskeyAnswer),
  },
  { title: 'SessionConfirmation' },
)
