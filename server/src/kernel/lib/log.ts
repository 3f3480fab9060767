// Structured logs: JSON lines without secrets, which are recognised by field name and by shape.

import { type Logger, pino } from 'pino'
import { redactSecrets, redactText } from './redact.ts'

/** A structured logger of pino. */
export type Log = Logger

const REDACTED = '[redacted]'

/** Fields whose value is never logged, down to the third level of the logged object. */
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

/** Makes the logger. It writes to standard output, or to `stream` in tests. */
export function createLog(level: string, stream?: { write(line: string): void }): Log {
  const options = {
    level,
    base: { pid: process.pid },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    // The finished line is redacted again, because a path or a message can contain a key.
    hooks: { streamWrite: (line: string) => redactSecrets(line) },
    redact: {
      paths: SECRET_FIELDS.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]),
      censor: REDACTED,
    },
    serializers: {
      err: (error: unknown) => {
        if (!(error instanceof Error)) return { message: redactText(String(error)) }
        // The DETAIL of a database error contains whole rows, so it is not logged.
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

/** Standard output. If its reader is gone, log lines are lost but the server keeps running. */
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

/** Retries in a row while the pipe is full, a tenth of a second each. */
const BUSY_RETRIES_MAX = 50
