// Writes structured logs: JSON lines without secrets. The log finds secrets by field name and by form.

import { type Logger, pino } from 'pino'
import { redactSecrets, redactText } from './redact.ts'

/** A structured logger of pino. */
export type Log = Logger

const REDACTED = '[redacted]'

/** The names of fields whose value the log never contains, down to the third level of the logged object. */
const SECRET_FIELDS = [
  'authorization',
  'x-api-key',
  'plaintext_key',
  'secret',
  'previous_secret',
  'password',
  'pin',
  'token',
  'cookie',
  'set-cookie',
]

/** Makes the logger, which writes to standard output, or to `stream` in tests. */
export function createLog(level: string, stream?: { write(line: string): void }): Log {
  const options = {
    level,
    base: { pid: process.pid },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    // The logger redacts the finished line again, because a path or a message can contain a key.
    hooks: { streamWrite: (line: string) => redactSecrets(line) },
    redact: {
      paths: SECRET_FIELDS.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]),
      censor: REDACTED,
    },
    serializers: {
      err: (error: unknown) => {
        if (!(error instanceof Error)) return { message: redactText(String(error)) }
        // The log omits the DETAIL of a database error, because DETAIL contains whole rows.
        return {
          type: error.name,
          message: redactText(error.message),
          code: (error as { code?: unknown }).code,
          stack: redactText(error.stack ?? ''),
        }
      },
    },
  }
  return pino(options, stream ?? standardOutput())
}

/** Writes to standard output. If the reader of the output has gone, the process loses log lines but keeps running. */
function standardOutput() {
  let refused_writes = 0
  const output = pino.destination({
    fd: 1,
    sync: true,
    retryEAGAIN: () => ++refused_writes < BUSY_RETRIES_MAX,
  } as Parameters<typeof pino.destination>[0])
  output.on('error', () => {})
  output.on('write', () => {
    refused_writes = 0
  })
  return output
}

/** The number of retries in a row while the pipe is full, with a tenth of a second between retries. */
const BUSY_RETRIES_MAX = 50
