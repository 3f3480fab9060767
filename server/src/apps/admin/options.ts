// What the admin command can be told, and how each option is checked, before anything is opened.

import type { parseArgs } from 'node:util'
import { ENVIRONMENTS, type Environment, MERCHANT_ROLES, type Role, SCOPES } from '../../kernel/http/index.ts'
import { isId } from '../../kernel/lib/index.ts'

/** What was asked for cannot be done as it was written. The message says how to write it. */
export class UsageError extends Error {}

/** Every option of every command. */
export const OPTIONS = {
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  name: { type: 'string' },
  email: { type: 'string' },
  approve: { type: 'boolean' },
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
} as const

/** The name of an option. */
export type Option = keyof typeof OPTIONS

/** What was given on the command line. */
export type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values']

type TextOption = { [Name in Option]: (typeof OPTIONS)[Name]['type'] extends 'string' ? Name : never }[Option]

/** The text of an option that must be there. */
export function required(values: Values, name: TextOption): string {
  const value = values[name]
  if (value === undefined || value === '') throw new UsageError(`--${name} is required`)
  return value
}

/** One of a closed set of words. */
export function choice<const T extends string>(values: Values, name: TextOption, known: readonly T[]): T {
  const given = required(values, name)
  const found = known.find((word) => word === given)
  if (found === undefined) throw new UsageError(`--${name} must be one of ${known.join(', ')}`)
  return found
}

/** An id, as the commands and the API print it. */
export function id(values: Values, name: 'merchant' | 'key'): string {
  const given = required(values, name).toLowerCase()
  if (!isId(given)) throw new UsageError(`--${name} must be the id of a ${name}, as it was printed when it was made`)
  return given
}

/** One line of text; undefined when it was not given. */
export function optionalLine(values: Values, name: TextOption, max: number): string | undefined {
  const given = values[name]
  if (given === undefined) return undefined
  if (!/^[^\p{Cc}\p{Cs}]+$/u.test(given) || given.trim() === '' || given.length > max) {
    throw new UsageError(`--${name} must be one line of 1 to ${max} characters`)
  }
  return given
}

const EMAIL = /^[^\s@\p{Cc}\p{Cs}]{1,64}@[^\s@\p{Cc}\p{Cs}]{1,190}$/u

/** An e-mail address in lower case; undefined when it was not given. */
export function optionalEmail(values: Values): string | undefined {
  if (values.email === undefined) return undefined
  if (!EMAIL.test(values.email)) throw new UsageError('--email must be an e-mail address')
  return values.email.toLowerCase()
}

/** An e-mail address in lower case. */
export function email(values: Values): string {
  required(values, 'email')
  return optionalEmail(values) as string
}

/** A role with the merchant it is in: SUPER_ADMIN has none, every other role needs one. */
export function roleAndMerchant(values: Values): { role: Role; merchant_id: string | null } {
  const role = choice(values, 'role', [...MERCHANT_ROLES, 'SUPER_ADMIN'])
  if (role !== 'SUPER_ADMIN') return { role, merchant_id: id(values, 'merchant') }
  if (values.merchant !== undefined)
    throw new UsageError('--merchant does not go with SUPER_ADMIN: an operator has none')
  return { role, merchant_id: null }
}

/** The environment of a key. */
export function environment(values: Values): Environment {
  return choice(values, 'environment', ENVIRONMENTS)
}

/** Scopes, separated by commas. */
export function scopes(values: Values): string[] {
  const named = required(values, 'scopes')
    .split(',')
    .map((scope) => scope.trim())
  if (named.some((scope) => !Object.hasOwn(SCOPES, scope))) {
    throw new UsageError(`--scopes must name some of ${Object.keys(SCOPES).join(', ')}, separated by commas`)
  }
  return named
}
