// Formats the results of a benchmark as a table.

import type { Approvals } from './approve.ts'
import type { BenchSettings, CpuUse, checkLife, latencyCase, Rate, storagePerPayment } from './cases.ts'
import type { FloodResult } from './flood-case.ts'
import type { ListReads } from './lists.ts'
import type { Pages } from './pages.ts'
import type { ProfileReport } from './profile.ts'
import type { RequestLogResult } from './request-log.ts'
import type { Reconciled } from './statements.ts'
import { READS, type TransactionReads } from './transactions.ts'

/** The results of one run of the benchmark, and its machine. */
export type Results = {
  environment: {
    time: string
    machine: { cpu: string; cores: number; memory_gb: number; system: string; fsync_ms: number; load_before: number }
    node: string
    postgresql: { version: string; settings: Record<string, string> }
    commit: string
    settings: BenchSettings
    server_settings: Record<string, string>
    provider_settings: Record<string, string>
  }
  cases: {
    baseline?: Rate
    accept?: Rate & { lost: number }
    accept_to_baseline?: number
    life?: Rate
    life_one?: Rate
    life_one_to_life?: number
    status?: Rate & { known_ids: number }
    empty?: Rate
    status_to_empty?: number
    latency?: Awaited<ReturnType<typeof latencyCase>>
    memory?: { most_rss_mb: number; worker?: number }
    check?: Awaited<ReturnType<typeof checkLife>> & ReturnType<typeof storagePerPayment>
    approve?: Rate
    approve_one?: Rate
    approve_check?: Approvals['check']
    transactions?: TransactionReads
    reconcile?: Reconciled
    flood?: FloodResult
    pages?: Pages
    requests?: RequestLogResult
    lists?: ListReads
  }
  profile?: ProfileReport
}

/** The cores that other processes may use. If they use more, the report warns that the rates are too low. */
const OTHERS_CORES_MAX = 0.2

type ReportRow = [what: string, value: string, goal: string]

/** Returns the results as a text for the terminal. */
export function table(results: Results): string {
  const { environment, cases } = results
  const { machine, settings } = environment
  const lines = [
    '',
    `${machine.cpu}, ${machine.cores} cores, ${machine.memory_gb} GB, ${machine.system}, ${machine.fsync_ms} ms to make 8 KB durable`,
    `node ${environment.node}, PostgreSQL ${environment.postgresql.version} (${entries(environment.postgresql.settings)})`,
    `commit ${environment.commit}`,
    `${entries(settings)}`,
    `server: ${entries(environment.server_settings)}; provider: ${entries(environment.provider_settings)}`,
    '',
    ...columns([['What', 'Measured', 'Goal'], ...rowsOf(cases)]),
    '',
  ]
  const { quiet, flooded } = cases.flood ?? {}
  const used = Object.entries({ ...cases, ...cases.pages, quiet, flooded }).filter((entry): entry is [string, Rate] =>
    isRate(entry[1]),
  )
  if (used.length > 0) {
    lines.push('CPU in microseconds per payment or request, and in cores, during the measured seconds')
    lines.push(...columns(cpuRows(used)))
    const others = Math.max(...used.map(([, { others_cores }]) => others_cores))
    if (others > OTHERS_CORES_MAX) {
      lines.push(
        `Other programs used up to ${others} cores during the benchmark, so the rates are too low: repeat on an idle machine.`,
      )
    }
    lines.push('')
  }
  if (results.profile) {
    lines.push(`Profile: ${results.profile.file}`, 'Self time in percent of the time that was not idle')
    lines.push(
      ...results.profile.functions.map(
        ({ percent, ms, name, place }) =>
          `${percent.toFixed(2).padStart(6)}  ${String(ms).padStart(6)} ms  ${name}  ${place}`,
      ),
    )
    lines.push('')
  }
  return lines.join('\n')
}

