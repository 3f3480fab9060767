/**
 * Runs the smoke steps of smoke.json against a real server: the calls of a merchant's first day. `save` stores a field of a
 * result under a name. In later steps, this value replaces `$name`.
 */
import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from './cases.ts'
import type { DriverCall } from './run.ts'

/** A step: a call with its expected result, a run of the worker, or a webhook to verify. */
type SmokeStep = {
  do?: 'work' | 'receive'
  /** The endpoint that receives the webhook. */
  at?: 'default' | 'other'
  call?: string
  args?: JsonObject
  has?: JsonObject
  /** The records of the list, in order. Each record has at least these fields. */
  items?: JsonObject[]
  text_has?: string[]
  error?: JsonObject
  save?: Record<string, string>
}

/** The real server of the steps, and a receiver of its webhooks. */
export type SmokeWorld = {
  base_url: string
  api_key: string
  /** The webhook addresses of the default endpoint and of another endpoint. */
  receiver_urls: { default: string; other: string }
  /** The month of the server's clock, such as 2026-01. */
  month: string
  /** Runs the worker of the server for the rows that are due. */
  work(): Promise<void>
  /**
   * Returns a webhook of an event that no earlier step has received, with the time in seconds at which the driver must verify
   * it.
   */
  receive(at: 'default' | 'other', event: string): Promise<{ body: string; headers: object; now: number }>
}

/** Runs the steps with a driver. Returns the problems. An empty list means that the SDK works with this server. */
export async function runSmoke(driver: DriverCall, world: SmokeWorld): Promise<string[]> {
  const steps: SmokeStep[] = JSON.parse(readFileSync(new URL('smoke.json', import.meta.url), 'utf8'))
  const values: JsonObject = {
    receiver: world.receiver_urls.default,
    other_receiver: world.receiver_urls.other,
    month: world.month,
  }
  const problems: string[] = []
  for (const [i, raw] of steps.entries()) {
    const step = filled(raw, values) as SmokeStep
    if (step.do === 'work') await world.work()
    else
      problems.push(
        ...(await runStep(driver, world, step, values)).map((text) => `step ${i + 1}, ${nameOf(step)}: ${text}`),
      )
  }
  return problems
}

async function runStep(driver: DriverCall, world: SmokeWorld, step: SmokeStep, values: JsonObject): Promise<string[]> {
  const { base_url, api_key } = world
  const report =
    step.do === 'receive'
      ? await driver({
          do: 'verify',
          secret: values.secret,
          ...(await world.receive(step.at ?? 'default', String(step.has?.event))),
        })
      : await driver({ do: 'call', client: { base_url, api_key }, call: step.call, args: step.args ?? {} })
  const shown = JSON.stringify(report)
  if (step.error !== undefined) {
    return hasFields(report.error, step.error) ? [] : [`expected the error ${JSON.stringify(step.error)}, got ${shown}`]
  }
  if (report.error !== undefined || report.unsupported !== undefined) return [`failed: ${shown}`]
  const { ok } = report
  for (const [name, field] of Object.entries(step.save ?? {})) values[name] = (ok as JsonObject)[field]
  const { has = {}, items, text_has = [] } = step
  const found: string[] = []
  if (!hasFields(ok, has)) found.push(`expected ${JSON.stringify(has)}, got ${shown}`)
  for (const text of text_has) if (!String(ok).includes(text)) found.push(`expected the text ${text}, got ${shown}`)
  if (items !== undefined) {
    const list = ok as unknown[]
    const is_same = list.length === items.length && items.every((item, n) => hasFields(list[n], item))
    if (!is_same) found.push(`expected the records ${JSON.stringify(items)}, got ${shown}`)
  }
  return found
}

function nameOf({ call, do: kind }: SmokeStep): string {
  return call ?? kind ?? ''
}

function hasFields(value: unknown, fields: JsonObject): boolean {
  return Object.entries(fields).every(([name, wanted]) =>
    isDeepStrictEqual((value as JsonObject | null)?.[name], wanted),
  )
}

/** Replaces each text `$name` in a value with the stored value of this name. */
function filled(value: unknown, values: JsonObject): unknown {
  if (typeof value === 'string' && value.startsWith('$')) return values[value.slice(1)] ?? value
  if (Array.isArray(value)) return value.map((one) => filled(one, values))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, filled(one, values)]))
}
