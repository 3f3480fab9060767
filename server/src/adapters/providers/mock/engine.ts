// Computes the timeline of a payment at the mock provider from the payment's request and the provider's settings alone. So
// every process computes the same timeline, even after a restart.

import { hash } from 'node:crypto'
import type { Answer, PaymentRequest, SimulateStatus } from '../port.ts'
import { MAGIC_NUMBERS, type MockPaymentFate, type MockPaymentResult } from './magic.ts'

/** The values that decide which outcome a mock provider gives to a payment, and when. */
export type MockProfile = {
  /** The share of successful payments among payments without a magic number. `always` means that all of them succeed. */
  success_default: 'always' | number
  /** The seed of random outcomes. Seed and reference together decide the outcome of a payment. */
  seed: string
  /** The usual pause before a result, in milliseconds. Payments on a page have other pauses. */
  delay_ms: number
}

/** One step of a timeline. From `at_ms` after the acceptance until the next step, the provider gives `answer`. */
export type TimelineStep<StepAnswer = Answer> = { at_ms: number; answer: StepAnswer; callbacks: number }

/** The steps in the order of their times. The first step is the answer to the request itself. */
export type MockTimeline<StepAnswer = Answer> = [TimelineStep<StepAnswer>, ...TimelineStep<StepAnswer>[]]

/** The fields of a payment request that decide its timeline. */
export type EngineRequest = Pick<
  PaymentRequest,
  'reference' | 'method' | 'phone' | 'amount_minor' | 'currency' | 'simulate_status' | 'on_page'
>

/**
 * The milliseconds before the simulated scan of a code on a page. If the request has a phone, that phone already chose the
 * outcome, so the pause is short.
 */
const SCAN_MS = 5_000
/**
 * The milliseconds before a code without a phone expires. In this time, a person reads the page of the link and chooses an
 * outcome. A program that chooses nothing reads a final status after this time. The payer scanned no code and pays no money.
 */
const CHOICE_MS = 300_000

/** The provider's statuses. NOT_FOUND is only an answer to a query: no payment has this status. */
export const WORDS = {
  accepted: 'PENDING',
  succeeded: 'COMPLETED',
  declined: 'FAILED',
  held: 'HELD',
  reversed: 'REVERSED',
  not_found: 'NOT_FOUND',
} as const

const FATES = new Map(MAGIC_NUMBERS.map((row) => [row.ending, row.fate]))
const APPROVED = fateOfEnding('001')
const EXPIRED = fateOfEnding('006')
const DECLINES = ['002', '003', '004', '005', '006'].map(fateOfEnding)

const SIMULATED: Record<SimulateStatus, MockPaymentFate> = {
  successful: APPROVED,
  failed: fateOfEnding('005'),
  pending_clearance: fateOfEnding('014'),
  reversed: fateOfEnding('012'),
}

/** Computes the timeline of a payment. Equal requests with equal profiles have equal timelines. */
export function timelineOf(request: EngineRequest, profile: MockProfile): MockTimeline {
  const digest = digestOf(request.reference, profile)
  const provider_id = providerIdOf(request.reference, profile)
  const fate = fateOf(request, profile, digest)
  const [first] = fate.results
  if (fate.at_once && first) {
    return [{ at_ms: 0, answer: paymentAnswerOf(first, request, provider_id), callbacks: fate.callbacks }]
  }
  const taken: Answer = { kind: 'accepted', provider_status: WORDS.accepted, provider_id }
  const results = fate.results.map((result) => paymentAnswerOf(result, request, provider_id))
  return lifeOf(taken, results, fate.callbacks, { ...profile, delay_ms: pauseOf(request, profile) })
}

/**
 * Returns the milliseconds before the first result. If the payer waits on a page, the result of a prompt or of a chosen outcome
 * comes immediately. The result of a code with a phone comes after the simulated scan.
 */
function pauseOf({ method, on_page, simulate_status, phone }: EngineRequest, { delay_ms }: MockProfile): number {
  if (!on_page) return delay_ms
  if (simulate_status !== null) return 0
  if (method !== 'qr') return 0
  return Math.max(phone === null ? CHOICE_MS : SCAN_MS, delay_ms)
}

/** The shortest time in milliseconds between two results, so that the platform can query after each result. */
const RESULT_GAP_MIN_MS = 300

