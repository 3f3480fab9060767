// Counts repeated failures in the log, so that a loop that fails again and again does not fill the disk.

import { systemClock } from './clock.ts'

/** The time in milliseconds over which the log counts the repetitions of a line. */
export const REPEAT_MS = 60_000
/**
 * The largest number of different lines that the log counts at the same time. Above this number, the log writes lines without
 * counting.
 */
const LINES_MAX = 500
/** The number of characters of an error message that the log compares. */
const MESSAGE_CHARS = 300

type WriteLine = (fields: Record<string, unknown>, message: string) => void
/** A counted line: the number of its repetitions, and the fields and the writer of its last occurrence. */
type CountedLine = { repeated: number; fields: Record<string, unknown>; message: string; write: WriteLine }

/** The error of a counted line, without its stack, which the first line contains. */
export class ErrorSummary {
  readonly type: string
  readonly message: string
  readonly code: unknown
  constructor(error: unknown) {
    const { name, code, message } = detailsOf(error)
    this.type = name
    this.message = message
    this.code = code
  }
}

/** The counter of repeated lines of a log. */
export type Repeats = {
  /**
   * Returns true if the caller must write the line. False means that the counter has counted the line as a repetition.
   */
  isFirst(level: number, fields: Record<string, unknown>, message: string, write: WriteLine): boolean
  /** Writes the counts of all repeated lines, and removes all lines. */
  flush(): void
}

/**
 * Makes a counter of repeated failures. Two lines are the same if their level, text, error and fields are equal. Ids, and
 * numbers in the error message, do not count. The first line appears whole. After each `repeat_ms` with repetitions, one line
 * reports the number of repetitions and the last fields.
 */
export function createRepeats(repeat_ms = REPEAT_MS): Repeats {
  const lines = new Map<string, CountedLine>()
  const report = ({ repeated, fields, message, write }: CountedLine) => {
    const seconds = repeat_ms / 1_000
    const counted = fields.err === undefined ? { repeated } : { err: new ErrorSummary(fields.err), repeated }
    const times = repeated === 1 ? 'once' : `${repeated} times`
    write({ ...fields, ...counted }, `${message} (repeated ${times} in ${seconds} s)`)
  }
  const endMinute = (key: string, line: CountedLine) => {
    // A call of `flush` may have removed the line.
    if (lines.get(key) !== line) return
    if (line.repeated === 0) return void lines.delete(key)
    report(line)
    line.repeated = 0
    systemClock.after(repeat_ms, () => endMinute(key, line))
  }
  return {
    isFirst(level, fields, message, write) {
      const key = keyOf(level, fields, message)
      const line = lines.get(key)
      if (line !== undefined) {
        line.repeated += 1
        line.fields = fields
        line.write = write
        return false
      }
      if (lines.size < LINES_MAX) {
        const counted = { repeated: 0, fields, message, write }
        lines.set(key, counted)
        systemClock.after(repeat_ms, () => endMinute(key, counted))
      }
      return true
    },
    flush() {
      for (const line of lines.values()) if (line.repeated > 0) report(line)
      lines.clear()
    },
  }
}

/** Returns a text that is the same for two lines about the same failure. */
function keyOf(level: number, fields: Record<string, unknown>, message: string): string {
  const { err, ...others } = fields
  const named = Object.entries(others).filter(([name]) => !name.endsWith('_id'))
  const { name, code, message: text } = detailsOf(err)
  const compared = text.slice(0, MESSAGE_CHARS).replace(/[0-9a-f]{8}-[0-9a-f-]{27}|\d+/gi, '#')
  return JSON.stringify([level, message, name, code, compared, named.map(([one, value]) => `${one}=${String(value)}`)])
}

function detailsOf(err: unknown): { name: string; code: unknown; message: string } {
  if (!(err instanceof Error)) return { name: 'text', code: undefined, message: String(err) }
  return { name: err.name, code: (err as { code?: unknown }).code, message: err.message }
}
