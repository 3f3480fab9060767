// Driving payments: sending attempts to their provider, asking for outcomes, and settling what comes back.

import { type Deps, inLockOrder, inputRows, oneStatement, sql } from '../db/index.ts'
import { gather } from '../lib/index.ts'
import type { Answer, PaymentRequest, Provider } from '../providers/port.ts'
import type { Delivery } from '../webhooks/index.ts'
import { createClaimer, type Task } from '../work/index.ts'
import { isOpen } from './decide.ts'
import { nextAskAt } from './pauses.ts'
import { type Outcome, settleOutcomes } from './settle.ts'
import { ASKS_MAX, ATTEMPT_COLUMNS, ATTEMPT_LEASE_MS, type Attempt } from './store.ts'

/** What drives payments on, for requests, callbacks and the worker. */
export type Driver = {
  /** True while this process can take another attempt at once. */
  room(): boolean
  /** Sends a fresh attempt that this process holds the lease of. Never throws: what fails is left to the worker. */
  send(attempt: Attempt): void
  /** Asks the provider what became of an attempt and settles it. Resolves when that is committed. */
  ask(attempt: Attempt): Promise<void>
  /** Settles an outcome that is already known. */
  settle(outcome: Outcome): Promise<void>
  /** The background work: attempts that are due. */
  task: Task
}

/** Attempts that this process works on at once; more wait in the database. */
const IN_FLIGHT_MAX = 1_000
const POLL_EVERY_MS = 250
/** How long sent attempts are gathered before that is written down. Far below their lease. */
const WRITE_SENT_MS = 500
const CLAIM_MAX = 250

// An open answer changes nothing but when the attempt is due again: no lock on the collection is needed.
const NOTE_OPEN = sql(
  'attempts_note_open',
  `update collection_attempts a set state = case when i.sent then 'asked' else a.state end,
     asks = least(a.asks + 1, ${ASKS_MAX}), due_at = i.due_at, lease_owner = null,
     sent_at = case when i.sent then coalesce(a.sent_at, $2) else a.sent_at end,
     provider_status = coalesce(i.provider_status, a.provider_status),
     provider_id = coalesce(i.provider_id, a.provider_id), updated_at = $2
   from ${inputRows(
     '$1',
     'collection_id',
     'merchant_id uuid, collection_id uuid, number smallint, sent boolean, due_at timestamptz, provider_status text, provider_id text',
   )} i
   where a.merchant_id = i.merchant_id and a.collection_id = i.collection_id and a.number = i.number
     and a.due_at is not null`,
)

/** Makes the driver. `webhooks` takes the deliveries that settling leaves in this process's hands. */
export function createDriver(
  deps: Deps,
  providers: ReadonlyMap<string, Provider>,
  webhooks: { room(merchant_id: string): boolean; dispatch(deliveries: Delivery[]): void },
): Driver {
  const in_flight = new Set<Promise<unknown>>()
  const track = (work: Promise<unknown>) => {
    in_flight.add(work)
    void work.finally(() => in_flight.delete(work))
  }

  const settle = gather<Outcome, void>(
    async (outcomes) => {
      webhooks.dispatch(await settleOutcomes(deps, outcomes, webhooks.room))
      return outcomes.map(() => undefined)
    },
    { max_items: 250, max_running: 2 },
  )
  const noteOpen = gather<{ attempt: Attempt; answer: Answer }, void>(
    async (items) => {
      await noteOpenAnswers(deps, items)
      return items.map(() => undefined)
    },
    { max_items: 500, max_running: 1 },
  )
  const learn = (attempt: Attempt, said: Answer): Promise<void> => {
    sent.delete(attempt.provider_reference)
    const answer = readable(said)
    const { merchant_id, collection_id, number } = attempt
    if (isOpen(answer) && deps.clock.now() < attempt.deadline_at) return noteOpen({ attempt, answer })
    return settle({ merchant_id, collection_id, number, answer })
  }

  // That a request was sent need not be written at once: until then the row is leased, and whoever takes it up after
  // a crash asks the provider before sending. What is written together costs less, and what is settled meanwhile nothing.
  const sent = new Map<string, { attempt: Attempt; answer: Answer }>()
  let writing_soon = false
  const writeSent = () => {
    writing_soon = false
    for (const { attempt, answer } of sent.values()) run(attempt, () => learn(attempt, answer))
  }
  const noteSent = (attempt: Attempt, answer: Answer) => {
    sent.set(attempt.provider_reference, { attempt, answer })
    if (writing_soon) return
    writing_soon = true
    deps.clock.after(WRITE_SENT_MS, writeSent)
  }

  const status = gather<Attempt, Answer>((attempts) => askProviders(deps, providers, attempts), {
    max_items: 500,
    max_running: 4,
  })
  const ask = async (attempt: Attempt): Promise<void> => learn(attempt, await status(attempt))
  const push = async (attempt: Attempt): Promise<void> => {
    deps.point('send.before_push')
    const answer = await providerOf(providers, attempt).push(requestOf(attempt))
    deps.point('send.after_push')
    if (answer.kind === 'accepted') noteSent(attempt, answer)
    else await learn(attempt, answer)
  }
  /** A due attempt: nobody knows whether an unsent one reached the provider, so it is asked before anything is sent. */
  const resume = async (attempt: Attempt): Promise<void> => {
    const answer = await status(attempt)
    const never_arrived = answer.kind === 'not_found' && attempt.state === 'to_send' && attempt.method !== 'qr'
    if (never_arrived && deps.clock.now() < attempt.deadline_at) return push(attempt)
    return learn(attempt, answer)
  }
  const run = (attempt: Attempt, work: (attempt: Attempt) => Promise<void>) => {
    track(
      work(attempt).catch((error) => {
        deps.log.warn({ err: error, collection_id: attempt.collection_id }, 'attempt not finished; it falls due again')
      }),
    )
  }

  const claim = createClaimer<Attempt>(deps, {
    name: 'collection_attempts',
    key: ['collection_id', 'number'],
    returning: ATTEMPT_COLUMNS,
  })
  return {
    room: () => in_flight.size < IN_FLIGHT_MAX,
    send: (attempt) => run(attempt, push),
    ask,
    settle,
    task: {
      name: 'collection_attempts',
      every_ms: POLL_EVERY_MS,
      async runOnce() {
        const free = IN_FLIGHT_MAX - in_flight.size
        if (free <= 0) return 0
        const attempts = await claim(Math.min(free, CLAIM_MAX), ATTEMPT_LEASE_MS, () => CLAIM_MAX)
        for (const attempt of attempts) run(attempt, resume)
        return attempts.length
      },
      async idle() {
        writeSent()
        while (in_flight.size > 0) {
          await Promise.allSettled([...in_flight])
          writeSent()
        }
      },
    },
  }
}

