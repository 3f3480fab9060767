// Defines the form of a conformance case, and compares a case with the requests and the report of an SDK.

import { isDeepStrictEqual } from 'node:util'
import type { RecordedRequest, ScriptedAnswer } from './scripted-server.ts'

/** An object of JSON with any fields. */
export type JsonObject = Record<string, unknown>

/**
 * The request that the SDK must send. For a header, `null` means absent, `$any` means present, and `$first` means the value of
 * the first request.
 */
export type ExpectedRequest = {
  method: string
  path: string
  query?: Record<string, string>
  headers?: Record<string, string | null>
  /**
   * The parsed JSON body. Without this field, the case does not check the body. Null means that the request has no body.
   */
  body?: unknown
  /** The least number of seconds between the previous answer and this request. */
  after_s?: number
}

/** The report that the driver must send. `ok` must be equal. Of an error, the suite compares only the listed fields. */
export type ExpectedOutcome = {
  ok?: unknown
  /** The fields that the event in `ok` must have. The event may have more fields. */
  ok_has?: JsonObject
  error?: JsonObject & { message_has?: string[]; message_lacks?: string[] }
}

/**
 * A conformance case: the command of the driver, the requests and answers of the server, and the report that the driver must
 * send.
 */
export type ConformanceCase = {
  name: string
  do?: 'call' | 'verify'
  client?: JsonObject
  call?: string
  args?: JsonObject
  webhook?: JsonObject
  exchange?: { request: ExpectedRequest; answer: ScriptedAnswer }[]
  expect: ExpectedOutcome
}

/** The report of a driver about a command: a result, an error, or a call that the SDK does not have. */
export type DriverReport = { ok?: unknown; error?: JsonObject; unsupported?: string }

/** Returns the differences between a case and the behaviour of an SDK. An empty list means that the SDK conforms. */
export function differences(
  one: ConformanceCase,
  requests: readonly RecordedRequest[],
  report: DriverReport,
): string[] {
  const exchange = one.exchange ?? []
  const found = exchange.flatMap(({ request }, i) => requestDifferences(request, requests[i], i + 1, requests[0]))
  if (requests.length > exchange.length) found.push(`${requests.length} requests arrived instead of ${exchange.length}`)
  return [...found, ...reportDifferences(one.expect, report, requests[0])]
}

function requestDifferences(
  expected: ExpectedRequest,
  given: RecordedRequest | undefined,
  number: number,
  first: RecordedRequest | undefined,
): string[] {
  const where = `request ${number}`
  if (given === undefined) return [`${where} did not arrive`]
  const found: string[] = []
  const same = (what: string, wanted: unknown, got: unknown) => {
    if (!isDeepStrictEqual(wanted, got))
      found.push(`${where}: ${what} is ${JSON.stringify(got)} instead of ${JSON.stringify(wanted)}`)
  }
  same('method', expected.method, given.method)
  same('path', expected.path, given.path)
  same('query', sorted(Object.entries(expected.query ?? {})), sorted(given.query))
  for (const [name, wanted] of Object.entries(expected.headers ?? {})) {
    const got = given.headers[name] ?? null
    if (wanted === '$any') same(`header ${name}`, true, typeof got === 'string' && got !== '')
    else same(`header ${name}`, wanted === '$first' ? (first?.headers[name] ?? 'missing in request 1') : wanted, got)
  }
  if (expected.body !== undefined) same('body', expected.body, parsedBody(given.body))
  const waited_s = (given.since_ms ?? 0) / 1000
  if (expected.after_s !== undefined && waited_s < expected.after_s)
    found.push(`${where} arrived after ${waited_s.toFixed(2)} s instead of ${expected.after_s} s or more`)
  return found
}

function reportDifferences(
  expected: ExpectedOutcome,
  report: DriverReport,
  first: RecordedRequest | undefined,
): string[] {
  const got = JSON.stringify(report)
  if (report.unsupported !== undefined) return [`the SDK does not support ${report.unsupported}`]
  if (expected.error === undefined) {
    if (report.error !== undefined) return [`the call failed: ${got}`]
    if ('ok' in expected && !isDeepStrictEqual(expected.ok, report.ok)) {
      return [`the result is ${JSON.stringify(report.ok)} instead of ${JSON.stringify(expected.ok)}`]
    }
    const fields = report.ok as JsonObject | null
    return Object.entries(expected.ok_has ?? {}).flatMap(([name, value]) =>
      isDeepStrictEqual(fields?.[name], value) ? [] : [`${name} is ${JSON.stringify(fields?.[name])} in ${got}`],
    )
  }
  if (report.error === undefined) return [`the call did not fail: ${got}`]
  const { message_has = [], message_lacks = [], ...facts } = expected.error
  const { error } = report
  const message = String(error.message)
  const found = message_has
    .filter((part) => !message.toLowerCase().includes(part.toLowerCase()))
    .map((part) => `the message lacks "${part}": ${message}`)
  found.push(...message_lacks.filter((part) => message.includes(part)).map((part) => `the message contains ${part}`))
  for (const [name, value] of Object.entries(facts)) {
    const wanted = value === '$first' ? first?.headers['idempotency-key'] : value
    if (!isDeepStrictEqual(error[name] ?? null, wanted ?? null))
      found.push(`error.${name} is ${JSON.stringify(error[name])} instead of ${JSON.stringify(wanted)}: ${message}`)
  }
  return found
}

function sorted(pairs: readonly (readonly [string, string])[]): string[] {
  return pairs.map(([name, value]) => `${name}=${value}`).sort()
}

function parsedBody(body: string): unknown {
  if (body === '') return null
  try {
    return JSON.parse(body)
  } catch {
    return `no JSON: ${body}`
  }
}
