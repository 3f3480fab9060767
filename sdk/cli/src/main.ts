// Runs the command-line tool of developers: reads the command line, runs a command and prints its result.

import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { type Api, createApi, LostAnswer, Refused } from './api.ts'
import { followEvents, type StreamedEvent } from './events.ts'
import { brandOf, forwardEvent, webhookHeaders } from './forward.ts'
import { commandHelp, completion, HELP, overview } from './help.ts'
import { listen } from './listen.ts'
import { countOf, type Output, outputOf, printLines } from './output.ts'
import { Problem, usage } from './problem.ts'
import { findRecord } from './records.ts'
import { followRequests, type LoggedRequest } from './requests.ts'
import { checkedUrl, DEFAULT_URL, localSecret, positionOf, readLogin, removeLogin, saveLogin } from './settings.ts'
import { sleep } from './sleep.ts'
import { trigger } from './trigger.ts'
import { VERSION } from './version.ts'

type Values = Record<string, string | boolean | undefined>
/** The input of a command: its words and options, its output, and the signal that stops it. */
type Run = { words: string[]; values: Values; out: Output; signal: AbortSignal }

const OPTIONS = {
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
  live: { type: 'boolean' },
  print: { type: 'boolean' },
  'from-now': { type: 'boolean' },
  events: { type: 'boolean' },
  'base-url': { type: 'string' },
  'forward-to': { type: 'string' },
  event: { type: 'string' },
  since: { type: 'string' },
  status: { type: 'string' },
  until: { type: 'string' },
  reference: { type: 'string' },
  'idempotency-key': { type: 'string' },
} as const
const ALWAYS = ['json', 'help', 'version']

const POLL_MS = 1_000
const PAGE = 100
const REPLAYED_MAX = 10_000

function apiOf({ out }: Pick<Run, 'out'>): Api {
  return createApi(readLogin(), (text) => out.note(`Warning: ${text}`))
}

function word({ words }: Run, place: number, name: string, command: string): string {
  return words[place] ?? missing(name, command)
}

function missing(name: string, command: string): never {
  throw usage(`${name} is missing. Write: ${HELP[command]?.usage}`)
}

function textOf(values: Values, name: string): string | undefined {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

async function runLogin({ values, out }: Run): Promise<void> {
  const stored = () => {
    try {
      return readLogin().base_url
    } catch {
      return process.env.MALIPO_BASE_URL ?? DEFAULT_URL
    }
  }
  const base_url = checkedUrl(textOf(values, 'base-url') ?? stored())
  const key = await readKey(out)
  if (key === '') throw usage('You gave no key. Paste the key, or send it to standard input.')
  const api = createApi({ base_url, key }, (text) => out.note(`Warning: ${text}`))
  const { merchant_name, environment, key_name } = await api.account()
  const place = saveLogin({ base_url, key })
  const where = place === 'keyring' ? 'in the keyring of the system' : 'in a file that only you can read'
  const text = `Logged in to ${base_url} as ${merchant_name} (${environment}) with the key "${key_name}". The key is ${where}.`
  out.show(text, { base_url, merchant_name, environment, key_name, stored_in: place })
}

/** Reads the key from standard input. At a terminal, the typed key stays invisible. */
async function readKey(out: Output): Promise<string> {
  const lines = createInterface({ input: process.stdin, terminal: false })
  if (process.stdin.isTTY) {
    out.note('Paste the API key, and press Enter (the key stays invisible):')
    process.stdin.setRawMode(true)
    return readHidden().finally(() => {
      process.stdin.setRawMode(false)
      lines.close()
      process.stdin.unref()
    })
  }
  for await (const line of lines) return line.trim()
  return ''
}

function readHidden(): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    process.stdin.on('data', (chunk: Buffer) => {
      for (const letter of chunk.toString('utf8')) {
        if (letter === '\u0003') return reject(new Problem('Stopped.'))
        if (letter === '\r' || letter === '\n') return resolve(text.trim())
        text = letter === '\u007f' ? text.slice(0, -1) : text + letter
      }
    })
  })
}

function runLogout({ out }: Run): void {
  const removed = removeLogin()
  out.show(removed ? 'The tool removed the key.' : 'The tool has no key.', { removed })
}