async function noteOpenAnswers(deps: Deps, items: readonly { attempt: Attempt; answer: Answer }[]): Promise<void> {
  const now = deps.clock.now()
  const rows = items.map(({ attempt, answer }) => {
    const sent = answer.kind === 'accepted'
    const sent_at = attempt.sent_at ?? (sent ? now : null)
    return {
      merchant_id: attempt.merchant_id,
      collection_id: attempt.collection_id,
      number: attempt.number,
      sent,
      due_at: nextAskAt(now, { asks: attempt.asks + 1, sent_at, deadline_at: attempt.deadline_at }, answer),
      provider_status: answer.provider_status,
      provider_id: answer.provider_id ?? null,
    }
  })
  const ordered = inLockOrder(rows, (row) => `${row.collection_id} ${String(row.number).padStart(5, '0')}`)
  await oneStatement(deps.db).query(NOTE_OPEN, [JSON.stringify(ordered), now])
}

/** Asks each provider once for all its attempts; answers in the order of the attempts. */
async function askProviders(
  deps: Deps,
  providers: ReadonlyMap<string, Provider>,
  attempts: readonly Attempt[],
): Promise<(Answer | Error)[]> {
  const groups = Map.groupBy(attempts, (attempt) => attempt.provider)
  const answers = new Map<Attempt, Answer | Error>()
  await Promise.all(
    [...groups.values()].map(async (group) => {
      // One adapter that fails, or is no longer configured, must not keep the others from being asked.
      const answered = await askOne(deps, providers, group)
      for (const [i, attempt] of group.entries()) answers.set(attempt, answered[i] ?? UNREADABLE)
    }),
  )
  return attempts.map((attempt) => answers.get(attempt) as Answer | Error)
}

/** Asks the provider of a group. An adapter that throws has said nothing: the deadline still holds. */
async function askOne(
  deps: Deps,
  providers: ReadonlyMap<string, Provider>,
  group: readonly Attempt[],
): Promise<readonly (Answer | Error)[]> {
  let provider: Provider
  try {
    provider = providerOf(providers, group[0] as Attempt)
  } catch (error) {
    return group.map(() => error as Error)
  }
  try {
    return await provider.status(group.map(requestOf))
  } catch (error) {
    deps.log.error({ err: error, provider: provider.name }, 'the adapter failed')
    return []
  }
}

const UNREADABLE: Answer = { kind: 'unknown', why: 'unreadable', provider_status: null }
const ANSWER_MINOR_MAX = 2n ** 53n

/** An amount that no payment can have makes an answer unreadable: it must neither pay, nor stop the set that it is in. */
function readable(answer: Answer): Answer {
  if (!('amount_minor' in answer)) return answer
  return answer.amount_minor > 0n && answer.amount_minor <= ANSWER_MINOR_MAX ? answer : UNREADABLE
}

/** The adapter of an attempt. An attempt of a provider that is no longer configured waits until it is. */
export function providerOf(providers: ReadonlyMap<string, Provider>, attempt: Attempt): Provider {
  const provider = providers.get(attempt.provider)
  if (!provider) throw new Error(`provider ${attempt.provider} is not configured`)
  return provider
}

/** An attempt as the port wants it. */
export function requestOf(attempt: Attempt): PaymentRequest {
  const { method, phone, amount_minor, currency, simulate_status, sent_at } = attempt
  return { reference: attempt.provider_reference, method, phone, amount_minor, currency, simulate_status, sent_at }
}
