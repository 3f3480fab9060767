// Defines the type of a setting, and the parsers that several settings share. The error of a parser names the problem. The
// error of a setting that may be secret never contains the value.

import { isOwnNetwork } from './network.ts'
import { canonicalPhone } from './phone.ts'

/** The properties of a setting that the configuration handles in the same way for all providers. */
export type SettingMarks = {
  /** True if the value may come from a file. No log line contains the value of such a setting. */
  secret?: true
  /** True if the provider cannot work without a value. */
  required?: true
  /**
   * True for the address of the provider's gateway. If the address has a value, the provider is configured. Production
   * requires https://.
   */
  gateway?: true
  /** True if production refuses the default value and an empty value. */
  replaced_in_production?: true
}

/** One setting: its environment variable, its default, its help text, its parser and its properties. */
export type Setting<T> = SettingMarks & { env: string; default: string; help: string; parse: (text: string) => T }

/** The settings of one part of the server, by the names that the settings have in the configuration. */
export type SettingTable = Readonly<Record<string, Setting<unknown>>>

/** The checked values of a table of settings. */
export type SettingValues<Table extends SettingTable = SettingTable> = {
  readonly [Name in keyof Table]: ReturnType<Table[Name]['parse']>
}

/** Makes one setting from its parts. `marks` are the properties that the configuration handles for all providers. */
export function setting<T>(
  env: string,
  fallback: string,
  parse: (text: string) => T,
  help: string,
  marks: SettingMarks = {},
): Setting<T> {
  return { env, default: fallback, help, parse, ...marks }
}

/** Accepts any text and returns it unchanged. */
export const text = (value: string) => value
/** Accepts one of the allowed words. The error lists these words. */
export const oneWord =
  <T extends string>(...allowed: T[]) =>
  (value: string): T => {
    if (!(allowed as string[]).includes(value)) throw new Error(`must be one of ${allowed.join(', ')}`)
    return value as T
  }
/** Accepts true or false. */
export const flag = (value: string): boolean => oneWord('true', 'false')(value) === 'true'
/** Accepts a number from `min` to `max`, by default a whole number. */
export const number =
  (min: number, max: number, kind: 'whole' | 'any' = 'whole') =>
  (value: string): number => {
    const parsed = Number(value)
    if (value.trim() === '' || !Number.isFinite(parsed) || parsed < min || parsed > max) {
      throw new Error(`must be a number from ${min} to ${max}`)
    }
    if (kind === 'whole' && !Number.isInteger(parsed)) throw new Error('must be a whole number')
    return parsed
  }
/** Accepts an empty text, or a URL with one of these protocols. Removes a slash at the end of the URL. */
export const url =
  (...protocols: string[]) =>
  (value: string): string => {
    if (value === '') return ''
    if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol)) {
      throw new Error(`must be a URL that starts with ${protocols.map((p) => `${p}//`).join(' or ')}`)
    }
    return value.replace(/\/$/, '')
  }

/**
 * Accepts an empty text, or the URL of a gateway: https://, or http:// within the private network, for example for a twin.
 * The path must match `ending`, and `example` describes that ending in the error.
 */
export const gateway =
  (ending: RegExp, example: string) =>
  (value: string): string => {
    const address = url('http:', 'https:')(value)
    if (address === '') return ''
    const { protocol, hostname, pathname, search, hash, username, password } = new URL(address)
    if (protocol === 'http:' && !isOwnNetwork(hostname)) {
      throw new Error('must begin with https://, which encrypts keys and PINs')
    }
    if (search !== '' || hash !== '' || username !== '' || password !== '') {
      throw new Error('must have no user, query or fragment')
    }
    if (!ending.test(pathname)) throw new Error(`must end in ${example}`)
    return address
  }

/**
 * Lists the settings of `names` that have no value, each with the name of its variable. `why` is the reason why the settings
 * are required.
 */
export function missingSettings(
  table: SettingTable,
  values: SettingValues,
  names: readonly string[],
  why: string,
): string[] {
  return names.filter((name) => values[name] === '').map((name) => `${table[name]?.env} must be set: ${why}`)
}

/** Accepts a whole number of seconds from 1 up to a day. */
export const seconds = number(1, 86_400)

/** Accepts a number of connections to a gateway, from 1 to 2,000. */
export const connections = number(1, 2_000)

/** Accepts an e-mail address and returns it unchanged. */
export const email = (value: string): string => {
  if (!/^[^\s@]{1,64}@[^\s@.]+(\.[^\s@.]+)+$/.test(word(value))) throw new Error('must be an e-mail address')
  return value
}

/** Accepts codes of one form, separated by commas. The error shows `example`, a valid code. */
export const codes =
  (form: RegExp, example: string) =>
  (value: string): string[] => {
    const found = words(value)
    if (!found.every((code) => form.test(code))) {
      throw new Error(`must be codes such as ${example}, separated by commas`)
    }
    return found
  }

/** Accepts 1 to 255 visible ASCII characters. */
export const word = (value: string): string => {
  if (!/^[\x21-\x7e]{1,255}$/.test(value)) throw new Error('must be 1 to 255 visible ASCII characters')
  return value
}
/** Accepts words of visible ASCII characters, separated by commas. */
export const words = (value: string): string[] =>
  value === '' ? [] : value.split(',').map((part) => word(part.trim()))

/** Accepts an empty text, or a value that `parse` accepts. */
export const optional =
  (parse: (value: string) => string) =>
  (value: string): string =>
    value === '' ? '' : parse(value)

/** Accepts an empty text, or a Tanzanian mobile number. Returns the canonical form of the number. */
export const mobileNumber = optional((value) => {
  const canonical = canonicalPhone(value)
  if (canonical === null) throw new Error('must be a Tanzanian mobile number')
  return canonical
})

/** Accepts texts separated by |, because a text may contain commas. */
export const texts = (value: string): string[] =>
  value === ''
    ? []
    : value.split('|').map((part) => {
        if (part.trim() === '') throw new Error('must be texts separated by |, without an empty text')
        return part.trim()
      })

/** Accepts pairs such as a=b,c=d. No two pairs may have the same name. */
export const pairs = (value: string): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  for (const part of value === '' ? [] : value.split(',')) {
    const [name = '', word = '', ...more] = part.split('=').map((side) => side.trim())
    if (name === '' || word === '' || more.length > 0)
      throw new Error('must be pairs such as name=word, separated by commas')
    if (found.has(name)) throw new Error(`must not repeat the name ${name}`)
    found.set(name, word)
  }
  return found
}

/** Accepts an amount in shillings, and returns cents. */
export const amount = (value: string): bigint => {
  if (!/^\d{1,12}(\.\d{2})?$/.test(value)) throw new Error('must be an amount such as 1000 or 1000.00')
  return BigInt(value.includes('.') ? value.replace('.', '') : `${value}00`)
}

/** Accepts URLs to which the server may redirect a browser, separated by commas. */
export const redirectUris = (value: string): string[] => {
  const uris = words(value)
  const invalid = uris.find((uri) => !/^https?:$/.test(URL.parse(uri)?.protocol ?? '') || uri.includes('#'))
  if (invalid !== undefined) throw new Error(`must hold URLs without a fragment; "${invalid}" is invalid`)
  return uris
}