function rowsOf(cases: Results['cases']): ReportRow[] {
  const rows: ReportRow[] = []
  const rate = (what: string, found: Rate | undefined, goal = '') => {
    if (!found) return
    const refused = found.refused > 0 ? `, ${found.refused} REFUSED` : ''
    rows.push([
      what,
      `${perSecond(found.per_second)} (${found.rounds.map((n) => Math.round(n)).join(', ')})${refused}`,
      goal,
    ])
  }
  const ratio = (what: string, found: number | undefined, goal: number) => {
    if (found !== undefined) rows.push([what, found.toFixed(2), `at least ${goal}`])
  }
  rate('baseline: payments written one per transaction', cases.baseline)
  rate('accept: payments accepted over HTTP', cases.accept)
  ratio('accept to baseline', cases.accept_to_baseline, 1)
  if (cases.accept) rows.push(['accept: accepted and not in the database', String(cases.accept.lost), '0'])
  rate('life: whole payments, webhook received', cases.life, 'at least 2,500/s')
  rate('life_one: whole payments of one merchant', cases.life_one)
  ratio('life_one to life', cases.life_one_to_life, 0.9)
  rate('status: reads of one payment', cases.status)
  rate('empty: the empty route of a bare app', cases.empty)
  ratio('status to empty', cases.status_to_empty, 0.5)
  if (cases.latency) {
    const { answer_ms, webhook_ms, arrivals_per_second } = cases.latency
    const at = `at ${perSecond(arrivals_per_second)}`
    rows.push([`latency: request to answer, ${at}`, `p50 ${answer_ms.p50} ms, p99 ${answer_ms.p99} ms`, ''])
    rows.push([`latency: request to webhook, ${at}`, `p50 ${webhook_ms.p50} ms, p99 ${webhook_ms.p99} ms`, ''])
  }
  if (cases.memory)
    rows.push(['memory: largest memory of the server during life', `${cases.memory.most_rss_mb} MB`, 'below 300 MB'])
  if (cases.memory?.worker)
    rows.push(['memory: largest memory of the worker during life', `${cases.memory.worker} MB`, 'below 300 MB'])
  if (cases.check) {
    const { check } = cases
    rows.push(['check: payments accepted', String(check.accepted), ''])
    rows.push(['check: accepted, webhook never received', String(check.lost), '0'])
    rows.push(['check: growth of tables and indexes', `${check.stored_bytes} bytes a payment`, ''])
    rows.push(['check: written to the WAL', `${check.wal_bytes} bytes a payment`, ''])
    rows.push(['check: open connections to the database', String(check.connections), ''])
    rows.push(['check: webhooks received twice', String(check.delivered_twice), ''])
    rows.push([
      'check: signatures verified / forged',
      `${check.signatures_verified} / ${check.signatures_forged}`,
      '0 forged',
    ])
    rows.push([
      'check: admin verify',
      check.verify_ok ? 'every invariant holds' : check.verify_broken.join('; '),
      'holds',
    ])
    if (check.refused > 0) rows.push(['check: requests REFUSED', `${check.refused}: ${check.first_refusal ?? ''}`, '0'])
  }
  rate('approve: approval to webhook, many merchants', cases.approve, 'at least 300/s')
  rate('approve_one: payouts of one merchant', cases.approve_one, 'at least 300/s')
  if (cases.approve_check) {
    const { approved, lost, not_successful, taken, sent_again, verify_ok, verify_broken } = cases.approve_check
    rows.push(['approve: approved, webhook never received', `${lost} of ${approved}`, '0'])
    rows.push(['approve: unfinished payouts or webhooks', String(not_successful), '0'])
    rows.push([
      'approve: payouts that the provider accepted, further requests',
      `${taken}, ${sent_again}`,
      `${approved}, 0`,
    ])
    rows.push(['approve: admin verify', verify_ok ? 'every invariant holds' : verify_broken.join('; '), 'holds'])
  }
  for (const { path, few_ms, many_ms, many_p95_ms } of cases.lists?.reads ?? [])
    rows.push([`lists: ${path}`, `${few_ms} and ${many_ms} ms, p95 ${many_p95_ms} ms`, 'p95 at most 100 ms'])
  if (cases.lists)
    rows.push(['lists: p95 of all reads of many rows', `${cases.lists.many_p95_ms} ms`, 'at most 100 ms'])
  if (cases.transactions) rows.push(...transactionRows(cases.transactions))
  if (cases.reconcile) rows.push(...reconcileRows(cases.reconcile))
  if (cases.requests) rows.push(...requestRows(cases.requests))
  if (cases.flood) {
    rate('flood: whole payments without a flood', cases.flood.quiet)
    rate('flood: whole payments during a flood', cases.flood.flooded)
    rows.push(...floodRows(cases.flood))
  }
  if (cases.pages) {
    const { pages } = cases
    rate('pages: of a link, brotli, one server', pages.choose)
    rate('pages: of an open prompt, one server', pages.waiting_page)
    rate('pages: of a link, two servers', pages.choose_two, 'at least 3,000/s')
    rate('pages: of an open prompt, two servers', pages.waiting_page_two, 'at least 3,000/s')
    rate(`pages: polls of ${pages.waiting.toLocaleString('en')} waiting payers`, pages.poll, `${pages.polls_offered}/s`)
    rows.push(['pages: cores of the server during the polls', String(pages.poll.cpu.server?.cores ?? ''), 'below 0.2'])
    rows.push(['pages: queries to the provider', String(pages.provider_questions), '0'])
  }
  return rows
}

function requestRows({ with_log, without, ratios, rows, stored_bytes, not_kept }: RequestLogResult): ReportRow[] {
  const both = (what: 'life' | 'status') =>
    `${perSecond(with_log[what].per_second)} and ${perSecond(without[what].per_second)}`
  const cpu = (what: 'life' | 'status') =>
    [with_log, without]
      .map((side) =>
        Math.round((side[what].cpu.server?.us_per_item ?? 0) + (side[what].cpu.postgres?.us_per_item ?? 0)),
      )
      .join(' and ')
  return (['life', 'status'] as const)
    .flatMap((what): ReportRow[] => [
      [`requests: ${what} with the log and without`, both(what), ''],
      [`requests: ${what}, median of the rounds' ratios`, ratios[what].median.toFixed(3), 'at least 0.97'],
      [`requests: ${what}, CPU of server and PostgreSQL, each`, `${cpu(what)} us`, ''],
    ])
    .concat([
      ['requests: logged', `${rows}, ${stored_bytes} bytes each`, ''],
      ['requests: not in the log', String(not_kept), '0'],
    ])
}

