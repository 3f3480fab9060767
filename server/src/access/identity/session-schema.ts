// Defines the request and response schemas of the caller's sessions.

import Type, { type Static } from 'typebox'
import { CONSOLES, success } from '../../kernel/http/index.ts'
import { EMAIL_MAX, LANGUAGES, line, nullable, oneOf, visibleLine } from '../../kernel/lib/index.ts'
import { PasskeyAnswer } from './passkey-schema.ts'

const Timestamp = (description: string) => Type.String({ format: 'date-time', description })

/** The ways to confirm a session. `sign_in` means that only a new sign-in is possible. */
const CONFIRMATIONS = ['code', 'password', 'sign_in'] as const

/** The current session in the API. */
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
/** The session of the request, as the API returns it. */
export type CurrentSessionView = Static<typeof CurrentSession>
/** The current session in the response envelope. */
export const CurrentSessionAnswer = success(CurrentSession)

/** A session in the list of the caller's sessions. */
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
/** One of the caller's sessions, as the API lists them. */
export type SessionView = Static<typeof SessionRecord>
/** A session in the response envelope. */
export const SessionAnswer = success(SessionRecord)
/** The sessions of the caller in the response envelope. */
export const SessionsAnswer = success(Type.Object({ items: Type.Array(SessionRecord) }))

/** The path parameters of a session. */
export const SessionParams = Type.Object({ session_id: Type.String({ description: 'The id of the session.' }) })

/** The body of POST /v1/session/password. */
export const PasswordBody = Type.Object(
  {
    password: Type.String({ maxLength: 512, description: 'The current password.' }),
    new_password: Type.String({ maxLength: 512, description: 'The new password, of 8 to 128 characters.' }),
  },
  { title: 'PasswordChange' },
)
/** The answer to POST /v1/session/password. */
export const PasswordAnswer = success(
  Type.Object({ sessions_ended: Type.Boolean({ description: 'True: every session of the user has ended.' }) }),
)

/** The greatest number of characters of a name, here and at the sign-up. */
export const OWN_NAME_MAX = 100
/** The body of PATCH /v1/session/name, and the name in its answer. */
export const NameBody = Type.Object(
  { name: visibleLine(OWN_NAME_MAX, 'The name of the user, without direction marks.') },
  { title: 'NameChange' },
)
/** The answer to PATCH /v1/session/name. */
export const NameAnswer = success(Type.Object({ name: Type.String() }))

/** The body of PATCH /v1/session/language. */
export const LanguageBody = Type.Object(
  { language: oneOf(LANGUAGES, 'The language of the e-mails to the user.') },
  { title: 'LanguageChange' },
)
/** The answer to PATCH /v1/session/language. */
export const LanguageAnswer = success(Type.Object({ language: oneOf(LANGUAGES) }))

/** The body of POST /v1/session/email. */
export const EmailBody = Type.Object(
  { email: { ...line(EMAIL_MAX, 'The new e-mail address.'), format: 'email' } },
  { title: 'EmailChange' },
)
/** The answer to POST /v1/session/email. */
export const EmailAnswer = success(
  Type.Object({
    email: Type.String({ description: 'The new address, in lower case.' }),
    has_mail_server: Type.Boolean({
      description:
        'False means that the installation has no mail server. The link then stays in the outbox, which `admin emails` shows.',
    }),
  }),
)

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
