// Checks each request in a fixed order. In doubt, the twin is stricter than the gateway, so that the gateway also accepts each
// request that the twin accepts.

import { sameSecret } from '../../src/kernel/lib/index.ts'
import type { Reply } from './reply.ts'
import { refusal } from './reply.ts'
import type { Settings } from './settings.ts'
import { type Account, authorizationOf, isSigned, readTimestamp, signedText } from './signature.ts'

/**
 * A request as the twin received it. All values are texts, because the signature covers the texts of the JSON or of the query.
 */
export type Incoming = {
  method: string
  /** The path without /v1 and without a slash at its end. */
  path: string
  address: string
  headers: Record<string, string | undefined>
  /** The fields of the request. Null means that the body is no flat JSON object, or that a query names a field twice. */
  fields: Record<string, string> | null
}

/** Runs the checks in order and returns the refusal of the first failed check. If every check passes, returns null. */
export function checkRequest(account: Account, settings: Settings, now: Date, incoming: Incoming): Reply | null {
  const { headers, fields } = incoming
  if (!/^application\/json\b/i.test(headers['content-type'] ?? '')) {
    return refusal('content_type', 400, '400', 'Content-Type must be application/json')
  }
  if (!/application\/json|\*\/\*/i.test(headers.accept ?? '')) {
    return refusal('accept', 400, '400', 'Accept must be application/json')
  }
  if (!sameSecret(headers.authorization ?? '', authorizationOf(account.api_key))) {
    return refusal('authorization', 401, '401', 'Invalid Authorization: SELCOM and the API key in base64')
  }
  if (settings.source_ips !== null && !settings.source_ips.includes(incoming.address)) return notListed()
  if (fields === null) return refusal('body', 400, '400', 'Fields must be one level of names with texts or numbers')
  return checkSignature(account, settings, now, headers, fields) ?? checkPath(settings, incoming.path)
}

/** Makes the refusal of a request from an address that is not on the list. */
export function notListed(): Reply {
  return refusal('source_ip', 403, '403', 'Source IP not whitelisted (4032)')
}

function checkSignature(
  account: Account,
  settings: Settings,
  now: Date,
  headers: Incoming['headers'],
  fields: Record<string, string>,
): Reply | null {
  const { 'digest-method': method = '', digest = '', timestamp = '' } = headers
  const knows_method = method === 'HS256' || (method === 'RS256' && account.rsa_public_key !== null)
  if (!knows_method) return refusal('digest_method', 401, '401', 'Digest-Method is not known for this key')
  const time = readTimestamp(timestamp)
  if (time === null) return refusal('timestamp', 401, '401', 'Timestamp must be ISO 8601 with an offset')
  if (Math.abs(now.getTime() - time.getTime()) > settings.timestamp_window_s * 1000) {
    return refusal('timestamp_window', 401, '401', 'Timestamp is too far off')
  }
  const names = headers['signed-fields']?.split(',') ?? []
  // The signed text does not escape its values, so one value may look like two fields. Therefore the twin compares the names of
  // the fields too.
  if (!namesAll(names, fields)) return refusal('signed_fields', 401, '401', 'Signed-Fields must name every field once')
  if (!isSigned(account, method, digest, signedText(timestamp, names, fields))) {
    return refusal('digest', 401, '401', 'Digest does not match')
  }
  return null
}

function namesAll(names: readonly string[], fields: Record<string, string>): boolean {
  const unique = new Set(names)
  if (unique.size !== names.length || names.length !== Object.keys(fields).length) return false
  return names.every((name) => Object.hasOwn(fields, name))
}

function checkPath(settings: Settings, path: string): Reply | null {
  if (!settings.disabled_paths.includes(path)) return null
  return refusal('endpoint', 403, '403', 'API endpoint not enabled for the vendor (4035)')
}

/** The rule for the value of a field: a pattern or a test function. */
export type Rule = RegExp | ((text: string) => boolean)
/** The rules for the fields of a call: `must` for its required fields, and `may` for its optional fields. */
export type Rules = { must: Record<string, Rule>; may?: Record<string, Rule> }

/**
 * Returns the refusal of the first missing or malformed field. If there is no such field, returns null. A field without a rule
 * passes.
 */
export function checkFields(rules: Rules, fields: Record<string, string>): Reply | null {
  for (const [name, rule] of Object.entries(rules.must)) {
    const value = fields[name]
    if (value === undefined || !keeps(rule, value)) return badField(name)
  }
  for (const [name, rule] of Object.entries(rules.may ?? {})) {
    const value = fields[name]
    if (value !== undefined && !keeps(rule, value)) return badField(name)
  }
  return null
}

function badField(name: string): Reply {
  return refusal('parameter', 412, '412', `Parameter ${name} is invalid or missing`)
}

function keeps(rule: Rule, value: string): boolean {
  return typeof rule === 'function' ? rule(value) : rule.test(value)
}

/** Returns the web address that a base64 text contains. If the text contains no web address, returns null. */
export function readUrl(text: string): string | null {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return null
  const bytes = Buffer.from(text, 'base64')
  if (bytes.toString('base64') !== text) return null
  const url = URL.parse(bytes.toString('utf8'))
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null
}

/**
 * Returns the fields of a parsed JSON value as texts. If the value is no flat object of texts and numbers, returns null.
 */
export function fieldsOf(content: unknown): Record<string, string> | null {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return null
  const fields: Record<string, string> = {}
  for (const [name, value] of Object.entries(content)) {
    if (typeof value !== 'string' && typeof value !== 'number') return null
    fields[name] = String(value)
  }
  return fields
}

/**
 * Returns the fields of a query. If a field occurs twice, returns null, because only one of its values could be signed.
 */
export function fieldsOfQuery(query: URLSearchParams): Record<string, string> | null {
  const fields: Record<string, string> = {}
  for (const [name, value] of query) {
    if (Object.hasOwn(fields, name)) return null
    fields[name] = value
  }
  return fields
}
