// Structured logs: JSON lines, with what is secret taken out by name and by shape.

import { type Logger, pino } from 'pino'
import { redactSecrets, redactText } from './redact.ts'

/** A structured logger; pino's. */
export type Log = Logger

const REDACTED = '[redacted]'

/** Names of fields whose value never reaches a log, down to the third level of what is logged. */
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

/** Makes the logger. Lines go to standard output, or to `stream` in tests. */
export function createLog(level: string, stream?: { write(line: string): void }): Log {
  const options = {
    level,
    base: { pid: process.pid },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    // The last net, over the finished line: a key in a path or a message is taken out as well.
    hooks: { streamWrite: (line: string) => redactSecrets(line) },
    redact: {
      paths: SECRET_FIELDS.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]),
      censor: REDACTED,
    },
    serializers: {
      err: (error: unknown) => {
        if (!(error instanceof Error)) return { message: redactText(String(error)) }
        // DETAIL of a database error prints whole rows: it stays out.
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

/** A terminal that was closed, or a reader that went away, must not stop the server: its lines are lost, nothing else. */
function standardOutput() {
  let refused = 0
  const output = pino.destination({
    fd: 1,
    sync: true,
    retryEAGAIN: () => ++refused < BUSY_TRIES_MAX,
  } as Parameters<typeof pino.destination>[0])
  output.on('error', () => {})
  output.on('write', () => {
    refused = 0
  })
  return output
}

/** How often in a row a full pipe may refuse a line, at a tenth of a second each. */
const BUSY_TRIES_MAX = 50
