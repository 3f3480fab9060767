// Defines the options of the admin command. Before the program opens the database, these functions check the options. If an
// option is invalid, the function throws a UsageError.

import type { parseArgs } from 'node:util'
import { isAnchorKey } from '../../books/audit/index.ts'
import { UNKNOWN_KEY } from '../../kernel/db/index.ts'
import {
  ENVIRONMENTS,
  type Environment,
  isOperatorRole,
  MERCHANT_ROLES,
  OPERATOR_ROLES,
  type Role,
  SCOPES,
} from '../../kernel/http/index.ts'
import { canonicalPhone, isEmailAddress, isId, visibleLine } from '../../kernel/lib/index.ts'

/** The error of an invalid command line. The message describes the valid form. */
export class UsageError extends Error {}

/** Every option of the admin command, in the form that `parseArgs` of Node.js takes. */
export const OPTIONS = {
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  name: { type: 'string' },
  email: { type: 'string' },
  approve: { type: 'boolean' },
  print: { type: 'boolean' },
  plan: { type: 'boolean' },
  apply: { type: 'boolean' },
  merchant: { type: 'string' },
  key: { type: 'string' },
  environment: { type: 'string' },
  scopes: { type: 'string' },
  role: { type: 'string' },
  subject: { type: 'string' },
  language: { type: 'string' },
  provider: { type: 'string' },
  file: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  columns: { type: 'string' },
  phone: { type: 'string' },
  'send-test-to': { type: 'string' },
  'data-dir': { type: 'string' },
  'to-time': { type: 'string' },
  history: { type: 'boolean' },
  'remove-history': { type: 'boolean' },
  keep: { type: 'string' },
  scratch: { type: 'string' },
} as const

/** The name of an option of the admin command. */
export type Option = keyof typeof OPTIONS

/** The options of a command line after `parseArgs` has parsed them. */
export type OptionValues = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values']

type TextOption = { [Name in Option]: (typeof OPTIONS)[Name]['type'] extends 'string' ? Name : never }[Option]

/** Returns the text of a required option. If the option is missing, throws a UsageError. */
export function required(values: OptionValues, name: TextOption): string {
  const value = values[name]
  if (value === undefined || value === '') throw new UsageError(`--${name} is required`)
  return value
}

/** Returns the value of an option with a fixed list of values. If the value is not in the list, throws a UsageError. */
export function choice<const T extends string>(values: OptionValues, name: TextOption, allowed: readonly T[]): T {
  const given = required(values, name)
  const found = allowed.find((value) => value === given)
  if (found === undefined) throw new UsageError(`--${name} must be one of ${allowed.join(', ')}`)
  return found
}

/** Returns the id of a merchant or key. If the text is not an id, throws a UsageError. */
export function id(values: OptionValues, name: 'merchant' | 'key'): string {
  const given = required(values, name).toLowerCase()
  if (!isId(given))
    throw new UsageError(`--${name} must be the id of a ${name}, which the command that created the ${name} printed`)
  return given
}

/** Returns the id of a secret key, in the form that `secrets status` prints. */
export function secretKeyId(values: OptionValues): string {
  const given = required(values, 'key')
  if (!/^[0-9a-f]{8}$/.test(given) && given !== UNKNOWN_KEY)
    throw new UsageError(`--key must be the id of a secret key, which "secrets status" prints, or ${UNKNOWN_KEY}`)
  return given
}

/** Returns the public keys of anchors, in the form that `audit anchors` prints. */
export function publicKeys(values: OptionValues): string[] {
  const keys = required(values, 'key').split(',')
  const wrong = keys.find((key) => !isAnchorKey(key))
  if (wrong !== undefined)
    throw new UsageError(`--key must be a public key, which "audit anchors" prints, and ${wrong} is not a public key`)
  return keys
}

/** Returns one line of text with at most `max` characters. If the option is missing, returns undefined. */
export function optionalLine(values: OptionValues, name: TextOption, max: number): string | undefined {
  const given = values[name]
  if (given === undefined) return undefined
  if (!new RegExp(visibleLine(max).pattern, 'u').test(given) || given.length > max) {
    throw new UsageError(`--${name} must be one line of 1 to ${max} characters, and one must be visible`)
  }
  return given
}

/** Returns an e-mail address in lower case. If the option is missing, returns undefined. */
export function optionalEmail(values: OptionValues): string | undefined {
  if (values.email === undefined) return undefined
  if (!isEmailAddress(values.email)) throw new UsageError('--email must be an e-mail address')
  return values.email.toLowerCase()
}

/** Returns a required e-mail address in lower case. */
export function requiredEmail(values: OptionValues): string {
  required(values, 'email')
  return optionalEmail(values) as string
}

/** Returns a required mobile number of Tanzania in its canonical form. */
export function requiredPhone(values: OptionValues): string {
  const canonical = canonicalPhone(required(values, 'phone'))
  if (canonical === null) throw new UsageError('--phone must be a Tanzanian mobile number, such as 0754123456')
  return canonical
}

/** Returns a time with a zone, in the past or in the future. If the option is missing, returns null. */
export function optionalTime(values: OptionValues, name: TextOption): Date | null {
  const given = values[name]
  if (given === undefined) return null
  const is_time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?(?:Z|[+-]\d\d:\d\d)$/.test(given)
  if (!is_time || Number.isNaN(Date.parse(given)))
    throw new UsageError(`--${name} must be a time with its zone, such as 2026-01-05T09:30:00Z, not "${given}"`)
  return new Date(given)
}

/** Returns a whole number from 1 to `max`. If the option is missing, returns null. */
export function optionalCount(values: OptionValues, name: TextOption, max: number): number | null {
  const given = values[name]
  if (given === undefined) return null
  if (!/^[1-9]\d{0,8}$/.test(given) || Number(given) > max)
    throw new UsageError(`--${name} must be a whole number from 1 to ${max}, not "${given}"`)
  return Number(given)
}

/**
 * Returns a role with its merchant. For a role of operators, `merchant_id` is null. Every other role needs a merchant.
 */
export function roleAndMerchant(values: OptionValues): { role: Role; merchant_id: string | null } {
  const role = choice(values, 'role', [...MERCHANT_ROLES, ...OPERATOR_ROLES])
  if (!isOperatorRole(role)) return { role, merchant_id: id(values, 'merchant') }
  if (values.merchant !== undefined)
    throw new UsageError(`--merchant is not allowed with --role ${role}: an operator has no merchant`)
  return { role, merchant_id: null }
}

/** Returns the environment of a key: live or sandbox. */
export function environment(values: OptionValues): Environment {
  return choice(values, 'environment', ENVIRONMENTS)
}

/** Returns the scopes of a key. On the command line, commas separate the scopes. */
export function scopes(values: OptionValues): string[] {
  const named = required(values, 'scopes')
    .split(',')
    .map((scope) => scope.trim())
  if (named.some((scope) => !Object.hasOwn(SCOPES, scope))) {
    throw new UsageError(
      `--scopes must be a list of these scopes, separated by commas: ${Object.keys(SCOPES).join(', ')}`,
    )
  }
  return named
}
