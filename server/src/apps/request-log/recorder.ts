// Writing what was seen, in sets: secrets are taken out here. It needs no more of the process than a database, so that it may run in
// a thread of its own.

import { isUnavailable } from '../../kernel/db/index.ts'
import { runSplitting } from '../../kernel/lib/index.ts'
import { type Batch, cameAt, createLostCounts, type Lost, readBatch, type Seen } from './seen.ts'
import { type WriteDeps, writeLost, writeRequests } from './write.ts'

/** What a round of writing did: requests that were written or given up, and characters of their bodies. */
export type Written = { entries: number; chars: number; away: boolean }

/** Whoever writes the log down. */
export type Recorder = {
  /** Takes a batch, to be written with the next round. */
  add(batch: Batch): void
  /**
   * Writes what is there, about `most` requests of it, and how many were `lost` before they came here. Never throws: what cannot be
   * written is tried once more with the next round, then counted as lost. `away`: the database takes nothing.
   */
  flush(lost: readonly Lost[], most: number): Promise<Written>
  close(): Promise<void>
}

/** About how many requests are written by one statement. */
const SET_SIZE = 500

/** Makes a recorder that writes over `deps.db`, which stays open. */
export function createRecorder(deps: WriteDeps): Recorder {
  /** By merchant: those of one lie in packs together. */
  const waiting = new Map<string, Seen[]>()
  const lost = createLostCounts()
  /** Of a set that could not be written. */
  let again: Seen[] = []

  const take = (): Seen[] => {
    const taken: Seen[] = []
    for (const [merchant_id, of_merchant] of [...waiting]) {
      const room = SET_SIZE - taken.length
      if (room <= 0) break
      taken.push(...of_merchant.splice(0, room))
      waiting.delete(merchant_id)
      // Whoever has more waits behind the others.
      if (of_merchant.length > 0) waiting.set(merchant_id, of_merchant)
    }
    return taken
  }
  const giveUp = (entries: readonly Seen[], error: unknown) => {
    for (const seen of entries) {
      const { merchant_id, routing_code, environment } = seen
      const at = cameAt(seen)
      // One without a readable time is told with the others.
      const [from, until] = Number.isNaN(at) ? [Number.POSITIVE_INFINITY, 0] : [at, at]
      lost.add({ merchant_id, routing_code, environment, count: 1, from, until })
    }
    deps.log.warn(
      { err: error, requests: entries.length },
      'requests could not be logged; they are counted as not kept',
    )
  }
  /** Writes one set. Answers those that are through, and whether to go on. */
  const writeSet = async (): Promise<{ through: Seen[]; error: Error | null; second: boolean }> => {
    const second = again.length > 0
    const set = second ? again : take()
    again = []
    const done = await runSplitting(set, async (part) => {
      await writeRequests(deps, part)
      return part.map(() => undefined)
    })
    const error = done.find((one) => one instanceof Error) ?? null
    const failed = error === null ? [] : set.filter((_, at) => done[at] instanceof Error)
    if (second && error !== null) giveUp(failed, error)
    else again = failed
    return { through: second ? set : set.filter((_, at) => !(done[at] instanceof Error)), error, second }
  }
  const tellLost = async () => {
    const counted = lost.takeAll()
    try {
      await writeLost(deps, counted)
    } catch (error) {
      for (const one of counted) lost.add(one)
      deps.log.warn({ err: error }, 'it could not be written down how many requests are not in the log')
    }
  }
  return {
    add(batch) {
      for (const seen of readBatch(batch)) {
        const of_merchant = waiting.get(seen.merchant_id)
        if (of_merchant) of_merchant.push(seen)
        else waiting.set(seen.merchant_id, [seen])
      }
    },
    async flush(lost_before, most) {
      for (const one of lost_before) lost.add(one)
      const written: Written = { entries: 0, chars: 0, away: false }
      while (written.entries < most && (again.length > 0 || waiting.size > 0)) {
        const { through, error, second } = await writeSet()
        written.entries += through.length
        for (const { sent, answer } of through) written.chars += (sent?.length ?? 0) + (answer?.length ?? 0)
        if (error === null) continue
        written.away = second && isUnavailable(error)
        // What is behind it waits for the next round.
        if (!second || written.away) return written
      }
      if (lost.size() > 0) await tellLost()
      return written
    },
    async close() {},
  }
}
