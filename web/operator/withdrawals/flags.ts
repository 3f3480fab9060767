// Writes the warnings of the server as sentences, and computes ordinary facts, for the operator before money leaves.

import { texts, useLanguage, useTexts } from '../../ui/language.ts'
import type { Tone } from '../../ui/parts.tsx'
import { showAge, showAmount, showTime } from '../../ui/show.ts'
import { useWords } from '../../ui/words.ts'
import type { RejectionCause } from '../reason-texts.ts'
import { isolateDirection } from '../words.ts'
import {
  type ShownFacts,
  showPercent,
  showTimes,
  toneOfWarning,
  useFailureText,
  useShortWarnings,
  useSizeSentences,
  type Warning,
} from './facts.tsx'
import { toMinor } from './ratios.ts'
import { isApprovable, type NameCheck, type WithdrawalCaseRecord } from './record.ts'

const DAY_MS = 86_400_000
/** A merchant that is younger than this time, in milliseconds, is new. */
const NEW_MS = 30 * DAY_MS
/** An API key that was younger than this time, in milliseconds, when it requested the withdrawal, is new. */
const NEW_KEY_MS = 7 * DAY_MS

const flagTexts = texts({
  sw: {
    suspended: 'Biashara haifanyi kazi kwa sasa: idhini ya utoaji halisi itakataliwa.',
    unverified: 'Biashara haijathibitishwa: idhini ya utoaji halisi itakataliwa.',
    short: (missing: string) => `Salio halitoshi: zinakosekana ${missing}. Idhini itakataliwa.`,
    limit_daily: (limit: string, used: string) =>
      `Kikomo cha siku cha biashara hii ni ${limit}; leo zimeidhinishwa ${used}. Idhini itakataliwa.`,
    limit_destination: (limit: string, used: string) =>
      `Kikomo cha siku kwenda namba hii ni ${limit}; leo zimeidhinishwa ${used}. Idhini itakataliwa.`,
    first: 'Ni mara ya kwanza kulipa hapa.',
    name: (name: string) => `Jina la akaunti kwa mtoa huduma ni tofauti: ${name}.`,
    fresh_all: 'Kiasi hiki chote kilipokelewa ndani ya saa 24 kabla ya ombi (malipo kabla ya makato).',
    fresh: (share: string) =>
      `${share} ya kiasi hiki ilipokelewa ndani ya saa 24 kabla ya ombi (malipo kabla ya makato).`,
    at_least: (share: string) => `Angalau ${share}`,
    burst: (received: string, times: string, usual: string) =>
      `Mapato yameongezeka ghafla: ${received} zimeingia ndani ya saa 24 kabla ya ombi, mara ${times} ya siku ya kawaida (${usual}, wastani wa siku 7 kabla yake).`,
    burst_new: (received: string) =>
      `Mapato yameongezeka ghafla: ${received} zimeingia ndani ya saa 24 kabla ya ombi. Siku 7 kabla yake hazikuwa na mapato.`,
    burst_later: (amount: string) => `Mapato yameingia baada ya ombi: ${amount}.`,
    burst_waiting: 'Bila mapato yaliyoingia kuanzia saa 24 kabla ya ombi, salio halitoshi kwa utoaji wote unaosubiri.',
    burst_many: 'Mapato hayakulinganishwa: miamala 5,000 au zaidi imeingia baada ya ombi.',
    burst_all: 'Utoaji huu wote unatokana na pesa hizo.',
    burst_part: (part: string) => `${part} za utoaji huu zinatokana na pesa hizo.`,
    many: (count: number) => `Maombi ${count} ndani ya saa moja.`,
    young: 'Biashara ni mpya: ina chini ya siku 30.',
    new_key: (age: string) => `Ufunguo wa API wa ombi hili ulikuwa mpya: uliundwa ${age} kabla ya ombi.`,
    others: (count: number, names: string, more: number) =>
      `Biashara nyingine zimelipa namba hii pia (${count}): ${names}${more > 0 ? ` na nyingine ${more}` : ''}.`,
    other_names: (names: string) => `Biashara hizo zilimtaja mpokeaji kwa jina tofauti: ${names}.`,
    conflict:
      'Wewe ni au uliwahi kuwa mtumiaji wa biashara hii, au ulitengeneza ufunguo wake: mwendeshaji mwingine lazima aamue.',
    failed: (what: string, time: string, count: number) =>
      `${what} (${time}).${count > 1 ? ` Kati ya maombi yaliyotangulia (yasiyozidi matatu), yaliyokataliwa au kutofanikiwa: ${count}.` : ''}`,
    failed_why: (why: string) => `Sababu: ${why}.`,
    failed_open: 'Fungua utoaji huo',
    sandbox: 'Huu ni utoaji wa majaribio: hakuna pesa halisi.',
  },
  en: {
    suspended: 'The merchant is not active. The server refuses approvals of its live withdrawals.',
    unverified: 'The merchant is not verified. The server refuses approvals of its live withdrawals.',
    short: (missing: string) => `The balance is too low by ${missing}. The server will refuse an approval.`,
    limit_daily: (limit: string, used: string) =>
      `The daily limit of this merchant is ${limit}; approved today: ${used}. The server will refuse an approval.`,
    limit_destination: (limit: string, used: string) =>
      `The daily limit to this number is ${limit}; approved today: ${used}. The server will refuse an approval.`,
    first: 'First payout to this destination.',
    name: (name: string) => `The name on the account is different: ${name}.`,
    fresh_all: 'The merchant received all of this amount in the 24 hours before the request (payments before fees).',
    fresh: (share: string) =>
      `The merchant received ${share} of this amount in the 24 hours before the request (payments before fees).`,
    at_least: (share: string) => `at least ${share}`,
    burst: (received: string, times: string, usual: string) =>
      `Burst of income: ${received} came in within the 24 hours before the request, ${times} times the usual day (${usual}, the average of the 7 days before).`,
    burst_new: (received: string) =>
      `Burst of income: ${received} came in within the 24 hours before the request, and nothing in the 7 days before.`,
    burst_later: (amount: string) => `Income arrived after the request: ${amount}.`,
    burst_waiting:
      'Without the income since 24 hours before the request, the balance does not cover all waiting withdrawals.',
    burst_many: 'The income was not compared: 5,000 transfers or more followed the request.',
    burst_all: 'All of this withdrawal comes from that money.',
    burst_part: (part: string) => `${part} of this withdrawal comes from that money.`,
    many: (count: number) => `${count} withdrawals within one hour.`,
    young: 'The merchant is new: less than 30 days.',
    new_key: (age: string) => `The API key of this request was new: created ${age} before the request.`,
    others: (count: number, names: string, more: number) =>
      `Other merchants have paid this number as well (${count}): ${names}${more > 0 ? ` and ${more} more` : ''}.`,
    other_names: (names: string) => `Other merchants gave a different name for the recipient: ${names}.`,
    conflict:
      'You are or were a member of this merchant, or you created one of its API keys: another operator has to decide.',
    failed: (what: string, time: string, count: number) =>
      `${what} (${time}).${count > 1 ? ` Rejected or failed of up to three earlier withdrawals: ${count}.` : ''}`,
    failed_why: (why: string) => `Reason: ${why}.`,
    failed_open: 'Open that withdrawal',
    sandbox: 'This is a sandbox withdrawal: no real money.',
  },
})