async function runListen(run: Run): Promise<void> {
  const { values, out, signal } = run
  const url = checkedUrl(textOf(values, 'forward-to') ?? missing('--forward-to URL', 'listen'))
  const target = { url, event: textOf(values, 'event') }
  const api = apiOf(run)
  const account = await api.account()
  if (values['from-now']) {
    const of = `${account.merchant_id} ${account.environment}`
    positionOf(api.base_url, of, target).forget()
  }
  let complained_about = ''
  await listen(
    api,
    account,
    target,
    {
      onStart: (secret) =>
        out.show(
          [
            `Forwarding the ${account.environment} events of ${account.merchant_name} to ${url}. Ctrl+C stops.`,
            `Signing secret: ${secret}`,
          ],
          { type: 'start', environment: account.environment, forward_to: url, secret },
        ),
      onForwarded: ({ id, event, created_at }, status, ms) =>
        out.show(`${created_at}  ${event.padEnd(28)} ${id}  ${status} in ${ms} ms`, {
          type: 'forwarded',
          id,
          event,
          status,
          ms,
        }),
      onState: (state, reason) => {
        if (state === 'waiting') out.note(`${reason} Connecting again ...`)
        else out.note('Connected.')
      },
      onUnreachable: (event, reason) => {
        if (complained_about === event.id) return
        complained_about = event.id
        out.note(`No answer from ${url} (${reason}). The event ${event.id} waits, and the tool retries.`)
      },
    },
    signal,
  )
}

async function runTrigger(run: Run): Promise<void> {
  const event = await trigger(apiOf(run), word(run, 0, 'EVENT', 'trigger'))
  run.out.show(`${event.event} ${event.id}`, event)
}

async function runReplay(run: Run): Promise<void> {
  const { values, out, signal } = run
  const since = timeOf(textOf(values, 'since') ?? missing('--since TIME', 'replay'), '--since')
  const until = timeOf(textOf(values, 'until') ?? '0s', '--until')
  const event = textOf(values, 'event')
  const api = apiOf(run)
  const url = textOf(values, 'forward-to')
  if (url === undefined) {
    const body = { since: since.toISOString(), until: until.toISOString(), status: 'all', ...(event ? { event } : {}) }
    const answer = await api.post<{ queued: number; more: boolean; next_since: string | null }>(
      '/v1/merchant/webhook-deliveries/replay',
      body,
    )
    const more = answer.more ? ` There are more: --since ${answer.next_since}.` : ''
    return out.show(`The server sends ${countOf(answer.queued, 'delivery', 'deliveries')} again.${more}`, answer)
  }
  const target = checkedUrl(url)
  const [secret, brand] = [localSecret(), brandOf(api.key)]
  const events = await eventsBetween(api, since, until, event)
  for (const one of events) {
    const complain = (reason: string) => out.note(`No answer from ${target} (${reason}). The tool retries.`)
    const status = await forwardEvent(target, one, () => webhookHeaders(one, secret, brand), complain, signal)
    if (status === null) return
    out.show(`${one.created_at}  ${one.event.padEnd(28)} ${one.id}  ${status}`, {
      id: one.id,
      event: one.event,
      status,
    })
  }
  out.note(`The tool sent ${countOf(events.length, 'event', 'events')} again. Signing secret: ${secret}`)
}

