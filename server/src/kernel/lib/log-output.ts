// Writes log lines to standard output without a wait. If the reader of the output is slow, the lines wait in memory, because a
// wait for the reader would delay every request.

import { writeSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

/** The time in milliseconds after which the output tries again to write the waiting lines. */
const RETRY_MS = 20
/** The largest size of the waiting lines in bytes. Above this size, the output drops new lines. */
const WAITING_BYTES_MAX = 8 * 1024 * 1024
/** The longest time in milliseconds for which a process that ends waits for the reader. */
const END_MS_MAX = 5_000
/** The error codes of a write to a full pipe. */
const FULL = ['EAGAIN', 'EBUSY']

/** The functions and the limit of an output, which a test replaces. */
type OutputOptions = {
  /** Writes bytes and returns the number of written bytes, like `fs.writeSync`. */
  write: (bytes: Buffer) => number
  waiting_bytes_max: number
  /** Receives the number of lost lines when the reader reads again. */
  on_lost: (lines: number) => void
}

type LogOutput = {
  write(line: string): void
  /** Writes the waiting lines when the process ends, and waits at most 5 seconds for a slow reader. */
  end(): void
}

/**
 * Returns the output to standard output. If the reader has closed the pipe, the output drops lines and the process continues.
 */
export function standardOutput(on_lost: OutputOptions['on_lost']): LogOutput {
  // Node makes a pipe non-blocking when the program first uses the stream. A worker thread has no stream of its own.
  const { fd } = isMainThread ? process.stdout : { fd: 1 }
  const output = createOutput({ write: (bytes) => writeSync(fd, bytes), waiting_bytes_max: WAITING_BYTES_MAX, on_lost })
  process.once('exit', output.end)
  return output
}

/** Makes an output of log lines that never waits for its reader before `end`. */
export function createOutput({ write, waiting_bytes_max, on_lost }: OutputOptions): LogOutput {
  let waiting: Buffer[] = []
  let waiting_bytes = 0
  let lost = 0
  let retries = false

  /** Writes bytes. Returns the rest that the pipe had no space for. Null means that there is no rest. */
  const writeSome = (bytes: Buffer): Buffer | null => {
    try {
      const count = write(bytes)
      return count < bytes.length ? bytes.subarray(count) : null
    } catch (error) {
      // After any other error, such as that of a closed pipe, a retry would not help, so the output drops the line.
      return FULL.includes((error as { code?: string }).code ?? '') ? bytes : null
    }
  }
  const keep = (bytes: Buffer) => {
    waiting.push(bytes)
    waiting_bytes += bytes.length
    if (!retries) retryLater()
  }
  const retryLater = () => {
    retries = true
    setTimeout(retry, RETRY_MS).unref()
  }
  /** Writes the waiting lines as one text. Returns true if no line waits any more. */
  const writeWaiting = (): boolean => {
    const rest = waiting.length === 0 ? null : writeSome(Buffer.concat(waiting))
    waiting = rest === null ? [] : [rest]
    waiting_bytes = rest?.length ?? 0
    return rest === null
  }
  const retry = () => {
    retries = false
    if (!writeWaiting()) retryLater()
    else if (lost > 0) {
      const lines = lost
      lost = 0
      on_lost(lines)
    }
  }
  return {
    write(line) {
      const bytes = Buffer.from(line)
      if (waiting.length === 0) {
        const rest = writeSome(bytes)
        if (rest !== null) keep(rest)
      } else if (waiting_bytes + bytes.length > waiting_bytes_max) lost += 1
      else keep(bytes)
    },
    end() {
      const pause = new Int32Array(new SharedArrayBuffer(4))
      for (let waited_ms = 0; !writeWaiting() && waited_ms < END_MS_MAX; waited_ms += RETRY_MS) {
        Atomics.wait(pause, 0, 0, RETRY_MS)
      }
    },
  }
}