const ALL = '100.0'

/** Returns the part of an amount that the older part of the balance does not cover, in cents. */
function freshPart(amount: bigint, older: bigint): bigint {
  if (older <= 0n) return amount
  return amount > older ? amount - older : 0n
}

/** Returns how many percent of an amount a part of it is, with one decimal, rounded down but never to zero. */
function percentOf(part: bigint, amount: bigint): string {
  const tenths = (part * 1_000n) / amount || 1n
  return `${tenths / 10n}.${tenths % 10n}`
}

/** Removes the cents of an amount of at least one shilling. */
const withoutCents = (amount: string) => (toMinor(amount) < 100n ? amount : amount.replace(/\.\d+$/, ''))
const toAmount = (minor: bigint) => `${minor / 100n}.${String(minor % 100n).padStart(2, '0')}`

const listNames = (names: readonly string[]) => names.map(isolateDirection).join(', ')

/**
 * A warning or an ordinary fact. `tone` shows how severe a warning is, and is `plain` for a fact. `cause` is the cause of a
 * rejection that fits the warning. `link` is the page of the record that the text is about.
 */
export type Flag = {
  tone: Tone
  text: string
  cause?: RejectionCause | undefined
  link?: { to: string; text: string } | undefined
}

/** Returns true for a warning, and false for an ordinary fact. */
export const isWarning = ({ tone }: Flag) => tone !== 'plain'

/** The cause of a rejection that fits each warning. The server refuses the approval for most of the other warnings. */
const CAUSES: Partial<Record<Warning, RejectionCause>> = {
  income_burst: 'fraud',
  large_share: 'amount',
  large_multiple: 'amount',
  shared_destination: 'fraud',
  new_destination: 'recipient',
}

/**
 * Returns the warnings about a withdrawal, the most severe first, and then the ordinary facts. For a rejected withdrawal, returns
 * the warnings that the facts give now. After another decision, returns only a conflict of interest of this operator.
 */