/**
 * Makes the timeline of an accepted request with its results in order. The provider sends `callbacks` callbacks for each
 * result.
 */
export function lifeOf<StepAnswer>(
  taken: StepAnswer,
  results: readonly StepAnswer[],
  callbacks: number,
  { delay_ms }: MockProfile,
): MockTimeline<StepAnswer> {
  const timeline: MockTimeline<StepAnswer> = [{ at_ms: 0, answer: taken, callbacks: 0 }]
  let at_ms = 0
  for (const [index, answer] of results.entries()) {
    at_ms = index === 0 ? delay_ms : at_ms + Math.max(RESULT_GAP_MIN_MS, delay_ms)
    timeline.push({ at_ms, answer, callbacks })
  }
  return timeline
}

/** Returns the answer to a status query at `now`. Null as `sent_at` means that the provider never accepted the request. */
export function answerAt(request: EngineRequest & { sent_at: Date | null }, profile: MockProfile, now: Date): Answer {
  if (request.sent_at === null) return { kind: 'not_found', provider_status: WORDS.not_found }
  return truthAt(timelineOf(request, profile), request.sent_at, now)
}

/** The greatest normal difference between the clocks of two machines, in milliseconds. */
const CLOCKS_DIFFER_MS_MAX = 60_000

/**
 * Returns the status at `now` of a request that the provider accepted at `taken_at`, and the time until the next change of
 * status.
 */
export function truthAt<StepAnswer extends object>(
  timeline: MockTimeline<StepAnswer>,
  taken_at: Date,
  now: Date,
): StepAnswer | (StepAnswer & { ask_again_ms: number }) {
  const ahead_ms = taken_at.getTime() - now.getTime()
  // If the acceptance is further in the future than two clocks can differ, the clock stepped back, so all steps have passed.
  const elapsed_ms = ahead_ms > CLOCKS_DIFFER_MS_MAX ? Number.POSITIVE_INFINITY : Math.max(0, -ahead_ms)
  const [first, ...later] = timeline
  let current = first
  for (const step of later) {
    if (step.at_ms > elapsed_ms) return { ...current.answer, ask_again_ms: step.at_ms - elapsed_ms }
    current = step
  }
  return current.answer
}

/** Returns the 8 digits that a payer types instead of scanning the code. */
export function paymentTokenOf(reference: string, profile: MockProfile): string {
  return String(digestOf(reference, profile).readUIntBE(16, 6) % 100_000_000).padStart(8, '0')
}

/** Returns the provider's id of a payment or a payout: MOCK- and 16 hexadecimal digits. */
export function providerIdOf(reference: string, profile: MockProfile): string {
  return `MOCK-${digestOf(reference, profile).toString('hex', 8, 16).toUpperCase()}`
}

/**
 * Returns the random bytes of a reference. Bytes 0-5 decide success, byte 6 the failure reason, bytes 8-15 are the provider's
 * id, and bytes 16-21 the payment token.
 */
function digestOf(reference: string, profile: MockProfile): Buffer {
  return hash('sha256', `${profile.seed}:${reference}`, 'buffer')
}

function fateOf(request: EngineRequest, profile: MockProfile, digest: Buffer): MockPaymentFate {
  if (request.simulate_status !== null) return SIMULATED[request.simulate_status]
  const magic = request.phone === null ? undefined : FATES.get(request.phone.slice(-3))
  if (magic) return magic
  if (request.on_page && request.method === 'qr' && request.phone === null) return EXPIRED
  if (profile.success_default === 'always') return APPROVED
  if (digest.readUIntBE(0, 6) / 2 ** 48 < profile.success_default) return APPROVED
  return DECLINES[digest.readUInt8(6) % DECLINES.length] ?? APPROVED
}

function paymentAnswerOf(result: MockPaymentResult, request: EngineRequest, provider_id: string): Answer {
  const common = { provider_status: WORDS[result.kind], provider_id }
  if (result.kind === 'declined') return { kind: 'declined', reason: result.reason, ...common }
  const extra_minor = result.kind === 'succeeded' ? (result.extra_minor ?? 0n) : 0n
  return { kind: result.kind, amount_minor: request.amount_minor + extra_minor, currency: request.currency, ...common }
}

function fateOfEnding(ending: string): MockPaymentFate {
  const fate = FATES.get(ending)
  if (!fate) throw new Error(`no magic number ends in ${ending}`)
  return fate
}
