// Describes tables of waiting rows. A row is due from `due_at` on. If a process holds the lease of the row, `due_at` is the end
// of the lease.

import { ZERO_ID } from '../lib/index.ts'

/** The description of a table whose rows wait until `due_at`. */
export type WaitingTable = {
  name: string
  key: readonly string[]
  returning: readonly string[]
  lane?: string
  /**
   * The columns that divide the rows of a merchant into queues, with their types. The last column is an id. The index on due_at
   * has these columns after merchant_id. Undefined means that each merchant has one queue.
   */
  queue?: Readonly<Record<string, 'text' | 'uuid'>>
  /**
   * The longest pause of a row without a lease, in milliseconds. Null means no limit, because the row waits for a calendar day.
   */
  longest_pause_ms: number | null
  /** The column with the time at which the pause of a row without a lease began. */
  written: 'updated_at' | 'created_at'
}

/**
 * Returns the next higher id. A pass starts at an id and not after an id, because rows without a merchant have the lowest id
 * (zeros).
 */
function nextId(id: string): string {
  const hex = ((BigInt(`0x${id.replaceAll('-', '')}`) + 1n) % (1n << 128n)).toString(16).padStart(32, '0')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** The position of a pass over the queues of a table: merchant_id and the columns of `queue`. */
export type QueuePosition = readonly string[]

/** The columns that identify a queue, with their types and the lowest position of a queue. */
export type QueueColumns = { names: readonly string[]; types: readonly string[]; start: QueuePosition }

/** Returns the columns that identify a queue: merchant_id, then the columns of `queue`. */
export function queueColumns({ queue = {} }: WaitingTable): QueueColumns {
  const types = ['uuid', ...Object.values(queue)]
  return {
    names: ['merchant_id', ...Object.keys(queue)],
    types,
    start: types.map((type) => (type === 'uuid' ? ZERO_ID : '')),
  }
}

/** Returns the position of a row from the columns of its queue. */
export function positionOf({ names }: QueueColumns, row: object): QueuePosition {
  return names.map((name) => String((row as Record<string, unknown>)[name]))
}

/** Returns the first position after a queue. If no higher queue is possible, returns the start. */
export function nextPosition({ start }: QueueColumns, position: QueuePosition): QueuePosition {
  const next = nextId(position.at(-1) as string)
  return position.length === 1 && next === ZERO_ID ? start : [...position.slice(0, -1), next]
}