export function useFlags(
  {
    withdrawal,
    api_key_created_at,
    facts,
    balance,
    destination,
    payout_limits,
    velocity,
    merchant,
    conflict_of_interest,
  }: WithdrawalCaseRecord,
  check: NameCheck | null,
) {
  const t = useTexts(flagTexts)
  const language = useLanguage()
  const words = useWords()
  const size = useSizeSentences(withdrawal.currency)
  const brief = useShortWarnings(facts)
  const failureText = useFailureText()
  const bad = (text: string, cause?: RejectionCause): Flag => ({ tone: 'bad', text, cause })
  const conflict = conflict_of_interest ? [bad(t.conflict)] : []
  const { other_merchants, newest_other_merchants: newest, other_names } = destination
  const about_name: Flag[] = [
    ...(check?.matches === false && check.name !== null ? [bad(t.name(check.name), 'name')] : []),
    ...(other_names.length > 0
      ? [{ tone: 'warn', text: t.other_names(listNames(other_names)), cause: 'fraud' } as const]
      : []),
  ]
  const shared = () =>
    other_merchants > 0
      ? t.others(other_merchants, listNames(newest.map(({ name }) => name)), other_merchants - newest.length)
      : null
  const failures = facts?.recent_failures ?? null
  const failed = () => {
    if (failures === null) return null
    const { count, reason, failure_reason_code, at } = failures
    const why = failure_reason_code === null ? reason : words.reason(failure_reason_code)
    const text = t.failed(failureText(failures), showTime(at, language), count)
    return why ? `${text} ${t.failed_why(isolateDirection(why))}` : text
  }
  const linkOf = (warning: Warning) =>
    warning === 'recent_failure' && failures !== null
      ? { to: `withdrawals/${failures.withdrawal_id}`, text: t.failed_open }
      : undefined
  if (withdrawal.status === 'REJECTED')
    return [
      ...conflict,
      ...about_name,
      ...brief.map(({ warning, tone, text }) => ({
        tone,
        text: (warning === 'shared_destination' ? shared() : warning === 'recent_failure' ? failed() : null) ?? text,
        link: linkOf(warning),
      })),
    ]
  if (!isApprovable(withdrawal)) return conflict
  const { amount, total_reserved_amount, currency, environment } = withdrawal
  const missing = toMinor(total_reserved_amount) - toMinor(balance.available)
  const received = toMinor(balance.received_24h)
  const beyond_older = freshPart(
    toMinor(amount),
    toMinor(balance.available) - received - toMinor(balance.received_since),
  )
  // Income after the request is no older money, and the sentences name only the income before the request.
  const fresh = beyond_older < received ? beyond_older : received
  const fresh_percent = percentOf(fresh, toMinor(amount))
  const share = showPercent(fresh_percent)
  const hour = velocity.find(({ hours }) => hours === 1)?.count ?? 0
  const fact = (text: string): Flag => ({ tone: 'plain', text })
  const money = (value: string) => showAmount(value, currency)
  const beyond = (
    { limit, approved_today }: WithdrawalCaseRecord['payout_limits']['daily'],
    text: (limit: string, used: string) => string,
  ) => (limit === null ? null : text(money(limit), money(approved_today)))
  const burst = () => {
    const [received, usual] = [balance.received_24h, balance.received_daily_before ?? '0.00']
    const times = showTimes(received, usual)
    const sentence =
      times === null ? t.burst_new(money(received)) : t.burst(money(received), times, money(withoutCents(usual)))
    if (fresh === 0n) return sentence
    return `${sentence} ${fresh_percent === ALL ? t.burst_all : t.burst_part(money(toAmount(fresh)))}`
  }
  const later = facts?.income_later ?? null
  const laterBurst = () => {
    if (later === null) return burst()
    if (later.amount === null) return t.burst_many
    const before = balance.received_burst ? [burst()] : []
    const since = toMinor(later.amount) > 0n ? [t.burst_later(money(later.amount))] : []
    return [...before, ...since, t.burst_waiting].join(' ')
  }
  const is_burst = facts?.warnings.includes('income_burst') ?? false
  const sentences: Record<Warning, (known: ShownFacts) => string | null> = {
    merchant_not_active: () => t.suspended,
    merchant_not_verified: () => t.unverified,
    balance_too_low: () => (missing > 0n ? t.short(money(toAmount(missing))) : null),
    daily_limit: () => beyond(payout_limits.daily, t.limit_daily),
    destination_limit: () => beyond(payout_limits.destination, t.limit_destination),
    income_burst: laterBurst,
    ...size,
    shared_destination: shared,
    new_destination: () => t.first,
    recent_failure: failed,
  }
  const warnings = (facts?.warnings ?? []).flatMap((warning): Flag[] => {
    const text = facts === null ? null : sentences[warning](facts)
    return text === null ? [] : [{ tone: toneOfWarning(warning), text, cause: CAUSES[warning], link: linkOf(warning) }]
  })
  const flags: (Flag | false)[] = [
    ...conflict,
    ...warnings.filter(({ tone }) => tone === 'bad'),
    ...about_name,
    ...warnings.filter(({ tone }) => tone !== 'bad'),
    environment !== 'live' && fact(t.sandbox),
    // The sentence about a burst already says how much of the amount is new money.
    !is_burst &&
      missing <= 0n &&
      fresh > 0n &&
      fact(fresh_percent === ALL ? t.fresh_all : t.fresh(balance.received_24h_complete ? share : t.at_least(share))),
    hour > 1 && fact(t.many(hour)),
    Date.now() - Date.parse(merchant.created_at) < NEW_MS && fact(t.young),
    api_key_created_at !== null &&
      Date.parse(withdrawal.created_at) - Date.parse(api_key_created_at) < NEW_KEY_MS &&
      fact(t.new_key(showAge(api_key_created_at, language, Date.parse(withdrawal.created_at)))),
  ]
  return flags.filter((flag) => flag !== false)
}
