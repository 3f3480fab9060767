// Writes structured logs: JSON lines without secrets. The log finds secrets by field name and by form.

import { type Logger, type LoggerOptions, pino } from 'pino'
import type { LogFields } from './log-fields.ts'
import { standardOutput } from './log-output.ts'
import { createRepeats, ErrorSummary, type Repeats } from './log-repeats.ts'
import { redactSecrets, redactText } from './redact.ts'

type LogLevel = 'debug' | 'info' | 'warn' | 'error'
/** The log. Each line has fields from `LOG_FIELDS` and a text. */
export type Log = { isLevelEnabled(level: LogLevel): boolean } & {
  [level in LogLevel]: (fields: LogFields, message: string) => void
}

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

/**
 * Makes the logger, which writes to standard output, or to `stream` in tests. The logger writes a repeated failure once. It
 * writes the number of repetitions after each `repeat_ms` and at the end of the process.
 */
export function createLog(level: string, stream?: { write(line: string): void }, repeat_ms?: number): Logger & Log {
  const repeats = createRepeats(repeat_ms)
  if (stream === undefined) process.once('exit', repeats.flush)
  const options: LoggerOptions = {
    level,
    base: { pid: process.pid },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    // The logger redacts the finished line too, because a path or a message can contain a key.
    hooks: { streamWrite: (line: string) => redactSecrets(line), logMethod: countFailures(repeats) },
    redact: {
      paths: SECRET_FIELDS.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]),
      censor: REDACTED,
    },
    serializers: {
      err: (error: unknown) => {
        if (error instanceof ErrorSummary) return { ...error, message: redactText(error.message) }
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
  const log: Logger & Log = pino(options, stream ?? standardOutput((count) => reportLost(log, count)))
  return log
}

function reportLost(log: Log, count: number): void {
  log.warn({ component: 'process', count }, 'the reader of the output was too slow, and these log lines are lost')
}

/** Makes the hook of pino that counts repeated warnings and errors: those with `err`, and those with `repeats`. */
function countFailures(repeats: Repeats): NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']> {
  return function logMethod(args, method, level) {
    const [line, message] = args as unknown[]
    const is_counted = typeof line === 'object' && line !== null && ('err' in line || 'repeats' in line)
    if (!is_counted || typeof message !== 'string' || level < WARN) return method.apply(this, args)
    const { repeats: _, ...fields } = line as Record<string, unknown>
    const write = (summary: object, text: string) => method.call(this, summary, text)
    if (repeats.isFirst(level, fields, message, write)) write(fields, message)
  }
}

/** The number that pino gives to the level warn. */
const WARN = 40

/**
 * Makes a log of texts for the database, whose files log before the program has its dependencies. Each line has the given
 * component.
 */
export function textLog(log: Log, component: string): { info(message: string): void; warn(message: string): void } {
  return {
    info: (message) => log.info({ component }, message),
    warn: (message) => log.warn({ component }, message),
  }
}