async function eventsBetween(api: Api, since: Date, until: Date, event: string | undefined): Promise<StreamedEvent[]> {
  const events: StreamedEvent[] = []
  for (let page = 1; ; page++) {
    const query = new URLSearchParams({ from: since.toISOString(), to: until.toISOString(), page: String(page) })
    query.set('page_size', String(PAGE))
    if (event !== undefined) query.set('event', event)
    const { items } = await api.get<{ items: (Omit<StreamedEvent, 'body'> & { data: object })[] }>(
      `/v1/events?${query}`,
    )
    events.push(
      ...items.map(({ id, event: name, created_at, data }) => ({
        id,
        event: name,
        created_at,
        body: JSON.stringify(data),
      })),
    )
    if (items.length < PAGE) return events.reverse()
    if (events.length >= REPLAYED_MAX) {
      throw new Problem(
        `The period has more than ${REPLAYED_MAX} events. Choose a shorter period with --since and --until.`,
      )
    }
  }
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

function timeOf(text: string, option: string): Date {
  const [, number, unit] = /^(\d+)([smhd])$/.exec(text) ?? []
  const time =
    number === undefined ? new Date(text) : new Date(Date.now() - Number(number) * (UNITS[unit ?? ''] as number))
  if (Number.isNaN(time.getTime())) throw usage(`${option} must be 30m, 2h, 1d or a time such as 2026-01-05T09:00:00Z.`)
  return time
}

async function runLogs(run: Run): Promise<void> {
  const { words, values } = run
  if (words[0] !== 'tail') throw usage(`Write: ${HELP.logs?.usage}`)
  const about_events = values.events === true || values.event !== undefined
  if (!about_events) return tailRequests(run)
  if (values.status !== undefined || values.since !== undefined)
    throw usage(`--status and --since are about requests. Write: ${HELP.logs?.usage}`)
  return tailEvents(run)
}

async function tailRequests(run: Run): Promise<void> {
  const { values, out, signal } = run
  const since = textOf(values, 'since')
  const status = textOf(values, 'status')
  if (status !== undefined && !/^[2-5](?:xx|\d\d)$/.test(status))
    throw usage('--status must be 2xx, 3xx, 4xx, 5xx, or one status such as 409.')
  await followRequests(apiOf(run), {
    status,
    since: since === undefined ? null : timeOf(since, '--since'),
    onRequest: (request) => out.show(lineOf(request), request),
    onState: (state, reason) => out.note(state === 'open' ? 'Connected.' : `${reason} Trying again ...`),
    onGap: () => out.note('There were more requests than this tool reads at once. The dashboard has all of them.'),
    signal,
  }).catch((error) => {
    if (!(error instanceof Refused) || error.status !== 404) throw error
    throw new Problem('This server is older and lists no requests for keys. Update the server, or add --events.')
  })
}

function lineOf({ at, method, path, status, error_code, duration_ms, request_id, key_name, not_kept }: LoggedRequest) {
  if (not_kept > 0)
    return `${at}  ${countOf(not_kept, 'request of this time is', 'requests of this time are')} not in the log`
  const result = [status, error_code].filter((one) => one !== null).join(' ')
  return `${at}  ${(method ?? '').padEnd(6)} ${path}  ${result}  ${duration_ms} ms  ${request_id}  ${key_name ?? ''}`.trimEnd()
}

async function tailEvents(run: Run): Promise<void> {
  const api = apiOf(run)
  const seen = new Set<string>()
  let last_id: string | null = null
  await followEvents(api, {
    event: textOf(run.values, 'event'),
    after: () => last_id,
    onEvent: ({ id, event, created_at, body }) => {
      if (seen.has(id)) return
      seen.add(id)
      last_id = id
      const data = JSON.parse(body) as Record<string, unknown>
      const about = [data.amount, data.currency, data.status, data.reference].filter(Boolean).join(' ')
      run.out.show(`${created_at}  ${event.padEnd(28)} ${about}  ${id}`, { id, event, created_at, data })
    },
    onState: (state, reason) => run.out.note(state === 'open' ? 'Connected.' : `${reason} Connecting again ...`),
    signal: run.signal,
  })
}

const FINAL = ['successful', 'failed', 'pending_clearance', 'reversed']

/**
 * Returns the command that requests the same payment again. Because of the idempotency key, the payer gets no second prompt.
 */
function repeatPay(
  { live }: Values,
  { phone, amount, reference }: { phone: string; amount: string; reference?: string },
  idempotency_key: string,
): string {
  const words = ['malipo', 'pay', phone, amount]
  if (reference !== undefined) words.push(`--reference=${reference}`)
  if (live) words.push('--live')
  words.push('--idempotency-key', idempotency_key)
  return words.map((one) => (/^[\w.,:=+@%/-]+$/.test(one) ? one : `'${one.replaceAll("'", "'\\''")}'`)).join(' ')
}

async function runPay(run: Run): Promise<void> {
  const { values, out, signal } = run
  const body = { phone: word(run, 0, 'PHONE', 'pay'), amount: word(run, 1, 'AMOUNT', 'pay') }
  const api = apiOf(run)
  const { environment } = await api.account()
  if (environment === 'live' && !values.live) {
    throw usage('This is a live key: the payer would pay real money. Add --live, or log in with a key of the sandbox.')
  }
  const reference = textOf(values, 'reference')
  const idempotency_key = textOf(values, 'idempotency-key') ?? randomUUID()
  if (!/^[!-~]{1,255}$/.test(idempotency_key))
    throw usage('--idempotency-key must have 1 to 255 visible ASCII characters without spaces.')
  // The tool prints the key before the request. If the developer stops the tool, they can repeat the same payment.
  out.note(`Idempotency key: ${idempotency_key}`)
  const request = { ...body, ...(reference === undefined ? {} : { reference }) }
  const made = await api
    .post<{ collection_id: string; message: string }>('/v1/collections/wallet-push', request, idempotency_key)
    .catch((error) => {
      if (!(error instanceof LostAnswer)) throw error
      throw new LostAnswer(
        `${error.message} The payer may have a prompt. Repeat only with: ${repeatPay(values, request, idempotency_key)}`,
      )
    })
  out.note(`${made.message} (${made.collection_id})`)
  for (;;) {
    const record = await api.get<Record<string, unknown>>(`/v1/collections/${made.collection_id}`).catch((error) => {
      if (!(error instanceof Problem)) throw error
      throw new Problem(`${error.message} The payment continues. To read it, run: malipo get ${made.collection_id}`)
    })
    const status = String(record.status)
    if (FINAL.includes(status)) {
      const reason = record.failure_reason_message === null ? '' : ` ${record.failure_reason_message}`
      out.show(`${status}${reason}`, record)
      if (status !== 'successful') process.exitCode = 1
      return
    }
    if (signal.aborted)
      throw new Problem(`Stopped waiting. The payment continues. To read it, run: malipo get ${made.collection_id}`)
    await sleep(POLL_MS, signal)
  }
}

async function runGet(run: Run): Promise<void> {
  const { kind, record } = await findRecord(apiOf(run), word(run, 0, 'ID or REFERENCE', 'get'))
  run.out.show([kind, ...JSON.stringify(record, null, 2).split('\n')], { kind, record })
}

async function runOpen(run: Run): Promise<void> {
  const { values, out } = run
  const id = word(run, 0, 'ID or REFERENCE', 'open')
  const api = apiOf(run)
  const { kind, page } = await findRecord(api, id)
  if (page === null)
    throw new Problem(`The dashboard has no page for a record of the kind ${kind}. To read it, run: malipo get ${id}`)
  const { environment } = await api.account()
  const url = `${api.base_url}/dashboard/${environment}/${page}`
  out.show(url, { url, kind })
  const opener = process.platform === 'darwin' ? 'open' : process.platform === 'win32' ? 'explorer' : 'xdg-open'
  const has_screen = process.platform !== 'linux' || process.env.DISPLAY || process.env.WAYLAND_DISPLAY
  if (values.print || values.json || !has_screen) return
  const child = spawn(opener, [url], { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}

function runCompletion(run: Run): void {
  const shell = run.words[0]
  if (shell !== 'bash' && shell !== 'zsh') throw usage(`Write: ${HELP.completion?.usage}`)
  process.stdout.write(completion(shell))
}

function runHelp({ words: [name] }: Pick<Run, 'words'>): void {
  if (name !== undefined && !Object.hasOwn(HELP, name)) throw usage(unknownCommand(name))
  process.stdout.write(name === undefined ? overview() : commandHelp(name))
}

const COMMANDS: Readonly<Record<string, (run: Run) => void | Promise<void>>> = {
  login: runLogin,
  logout: runLogout,
  listen: runListen,
  trigger: runTrigger,
  replay: runReplay,
  logs: runLogs,
  pay: runPay,
  get: runGet,
  open: runOpen,
  completion: runCompletion,
  help: runHelp,
}

const unknownCommand = (name: string) => `"${name}" is no command. "malipo help" lists the commands.`

async function run(args: string[]): Promise<void> {
  let parsed: { values: Values; positionals: string[] }
  try {
    parsed = parseArgs({ args, options: OPTIONS, allowPositionals: true, strict: true }) as typeof parsed
  } catch (error) {
    throw usage(`${(error as Error).message.split('\n')[0]}. "malipo help" lists the commands.`)
  }
  const { values, positionals } = parsed
  const [name = 'help', ...words] = positionals
  if (values.version) return void process.stdout.write(`${VERSION}\n`)
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (command === undefined) throw usage(unknownCommand(name))
  // Without a command, `positionals` is empty, and --help shows the list of commands.
  if (values.help) return runHelp({ words: positionals.slice(0, 1) })
  const takes = (HELP[name]?.options ?? []).map((one) => one.slice(2).split(' ')[0] as string)
  const other = Object.keys(values).find((option) => !takes.includes(option) && !ALWAYS.includes(option))
  if (other !== undefined) throw usage(`"malipo ${name}" takes no --${other}. Write: ${HELP[name]?.usage}`)
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      // The second signal ends the tool immediately.
      if (stop.signal.aborted) process.exit(130)
      stop.abort()
    })
  }
  await command({ words, values, out: outputOf(values.json === true), signal: stop.signal })
}

const codeOf = (error: Problem) => (error instanceof LostAnswer ? 'outcome_unknown' : 'problem')

// If the reader of a pipe closes it, as in "malipo logs tail | head", the tool ends without an error.
process.stdout.on('error', () => process.exit(0))

run(process.argv.slice(2)).catch((error) => {
  const is_known = error instanceof Problem
  const message = is_known ? error.message : `The tool failed: ${(error as Error).stack ?? error}`
  if (process.argv.includes('--json')) {
    const code = error instanceof Refused ? error.code : is_known ? codeOf(error) : 'internal_error'
    printLines(process.stdout, [JSON.stringify({ error: { code, message } })])
  } else printLines(process.stderr, is_known ? [message] : message.split('\n'))
  process.exitCode = is_known ? error.exit_code : 1
})
