// What a setting is, and the parsers that several settings share. A parser throws an Error that says what is wrong, without
// the value: it may be a secret.

import { isOwnNetwork } from './network.ts'

/** One setting: its variable, its default, what it means, and how its text is read. */
export type Setting<T> = { env: string; default: string; help: string; parse: (text: string) => T }

/** One row of a table of settings. */
export function setting<T>(env: string, fallback: string, parse: (text: string) => T, help: string): Setting<T> {
  return { env, default: fallback, help, parse }
}

/** Any text. */
export const text = (value: string) => value
/** One of these words. */
export const oneOf =
  <T extends string>(...allowed: T[]) =>
  (value: string): T => {
    if (!(allowed as string[]).includes(value)) throw new Error(`must be one of ${allowed.join(', ')}`)
    return value as T
  }
/** true or false. */
export const flag = (value: string): boolean => oneOf('true', 'false')(value) === 'true'
/** A number within bounds. */
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
/** Empty, or an address with one of these protocols, kept without its last slash. */
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
 * Empty, or the address of a gateway: https://, or http:// within one's own network, where a twin of it may be. Its path ends
 * as `ending` says; `example` says what that is.
 */
export const gateway =
  (ending: RegExp, example: string) =>
  (value: string): string => {
    const address = url('http:', 'https:')(value)
    if (address === '') return ''
    const { protocol, hostname, pathname, search, hash, username, password } = new URL(address)
    if (protocol === 'http:' && !isOwnNetwork(hostname)) {
      throw new Error('must begin with https://: keys and PINs would cross the network in the open')
    }
    if (search !== '' || hash !== '' || username !== '' || password !== '') {
      throw new Error('must have no user, query or fragment')
    }
    if (!ending.test(pathname)) throw new Error(`must end in ${example}`)
    return address
  }

/** An e-mail address. */
export const email = (value: string): string => {
  if (!/^[^\s@]{1,64}@[^\s@.]+(\.[^\s@.]+)+$/.test(word(value))) throw new Error('must be an e-mail address')
  return value
}

/** Codes of one form, separated by commas. `example` is one of them. */
export const codes =
  (form: RegExp, example: string) =>
  (value: string): string[] => {
    const found = words(value)
    if (!found.every((code) => form.test(code))) {
      throw new Error(`must be codes such as ${example}, separated by commas`)
    }
    return found
  }

/** 1 to 255 visible ASCII characters. */
export const word = (value: string): string => {
  if (!/^[\x21-\x7e]{1,255}$/.test(value)) throw new Error('must be 1 to 255 visible ASCII characters')
  return value
}
/** Words separated by commas. */
export const words = (value: string): string[] =>
  value === '' ? [] : value.split(',').map((part) => word(part.trim()))

/** Empty, or what `parse` takes. */
export const optional =
  (parse: (value: string) => string) =>
  (value: string): string =>
    value === '' ? '' : parse(value)

/** Texts separated by |, because they may hold commas. */
export const texts = (value: string): string[] =>
  value === ''
    ? []
    : value.split('|').map((part) => {
        if (part.trim() === '') throw new Error('must be texts separated by |, none of them empty')
        return part.trim()
      })

/** Pairs such as a=b,c=d. No name comes twice. */
export const pairs = (value: string): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  for (const part of value === '' ? [] : value.split(',')) {
    const [name = '', word = '', ...more] = part.split('=').map((side) => side.trim())
    if (name === '' || word === '' || more.length > 0)
      throw new Error('must be pairs such as name=word, separated by commas')
    if (found.has(name)) throw new Error('must name each thing once')
    found.set(name, word)
  }
  return found
}

/** An amount in shillings, as cents. */
export const amount = (value: string): bigint => {
  if (!/^\d{1,12}(\.\d{2})?$/.test(value)) throw new Error('must be an amount such as 1000 or 1000.00')
  return BigInt(value.includes('.') ? value.replace('.', '') : `${value}00`)
}

/** Addresses that a browser may be sent back to, separated by commas. */
export const redirectUris = (value: string): string[] => {
  const uris = words(value)
  const wrong = uris.find((uri) => !/^https?:$/.test(URL.parse(uri)?.protocol ?? '') || uri.includes('#'))
  if (wrong !== undefined) throw new Error(`must hold URLs without a fragment; "${wrong}" is none`)
  return uris
}