function floodRows(flood: FloodResult): ReportRow[] {
  const { paced_quiet, paced_flooded, sent_per_second, by_status, check } = flood
  const at = `at ${perSecond(flood.arrivals_per_second)}`
  const times = ({ answer_ms, webhook_ms }: FloodResult['paced_quiet']) =>
    `answer p50 ${answer_ms.p50}, p99 ${answer_ms.p99} ms; webhook p50 ${webhook_ms.p50}, p99 ${webhook_ms.p99} ms`
  const server_us = ({ cpu }: { cpu: CpuUse }) => cpu.server?.us_per_item ?? 0
  return [
    ['flood: payments with the flood to payments without', flood.ratio.toFixed(2), 'at least 0.9'],
    [`flood: payments with to without, ${at}`, flood.paced_ratio.toFixed(2), 'at least 0.9'],
    [`flood: ${at}, without the flood`, times(paced_quiet), ''],
    [`flood: ${at}, with the flood`, times(paced_flooded), ''],
    [
      `flood: server CPU per payment ${at}, without and with`,
      `${server_us(paced_quiet)} and ${server_us(paced_flooded)} us`,
      '',
    ],
    ['flood: server CPU per forged callback', `${flood.server_us_per_callback} us`, ''],
    [
      `flood: forged callbacks sent, of ${perSecond(flood.wanted_per_second)}`,
      `${perSecond(sent_per_second.saturated)}, ${at} ${perSecond(sent_per_second.paced)}; answers ${entries(by_status)}`,
      '403 only',
    ],
    ['flood: stored forged callbacks', String(flood.kept), 'at most 10 a minute'],
    ['flood: accepted, webhook never received', `${check.lost} of ${check.accepted}`, '0'],
    ['flood: admin verify', check.verify_ok ? 'every invariant holds' : check.verify_broken.join('; '), 'holds'],
  ]
}

function transactionRows({ few, many, making_s, first, month, reads }: TransactionReads): ReportRow[] {
  const names = { page: 'first page', reference: 'look-up by reference', balance: 'balance' }
  const of = `of ${few.toLocaleString('en')} and of ${many.toLocaleString('en')}`
  return [
    ...READS.flatMap((read): ReportRow[] => {
      const { few, many, ratio } = reads[read]
      const times = `p50 ${few.p50} and ${many.p50} ms, p99 ${few.p99} and ${many.p99} ms`
      return [
        [`transactions: ${names[read]}, ${of}`, times, ''],
        [`transactions: ${names[read]}, many to few`, ratio.toFixed(2), 'at most 1.5'],
      ]
    }),
    ['transactions: the first page before the total is stored', `${first.few_ms} and ${first.many_ms} ms`, ''],
    [
      `transactions: statement of a month, of the many ${month.count} in it`,
      `${month.few_ms} and ${month.many_ms} ms`,
      '',
    ],
    ['transactions: time to write the many', `${making_s} s`, ''],
  ]
}

function reconcileRows({ lines, first, again, matched, opened, more_memory_mb }: Reconciled): ReportRow[] {
  const named = (
    what: string,
    { seconds, lines_per_second, node_cpu_s, postgres_cpu_s }: Reconciled['first'],
  ): ReportRow => [
    `reconcile: ${lines.toLocaleString('en')} lines, ${what}`,
    `${seconds} s, ${perSecond(lines_per_second)} (CPU: ${node_cpu_s} s, PostgreSQL ${postgres_cpu_s ?? 'unknown'} s)`,
    'at most 60 s for a million',
  ]
  return [
    named('new', first),
    named('stated again', again),
    ['reconcile: lines that match, opened cases', `${matched}, ${opened}`, `${2 * lines}, 0`],
    ['reconcile: growth of memory', `${more_memory_mb} MB`, ''],
  ]
}

function cpuRows(used: [string, Rate][]): string[][] {
  const names = [...new Set(used.flatMap(([, { cpu }]) => Object.keys(cpu)))]
  const cell = (use: CpuUse[string] | undefined) => (use ? `${use.us_per_item} us (${use.cores})` : '')
  return [
    ['Case', ...names, 'others'],
    ...used.map(([name, { cpu, others_cores }]) => [
      name,
      ...names.map((process) => cell(cpu[process])),
      `(${others_cores})`,
    ]),
  ]
}

function isRate(value: unknown): value is Rate {
  return typeof value === 'object' && value !== null && 'cpu' in value
}

function columns(rows: string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

function entries(values: Record<string, string | number>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')
}

function perSecond(value: number): string {
  return `${Math.round(value).toLocaleString('en')}/s`
}
